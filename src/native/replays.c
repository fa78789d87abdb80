/* Replays of captured functions: whether a buffer is as it was, the launch of a kernel, the call.
 *
 * Their twins are lines of generated code (`onebuf.capture`), which a guard or a program has where
 * there is no core, or where one of these does not apply.
 */
#include "core.h"

#define MOST_WORDS 256 /* of addresses, and of other words */

static PyObject *current_trace, *get_listeners, *slowly_name, *array_name, *no_names;

/* set_replays(current, listeners): functions that say what is open or listening here */
PyObject *set_replays(PyObject *module, PyObject *args) {
    if (!PyArg_ParseTuple(args, "OO", &current_trace, &get_listeners)) return NULL;
    Py_INCREF(current_trace);
    Py_INCREF(get_listeners);
    Py_RETURN_NONE;
}

/* The call of a form or a launch, which both begin alike, with a tuple. */
static PyObject *call_with_tuple(PyObject *self, PyObject *args, PyObject *named) {
    PyObject *given[MOST_WORDS];
    Py_ssize_t count = PyTuple_Size(args);
    if (count > MOST_WORDS || named) {
        PyErr_SetNone(PyExc_TypeError);
        return NULL;
    }
    for (Py_ssize_t n = 0; n < count; n++) given[n] = PyTuple_GetItem(args, n);
    return (*(Vectorcall *)(self + 1))(self, given, count, NULL);
}

/* ------------------------------------------------------------------------------------- forms */

/* How the elements of a buffer lie in memory here. */
typedef struct {
    PyObject_HEAD
    Vectorcall call;
    PyObject *dtype;
    int ndim;
    npy_intp dims[MOST_AXES], strides[MOST_AXES];
} Form;

/* form(x): whether `x` is a plain buffer, stored in memory of the host, that has this form */
static PyObject *form_call(PyObject *self, PyObject *const *args, size_t flagged, PyObject *names) {
    Form *form = (Form *)self;
    int fits = 0;
    if (!names && count_of(flagged) == 1 && is_buffer(args[0]) && node_of(args[0])) {
        Node *node = node_of(args[0]);
        PyArrayObject *array = (PyArrayObject *)node->array;
        size_t nbytes = form->ndim * sizeof(npy_intp);
        fits = holds_array(node) && TYPE(node) != classes.node && array &&
               PyArray_NDIM(array) == form->ndim && (PyObject *)PyArray_DESCR(array) == form->dtype &&
               !memcmp(PyArray_DIMS(array), form->dims, nbytes) &&
               !memcmp(PyArray_STRIDES(array), form->strides, nbytes);
    }
    return PyBool_FromLong(fits);
}

/* Form(array): that of the array of a node */
static PyObject *form_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    PyArrayObject *array;
    if (!PyArg_ParseTuple(args, "O!", &PyArray_Type, &array)) return NULL;
    int ndim = PyArray_NDIM(array);
    if (ndim > MOST_AXES) {
        PyErr_SetNone(PyExc_ValueError);
        return NULL;
    }
    Form *form = (Form *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!form) return NULL;
    form->call = form_call;
    form->dtype = Py_NewRef((PyObject *)PyArray_DESCR(array));
    form->ndim = ndim;
    memcpy(form->dims, PyArray_DIMS(array), ndim * sizeof(npy_intp));
    memcpy(form->strides, PyArray_STRIDES(array), ndim * sizeof(npy_intp));
    return (PyObject *)form;
}

static void form_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Form *)self)->dtype);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMemberDef form_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Form, call), READONLY, NULL}, {NULL}};
static PyType_Slot form_slots[] = {
    {Py_tp_doc, "How the elements of a buffer lie in memory."},
    {Py_tp_new, form_new},
    {Py_tp_call, call_with_tuple},
    {Py_tp_members, form_members},
    {Py_tp_dealloc, form_dealloc},
    {0, NULL},
};
static PyType_Spec form_spec = {"onebuf._native.Form", sizeof(Form), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, form_slots};

