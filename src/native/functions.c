/* Functions and methods: callables that try the short way, and else call their Python twin.
 *
 * A function keeps the name, the text, the signature and all attributes of its twin, and can be
 * pickled by name.
 */
#include "core.h"

enum { ONE, TWO, WHERE, ASARRAY, PRODUCT, ZEROS, ONES, EMPTY, ZEROS_LIKE, ONES_LIKE, EMPTY_LIKE,
       ARANGE, EYE, CONCAT, ARRAY, RESHAPE, RAVEL, PERMUTE, TRANSPOSE, ITEM, SHAPE, DELEGATE, MAKE,
       ACCUMULATE, ROLL, CLIP, ASTYPE, COPY, STACK, FLATTEN, TOLIST, FULL, AS_ARRAY, AS_MEMORY, REDUCE };
static const char *kinds[] = {"one", "two", "where", "asarray", "matmul", "zeros", "ones", "empty",
                              "zeros_like", "ones_like", "empty_like", "arange", "eye", "concat", "array",
                              "reshape", "ravel", "permute", "transpose", "item", "shape", "delegate", "make",
                              "accumulate", "roll", "clip", "astype", "copy", "stack", "flatten",
                              "tolist", "full", "as_array", "as_memory", NULL};
typedef struct {
    PyObject_HEAD
    Vectorcall call;
    PyObject *twin, *dict, *weakrefs;
    PyObject *target; /* NumPy's function, of a delegate */
    Operation *operation;
    int kind, reduction;
} Function;

static PyObject *default_is_host; /* asked where devices were ever entered */
static int has_homes = 0;

PyObject *note_homes(PyObject *module, PyObject *is_host) {
    if (default_is_host) has_homes = 1;
    else default_is_host = Py_NewRef(is_host);
    Py_RETURN_NONE;
}

/* Whether new elements are made on the host here; 0 also if there is an exception. */
int home_is_host(void) {
    if (!has_homes) return 1;
    PyObject *is_host = PyObject_CallNoArgs(default_is_host);
    if (!is_host) return 0;
    int here = PyObject_IsTrue(is_host);
    Py_DECREF(is_host);
    return here > 0;
}

/* A buffer on the memory of an array of NumPy's; NULL: ask the twin. */
static PyObject *as_buffer(PyObject *x) {
    if (!PyArray_CheckExact(x) || halted) return NULL;
    PyArrayObject *array = (PyArrayObject *)x;
    int flags = PyArray_FLAGS(array), usual = NPY_ARRAY_CARRAY;
    unsigned warns = 1u << 31; /* NumPy's flag of what is written to with a warning */
    if ((flags & usual) != usual || (unsigned)flags & warns || index_of_descr(PyArray_DESCR(array)) < 0)
        return NULL;
    int ndim = PyArray_NDIM(array);
    if (!ndim || ndim > MOST_AXES) return NULL;
    if (!home_is_host()) return NULL;
    PyObject *view = PyArray_View(array, NULL, NULL);
    if (!view) return NULL;
    PyObject *shape = PyTuple_New(ndim);
    Node *node = shape ? new_node(classes.foreign) : NULL;
    if (!node) {
        Py_DECREF(view);
        Py_XDECREF(shape);
        return NULL;
    }
    node->array = view;
    node->shape = shape;
    node->dtype = Py_NewRef((PyObject *)PyArray_DESCR((PyArrayObject *)view));
    node->own_block = Py_NewRef(Py_None);
    node->claimed = Py_NewRef(Py_True);
    PyObject_GC_Track((PyObject *)node);
    for (int axis = 0; axis < ndim; axis++) {
        PyObject *extent = PyLong_FromSsize_t(PyArray_DIM(array, axis));
        if (!extent) {
            Py_DECREF((PyObject *)node);
            return NULL;
        }
        PyTuple_SetItem(shape, axis, extent);
    }
    return new_buffer(node, Py_None);
}

/* The result of an operation written to `out`, its only keyword; NULL: ask the twin. */
static PyObject *into(Function *function, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    if (count != 1 + (function->kind == TWO) || PyTuple_Size(keywords) != 1) return NULL;
    if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "out")) return NULL;
    PyObject *out = args[count];
    int done = function->kind == TWO ? compute_into(function->operation, args[0], args[1], out)
                                     : compute_one_into(function->operation, args[0], out);
    return done > 0 ? Py_NewRef(out) : NULL;
}

static PyObject *quickly(Function *function, PyObject *const *args, Py_ssize_t count,
                         PyObject *keywords) {
    if (keywords && function->kind <= TWO) return into(function, args, count, keywords);
    switch (function->kind) {
    case ONE: return count == 1 && !keywords ? compute_one(function->operation, args[0]) : NULL;
    case TWO: return count == 2 && !keywords ? compute_two(function->operation, args[0], args[1]) : NULL;
    case WHERE: {
        PyObject *chosen = count == 3 && !keywords ? compute_where(args[0], args[1], args[2]) : NULL;
        if (chosen || PyErr_Occurred()) return chosen;
        if (count != 3 || !is_buffer(args[1]) || !is_buffer(args[2])) return NULL;
        return delegated(function->target, args, count, keywords);
    }
    case REDUCE:
        if (count < 1) return NULL;
        return reduce_quickly(function->reduction, args[0], args + 1, count - 1, keywords);
    case ASARRAY:
        if (count == 1 && !keywords && PyList_CheckExact(args[0])) return listed(args, count, NULL);
        return count == 1 && !keywords ? as_buffer(args[0]) : NULL;
    case PRODUCT: return count == 2 && !keywords ? compute_product(args[0], args[1]) : NULL;
    case ZEROS: return filled(args, count, keywords, 0);
    case ONES: return filled(args, count, keywords, 1);
    case EMPTY: return filled(args, count, keywords, -1);
    case ZEROS_LIKE: return filled_like(args, count, keywords, 0);
    case ONES_LIKE: return filled_like(args, count, keywords, 1);
    case EMPTY_LIKE: return filled_like(args, count, keywords, -1);
    case ARANGE: return counted(args, count, keywords);
    case EYE: return identity(args, count, keywords);
    case CONCAT: return joined(args, count, keywords);
    case FLATTEN: return count == 1 && !keywords ? flattened(args[0]) : NULL;
    case TOLIST: return count == 1 && !keywords ? listed_elements(args[0]) : NULL;
    case FULL: return full_of(args, count, keywords);
    case AS_ARRAY: return as_array(args, count, keywords);
    case AS_MEMORY: return keywords ? NULL : as_memory(args, count);
    case STACK: return stacked(args, count, keywords);
    case ARRAY: return listed(args, count, keywords);
    case RESHAPE: return keywords ? NULL : reshape_quickly(args, count);
    case RAVEL: return keywords ? NULL : ravel_quickly(args, count);
    case PERMUTE: return keywords ? NULL : permute_quickly(args, count);
    case TRANSPOSE: return keywords ? NULL : transpose_quickly(args, count);
    case ITEM: return keywords ? NULL : item_of(args, count);
    case MAKE: return keywords ? NULL : make_quickly(args, count);
    case DELEGATE: return delegated(function->target, args, count, keywords);
    case ACCUMULATE: return accumulated(function->target, args, count, keywords);
    case ROLL: return rolled(args, count, keywords);
    case CLIP: return clipped(function->target, args, count, keywords);
    case ASTYPE: return converted_to(args, count, keywords);
    case COPY: return count == 1 && !keywords ? copied(args[0]) : NULL;
    case SHAPE: return count == 1 && !keywords ? shape_quickly(args[0]) : NULL;
    }
    return NULL;
}

/* Call the Python twin of a function. */
static PyObject *call_twin(PyObject *twin, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    PyObject *given = PyTuple_New(count), *named = NULL, *result = NULL;
    if (!given) return NULL;
    for (Py_ssize_t n = 0; n < count; n++) PyTuple_SetItem(given, n, Py_NewRef(args[n]));
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    if (more) {
        named = PyDict_New();
        if (!named) goto end;
        for (Py_ssize_t n = 0; n < more; n++)
            if (PyDict_SetItem(named, PyTuple_GetItem(keywords, n), args[count + n]) < 0) goto end;
    }
    result = PyObject_Call(twin, given, named);
end:
    Py_DECREF(given);
    Py_XDECREF(named);
    return result;
}

static PyObject *vectorcall(PyObject *self, PyObject *const *args, size_t flagged, PyObject *keywords) {
    Function *function = (Function *)self;
    Py_ssize_t count = count_of(flagged);
    if (keywords && !PyTuple_Size(keywords)) keywords = NULL;
    PyObject *result = quickly(function, args, count, keywords);
    if (result) return result;
    forget_error();
    if (PyErr_Occurred()) return NULL;
    return call_twin(function->twin, args, count, keywords);
}