/* ----------------------------------------------------------------------------------- launches */

/* A kernel with all of its arguments but some addresses, and where its result goes. */
typedef struct {
    PyObject_HEAD
    Vectorcall call;
    PyObject *holder; /* keeps the kernel's code */
    PyObject *shelf, *place, *shape, *dtype, *numel; /* None: no shelf; no result, if no shape */
    PyObject *base; /* of the buffer that a call gives; NULL: it gives the node */
    void (*kernel)(const npy_intp *words, npy_intp begin, npy_intp end);
    npy_intp end;
    int releases; /* whether other threads may run meanwhile */
    int operands, addresses, words;
    struct {
        int operand; /* -1: the result; -2: `offset` is an address */
        npy_intp offset;
    } slots[MOST_WORDS];
    npy_intp tail[MOST_WORDS];
} Launch;

/* The node that a call writes; claimed, if it is for a buffer. */
static Node *room(Launch *launch) {
    PyObject *claimed = launch->base ? Py_True : Py_False;
    Node *made = launch->shelf == Py_None ? NULL : fresh_on(launch->shelf);
    if (!made && !PyErr_Occurred()) {
        made = (Node *)PyObject_CallFunctionObjArgs(launch->place, launch->shape, launch->dtype,
                                                    launch->numel, NULL);
        if (made && !(holds_array(made) && made->array)) {
            PyErr_SetNone(PyExc_TypeError);
            Py_CLEAR(made);
        }
    }
    if (made && made->claimed != claimed) {
        PyObject *old = made->claimed;
        made->claimed = Py_NewRef(claimed);
        Py_XDECREF(old);
    }
    return made;
}

/* The first byte of the elements of a stored node, or an address; NULL: an exception. */
static char *bytes_of(PyObject *node) {
    if (PyLong_Check(node)) return PyLong_AsVoidPtr(node);
    if (holds_array((Node *)node) && ((Node *)node)->array)
        return PyArray_BYTES((PyArrayObject *)((Node *)node)->array);
    PyObject *array = PyObject_GetAttr(node, array_name); /* numbers make one, and keep it */
    if (!array) return NULL;
    char *bytes = PyArray_Check(array) ? PyArray_BYTES((PyArrayObject *)array) : NULL;
    Py_DECREF(array);
    if (!bytes) PyErr_SetNone(PyExc_TypeError);
    return bytes;
}

/* launch(*operands), which are nodes, buffers and addresses */
static PyObject *launch_call(PyObject *self, PyObject *const *args, size_t flagged, PyObject *names) {
    Launch *launch = (Launch *)self;
    Py_ssize_t count = count_of(flagged);
    npy_intp words[2 * MOST_WORDS];
    PyObject *held[MOST_WORDS];
    char *bytes[MOST_WORDS];
    if (names || count != launch->operands) {
        PyErr_SetNone(PyExc_TypeError);
        return NULL;
    }
    int known = 0, fine = 1;
    Node *made = NULL;
    for (; known < count; known++) {
        PyObject *x = args[known];
        int has_node = Py_TYPE(x) == classes.buffer || PyType_IsSubtype(Py_TYPE(x), classes.buffer);
        held[known] = Py_NewRef(has_node ? (PyObject *)node_of(x) : x);
    }
    for (int n = 0; n < known && fine; n++) fine = (bytes[n] = bytes_of(held[n])) != NULL;
    if (fine && launch->shape != Py_None) fine = (made = room(launch)) != NULL;
    if (fine) {
        char *out = made ? PyArray_BYTES((PyArrayObject *)made->array) : NULL;
        for (int n = 0; n < launch->addresses; n++) {
            int operand = launch->slots[n].operand;
            npy_intp base = operand >= 0 ? (npy_intp)bytes[operand] : operand == -1 ? (npy_intp)out : 0;
            words[n] = base + launch->slots[n].offset;
        }
        memcpy(words + launch->addresses, launch->tail, launch->words * sizeof(npy_intp));
        if (launch->releases) {
            Py_BEGIN_ALLOW_THREADS
            launch->kernel(words, 0, launch->end);
            Py_END_ALLOW_THREADS
        } else {
            launch->kernel(words, 0, launch->end);
        }
    }
    while (known) Py_DECREF(held[--known]);
    if (!fine) return NULL;
    if (!made) return Py_NewRef(Py_None);
    return launch->base ? new_buffer(made, launch->base) : (PyObject *)made;
}