/* Function(kind, twin, operation or name of a reduction or None) */
static PyObject *function_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    const char *kind;
    PyObject *twin, *what;
    if (!PyArg_ParseTuple(args, "sOO", &kind, &twin, &what)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Function *function = (Function *)alloc(type, 0);
    if (!function) return NULL;
    function->call = vectorcall;
    function->twin = Py_NewRef(twin);
    function->kind = REDUCE;
    for (int at = 0; kinds[at]; at++)
        if (!strcmp(kind, kinds[at])) function->kind = at;
    if (function->kind <= TWO) {
        if (Py_TYPE(what) != operation_type) goto wrong;
        function->operation = (Operation *)Py_NewRef(what);
    }
    function->target = Py_NewRef(what);
    if (function->kind == REDUCE) {
        function->reduction = reduction_named(kind);
        if (function->reduction < 0) goto wrong;
    }
    PyObject *attributes = PyObject_GetAttrString(twin, "__dict__");
    function->dict = attributes ? PyDict_Copy(attributes) : NULL;
    Py_XDECREF(attributes);
    static const char *copied[] = {"__name__", "__qualname__", "__doc__", "__module__", NULL};
    for (const char **name = copied; function->dict && *name; name++) {
        PyObject *value = PyObject_GetAttrString(twin, *name);
        if (!value || PyDict_SetItemString(function->dict, *name, value) < 0) Py_CLEAR(function->dict);
        Py_XDECREF(value);
    }
    if (!function->dict || PyDict_SetItemString(function->dict, "__wrapped__", twin) < 0) {
        Py_DECREF((PyObject *)function);
        return NULL;
    }
    return (PyObject *)function;
wrong:
    PyErr_SetString(PyExc_KeyError, kind);
    Py_DECREF((PyObject *)function);
    return NULL;
}

static int function_traverse(PyObject *self, visitproc visit, void *arg) {
    Function *function = (Function *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(function->twin);
    Py_VISIT(function->dict);
    Py_VISIT(function->target);
    return 0;
}

static int function_clear(PyObject *self) {
    Function *function = (Function *)self;
    Py_CLEAR(function->dict);
    return 0;
}

static void function_dealloc(PyObject *self) {
    Function *function = (Function *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (function->weakrefs) PyObject_ClearWeakRefs(self);
    Py_XDECREF(function->twin);
    Py_XDECREF(function->dict);
    Py_XDECREF(function->target);
    Py_XDECREF((PyObject *)function->operation);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *function_repr(PyObject *self) { return PyObject_Repr(((Function *)self)->twin); }

static PyObject *function_reduce(PyObject *self, PyObject *unused) {
    return PyObject_GetAttrString(self, "__qualname__");
}

static PyObject *function_call(PyObject *self, PyObject *args, PyObject *named) {
    return PyObject_Call(((Function *)self)->twin, args, named);
}

static PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, "By name."},
    {NULL},
};
static PyMemberDef function_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Function, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weakrefs), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY, NULL},
    {NULL},
};
static PyGetSetDef function_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL}, {NULL}};
static PyObject *bound_method; /* Python's type of bound methods */

static PyObject *method_bound(PyObject *self, PyObject *instance, PyObject *owner) {
    if (!instance || instance == Py_None) return Py_NewRef(self);
    return PyObject_CallFunctionObjArgs(bound_method, self, instance, NULL);
}

#define SLOTS                                                                                      \
    {Py_tp_new, function_new}, {Py_tp_call, function_call}, {Py_tp_repr, function_repr},           \
        {Py_tp_members, function_members}, {Py_tp_getset, function_getset}, {Py_tp_methods, function_methods},                      \
        {Py_tp_getattro, PyObject_GenericGetAttr}, {Py_tp_setattro, PyObject_GenericSetAttr},      \
        {Py_tp_traverse, function_traverse}, {Py_tp_clear, function_clear},                        \
        {Py_tp_dealloc, function_dealloc}
static PyType_Slot function_slots[] = {SLOTS, {0, NULL}};
static PyType_Slot bound_slots[] = {SLOTS, {Py_tp_descr_get, method_bound}, {0, NULL}};
#define FUNCTION_FLAGS Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
static PyType_Spec function_spec = {"onebuf._native.Function", sizeof(Function), 0, FUNCTION_FLAGS,
                                    function_slots};
static PyType_Spec method_spec = {"onebuf._native.Method", sizeof(Function), 0,
                                  FUNCTION_FLAGS | Py_TPFLAGS_METHOD_DESCRIPTOR, bound_slots};

int functions_init(PyObject *module) {
    PyObject *types = PyImport_ImportModule("types");
    bound_method = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    Py_XDECREF(types);
    if (!bound_method) return -1;
    PyObject *type = PyType_FromSpec(&function_spec);
    if (!type || PyModule_AddObject(module, "Function", type) < 0) return -1;
    type = PyType_FromSpec(&method_spec);
    return type ? PyModule_AddObject(module, "Method", type) : -1;
}