/* Launch(address, holder, tail, end, releases, slots, operands, shelf, place, shape, dtype, numel, base)
 *
 * `tail`: words behind the addresses, as bytes. `slots`: (operand, offset) for each address. */
static PyObject *launch_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    unsigned long long address;
    PyObject *holder, *slots, *parts[5], *base;
    const char *tail;
    Py_ssize_t nbytes, end;
    int releases, operands;
    if (!PyArg_ParseTuple(args, "KOy#npO!iOOOOOO", &address, &holder, &tail, &nbytes, &end, &releases,
                          &PyTuple_Type, &slots, &operands, &parts[0], &parts[1], &parts[2],
                          &parts[3], &parts[4], &base))
        return NULL;
    Py_ssize_t addresses = PyTuple_Size(slots), word = sizeof(npy_intp);
    if (addresses > MOST_WORDS || nbytes > MOST_WORDS * word || nbytes % word || operands < 0 ||
        operands > MOST_WORDS || !(parts[0] == Py_None || is_shelf(parts[0]))) {
        PyErr_SetNone(PyExc_ValueError);
        return NULL;
    }
    Launch *launch = (Launch *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!launch) return NULL;
    launch->call = launch_call;
    launch->holder = Py_NewRef(holder);
    PyObject **fields[] = {&launch->shelf, &launch->place, &launch->shape, &launch->dtype,
                           &launch->numel};
    for (int n = 0; n < 5; n++) *fields[n] = Py_NewRef(parts[n]);
    launch->base = base == Py_Ellipsis ? NULL : Py_NewRef(base);
    launch->kernel = (void (*)(const npy_intp *, npy_intp, npy_intp))(size_t)address;
    launch->end = end;
    launch->releases = releases;
    launch->operands = operands;
    launch->addresses = (int)addresses;
    launch->words = (int)(nbytes / word);
    memcpy(launch->tail, tail, nbytes);
    for (int n = 0; n < addresses; n++) {
        int operand;
        Py_ssize_t offset;
        PyObject *slot = PyTuple_GetItem(slots, n);
        if (!PyTuple_Check(slot) || !PyArg_ParseTuple(slot, "in", &operand, &offset) ||
            operand >= operands || operand < -2 || (operand == -1 && parts[2] == Py_None)) {
            if (!PyErr_Occurred()) PyErr_SetNone(PyExc_ValueError);
            Py_DECREF((PyObject *)launch);
            return NULL;
        }
        launch->slots[n].operand = operand;
        launch->slots[n].offset = offset;
    }
    return (PyObject *)launch;
}

static int launch_traverse(PyObject *self, visitproc visit, void *arg) {
    Launch *launch = (Launch *)self;
    Py_VISIT(Py_TYPE(self));
    for (PyObject **field = &launch->holder; field <= &launch->base; field++) Py_VISIT(*field);
    return 0;
}

static void launch_dealloc(PyObject *self) {
    Launch *launch = (Launch *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    for (PyObject **field = &launch->holder; field <= &launch->base; field++) Py_CLEAR(*field);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMemberDef launch_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Launch, call), READONLY, NULL}, {NULL}};
static PyType_Slot launch_slots[] = {
    {Py_tp_doc, "A kernel with all of its arguments but some addresses."},
    {Py_tp_new, launch_new},
    {Py_tp_call, call_with_tuple},
    {Py_tp_members, launch_members},
    {Py_tp_traverse, launch_traverse},
    {Py_tp_dealloc, launch_dealloc},
    {0, NULL},
};
static PyType_Spec launch_spec = {
    "onebuf._native.Launch", sizeof(Launch), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, launch_slots};

/* -------------------------------------------------------------------------------------- calls */

/* What `onebuf.capture.api.Jitted` inherits. */
typedef struct {
    PyObject_HEAD
    PyObject *quick; /* a tuple of functions (args, kwargs) -> result, or None: it does not fit */
    Py_ssize_t replays;
} Replays;

/* Whether replays may go unnoticed here: nothing is traced and nobody listens; -1: an exception. */
static int is_quiet(void) {
    PyObject *trace = current_trace ? PyObject_CallNoArgs(current_trace) : NULL;
    if (!trace) return PyErr_Occurred() ? -1 : 0;
    int quiet = trace == Py_None && !halted;
    Py_DECREF(trace);
    if (!quiet || !has_contexts()) return quiet;
    PyObject *listeners = PyObject_CallNoArgs(get_listeners);
    if (!listeners) return -1;
    quiet = PyObject_Not(listeners);
    Py_DECREF(listeners);
    return quiet;
}

static PyObject *replays_call(PyObject *self, PyObject *args, PyObject *named) {
    Replays *replays = (Replays *)self;
    PyObject *quick = replays->quick, *found = NULL, *names = named ? named : no_names;
    Py_ssize_t count = quick && PyTuple_Check(quick) ? PyTuple_Size(quick) : 0;
    int quiet = count ? is_quiet() : 0;
    if (quiet < 0) return NULL;
    if (quiet) {
        Py_INCREF(quick);
        for (Py_ssize_t n = 0; n < count && (!found || found == Py_None); n++) {
            Py_XDECREF(found);
            found = PyObject_CallFunctionObjArgs(PyTuple_GetItem(quick, n), args, names, NULL);
            if (!found) break;
        }
        Py_DECREF(quick);
        if (!found) return NULL;
        if (found != Py_None) {
            replays->replays++;
            return found;
        }
        Py_DECREF(found);
    }
    return PyObject_CallMethodObjArgs(self, slowly_name, args, names, NULL);
}

static int replays_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Replays *)self)->quick);
    return 0;
}

static int replays_clear(PyObject *self) {
    Py_CLEAR(((Replays *)self)->quick);
    return 0;
}

static void replays_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    replays_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMemberDef replays_members[] = {
    {"quick", T_OBJECT_EX, offsetof(Replays, quick), 0, NULL},
    {"replays", T_PYSSIZET, offsetof(Replays, replays), 0, NULL},
    {NULL},
};
static PyType_Slot replays_slots[] = {
    {Py_tp_doc, "A function that is replayed where one of its quick replays fits."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_call, replays_call},
    {Py_tp_members, replays_members},
    {Py_tp_traverse, replays_traverse},
    {Py_tp_clear, replays_clear},
    {Py_tp_dealloc, replays_dealloc},
    {0, NULL},
};
static PyType_Spec replays_spec = {
    "onebuf._native.Replays", sizeof(Replays), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, replays_slots};

int replays_init(PyObject *module) {
    slowly_name = PyUnicode_InternFromString("_slowly");
    array_name = PyUnicode_InternFromString("array");
    no_names = PyDict_New();
    if (!slowly_name || !array_name || !no_names) return -1;
    if (PyModule_AddIntMacro(module, MOST_WORDS) < 0 || PyModule_AddIntMacro(module, MOST_AXES) < 0)
        return -1;
    static const struct {
        const char *name;
        PyType_Spec *spec;
    } types[] = {{"Form", &form_spec}, {"Launch", &launch_spec}, {"Replays", &replays_spec}};
    for (int n = 0; n < 3; n++) {
        PyObject *type = PyType_FromSpec(types[n].spec);
        if (!type || PyModule_AddObject(module, types[n].name, type) < 0) return -1;
    }
    return 0;
}
