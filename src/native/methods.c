/* What methods of buffers do: views, conversions to numbers, iteration. */
#include "core.h"

/* The slots whose twins Python has to give. */
enum { M_BOOL, M_INT, M_FLOAT, M_INDEX, M_LEN, M_ITER, NAMES };
static const char *names[NAMES] = {"__bool__", "__int__", "__float__", "__index__", "__len__",
                                   "__iter__"};
static PyObject *twins[NAMES];

/* set_slot(name, twin) */
static PyObject *set_slot(PyObject *module, PyObject *args) {
    const char *name;
    PyObject *twin;
    if (!PyArg_ParseTuple(args, "sO", &name, &twin)) return NULL;
    for (int at = 0; at < NAMES; at++) {
        if (strcmp(name, names[at])) continue;
        twins[at] = Py_NewRef(twin);
        Py_RETURN_NONE;
    }
    PyErr_SetString(PyExc_KeyError, name);
    return NULL;
}

/* --------------------------------------------------------------------------------------- views */

/* The array of a stored buffer with axes; NULL for others. */
static PyArrayObject *array_of(PyObject *self) {
    if (!is_buffer(self) || !node_of(self) || !holds_array(node_of(self))) return NULL;
    PyObject *array = node_of(self)->array;
    if (!array || !PyArray_CheckExact(array) || !PyArray_NDIM((PyArrayObject *)array)) return NULL;
    return (PyArrayObject *)array;
}

/* Integers, given one by one or as one tuple or list; -1: something else. */
int integers(PyObject *const *args, Py_ssize_t count, npy_intp *found) {
    PyObject *only = count == 1 && PyTuple_CheckExact(args[0]) ? args[0] : NULL;
    if (only) count = PyTuple_Size(only);
    if (count > MOST_AXES) return -1;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *given = only ? PyTuple_GetItem(only, n) : args[n];
        if (!PyLong_CheckExact(given)) return -1;
        int overflow;
        long long value = PyLong_AsLongLongAndOverflow(given, &overflow);
        if (overflow) return -1;
        found[n] = (npy_intp)value;
    }
    return (int)count;
}

static PyObject *reshaped(PyObject *self, npy_intp *dims, int ndim) {
    PyArrayObject *array = array_of(self);
    if (!array || ndim < 0 || !(PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS)) return NULL;
    for (int axis = 0; axis < ndim; axis++)
        if (dims[axis] < -1) return NULL;
    if (!ndim) return NULL;
    PyArray_Dims shape = {dims, ndim};
    PyObject *part = PyArray_Newshape(array, &shape, NPY_CORDER);
    if (!part) {
        forget_error();
        return NULL;
    }
    return view_of_array(self, part);
}

static PyObject *turned(PyObject *self, npy_intp *axes, int count) {
    PyArrayObject *array = array_of(self);
    if (!array || (axes && count != PyArray_NDIM(array))) return NULL;
    PyArray_Dims order = {axes, count};
    PyObject *part = PyArray_Transpose(array, axes ? &order : NULL);
    if (!part) {
        forget_error();
        return NULL;
    }
    return view_of_array(self, part);
}

/* reshape(*shape) */
PyObject *reshape_quickly(PyObject *const *args, Py_ssize_t count) {
    npy_intp dims[MOST_AXES];
    return count > 1 ? reshaped(args[0], dims, integers(args + 1, count - 1, dims)) : NULL;
}

PyObject *ravel_quickly(PyObject *const *args, Py_ssize_t count) {
    npy_intp flat = -1;
    return count == 1 ? reshaped(args[0], &flat, 1) : NULL;
}

/* permute(*axes) */
PyObject *permute_quickly(PyObject *const *args, Py_ssize_t count) {
    npy_intp axes[MOST_AXES];
    int given = count > 1 ? integers(args + 1, count - 1, axes) : 0;
    return given > 0 ? turned(args[0], axes, given) : NULL;
}

/* The same, or the axes reversed where none are given. */
PyObject *transpose_quickly(PyObject *const *args, Py_ssize_t count) {
    return count == 1 ? turned(args[0], NULL, 0) : permute_quickly(args, count);
}

/* ------------------------------------------------------------------------------------- numbers */

/* The number of Python's that some bytes are; NULL: ask the twin, or an exception. */
static PyObject *number_from(const char *raw, int dtype) {
    switch (dtype) {
    case BOOL: return PyBool_FromLong(raw[0]);
    case INT8: return PyLong_FromLong(*(npy_int8 *)raw);
    case UINT8: return PyLong_FromLong(*(npy_uint8 *)raw);
    case INT16: return PyLong_FromLong(*(npy_int16 *)raw);
    case UINT16: return PyLong_FromLong(*(npy_uint16 *)raw);
    case INT32: return PyLong_FromLong(*(npy_int32 *)raw);
    case UINT32: return PyLong_FromUnsignedLong(*(npy_uint32 *)raw);
    case INT64: return PyLong_FromLongLong(*(npy_int64 *)raw);
    case UINT64: return PyLong_FromUnsignedLongLong(*(npy_uint64 *)raw);
    case FLOAT32: return PyFloat_FromDouble(*(float *)raw);
    case FLOAT64: return PyFloat_FromDouble(*(double *)raw);
    }
    return NULL;
}

/* The number that a buffer is; NULL: it is none, or an exception. */
PyObject *number_of(PyObject *self) {
    Node *node = is_buffer(self) ? node_of(self) : NULL;
    if (!node || !is_number(node) || !node->dtype) return NULL;
    int dtype = index_of_descr((PyArray_Descr *)node->dtype);
    char raw[8];
    return dtype >= 0 && number_raw(node, dtype, raw) ? number_from(raw, dtype) : NULL;
}

/* x.item(), x.item(3), x.item(1, 2); NULL: ask the twin */
PyObject *item_of(PyObject *const *args, Py_ssize_t count) {
    if (count == 1) return number_of(args[0]);
    Operand x;
    npy_intp place[MOST_AXES];
    if (count > MOST_AXES || integers(args + 1, count - 1, place) != count - 1) return NULL;
    if (PyTuple_CheckExact(args[1]) || !is_buffer(args[0]) || !operand_of(args[0], &x)) return NULL;
    PyObject *found = NULL;
    int fits = x.array && x.ndim == count - 1 && quick_limit() > 0;
    const char *at = x.data;
    for (int axis = 0; fits && axis < x.ndim; axis++) {
        npy_intp index = place[axis] < 0 ? place[axis] + x.dims[axis] : place[axis];
        fits = index >= 0 && index < x.dims[axis];
        at += index * x.strides[axis];
    }
    if (fits) found = number_from(at, x.dtype);
    release(&x);
    return found;
}

static int as_bool(PyObject *self) {
    Node *node = is_buffer(self) ? node_of(self) : NULL;
    if (node && is_number(node) && node->has_raw && node->dtype == (PyObject *)descriptors[BOOL])
        return node->raw[0] != 0;
    PyObject *number = number_of(self);
    if (!number && PyErr_Occurred()) return -1;
    if (!number) number = PyObject_CallFunctionObjArgs(twins[M_BOOL], self, NULL);
    if (!number) return -1;
    int truth = PyObject_IsTrue(number);
    Py_DECREF(number);
    return truth;
}

/* A number of Python's type: by its own conversion, or by the twin's. */
static PyObject *as_python(PyObject *self, int which) {
    PyObject *number = number_of(self);
    if (!number && PyErr_Occurred()) return NULL;
    if (number && PyBool_Check(number)) Py_CLEAR(number);
    if (number && which == M_FLOAT && PyLong_Check(number)) {
        PyObject *made = PyNumber_Float(number);
        Py_DECREF(number);
        return made;
    }
    if (number && which == M_INT && PyFloat_Check(number)) Py_CLEAR(number);
    if (number && which == M_INDEX && !PyLong_Check(number)) Py_CLEAR(number);
    return number ? number : PyObject_CallFunctionObjArgs(twins[which], self, NULL);
}

static PyObject *as_int(PyObject *self) { return as_python(self, M_INT); }
static PyObject *as_float(PyObject *self) { return as_python(self, M_FLOAT); }
static PyObject *as_index(PyObject *self) { return as_python(self, M_INDEX); }

/* ---------------------------------------------------------------------------- shape and length */

/* The shape of a buffer; NULL: ask the twin. */
PyObject *shape_quickly(PyObject *self) {
    Node *node = is_buffer(self) ? node_of(self) : NULL;
    return node && holds_array(node) ? Py_XNewRef(node->shape) : NULL;
}

static Py_ssize_t length(PyObject *self) {
    Node *node = is_buffer(self) ? node_of(self) : NULL;
    PyObject *shape = node && holds_array(node) ? node->shape : NULL;
    if (shape && PyTuple_Size(shape) > 0) return PyLong_AsSsize_t(PyTuple_GetItem(shape, 0));
    PyObject *twin = PyObject_CallFunctionObjArgs(twins[M_LEN], self, NULL);
    if (!twin) return -1;
    Py_ssize_t found = PyLong_AsSsize_t(twin);
    Py_DECREF(twin);
    return found;
}

/* ----------------------------------------------------------------------------------- iteration */

typedef struct {
    PyObject_HEAD
    PyObject *buffer;
    Py_ssize_t next, end;
} Parts;
static PyTypeObject *parts_type;

static PyObject *parts_next(PyObject *self) {
    Parts *parts = (Parts *)self;
    if (parts->next >= parts->end) return NULL;
    PyObject *key = PyLong_FromSsize_t(parts->next);
    if (!key) return NULL;
    PyObject *part = get_item(parts->buffer, key);
    Py_DECREF(key);
    if (part) parts->next++;
    return part;
}

static int parts_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Parts *)self)->buffer);
    return 0;
}

static void parts_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((Parts *)self)->buffer);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyType_Slot parts_slots[] = {
    {Py_tp_doc, "The parts of a buffer along its first axis."},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, parts_next},
    {Py_tp_traverse, parts_traverse},
    {Py_tp_dealloc, parts_dealloc},
    {0, NULL},
};
static PyType_Spec parts_spec = {"onebuf._native.Parts", sizeof(Parts), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, parts_slots};

static PyObject *iterate(PyObject *self) {
    PyArrayObject *array = array_of(self);
    if (!array) return PyObject_CallFunctionObjArgs(twins[M_ITER], self, NULL);
    Py_ssize_t end = PyArray_DIM(array, 0);
    Parts *parts = PyObject_GC_New(Parts, parts_type);
    if (!parts) return NULL;
    parts->buffer = Py_NewRef(self);
    parts->next = 0;
    parts->end = end;
    PyObject_GC_Track((PyObject *)parts);
    return (PyObject *)parts;
}

/* --------------------------------------------------------------------------------------- table */

PyType_Slot method_slots[] = {
    {Py_nb_bool, as_bool},
    {Py_nb_int, as_int}, {Py_nb_float, as_float}, {Py_nb_index, as_index},
    {Py_mp_length, length}, {Py_sq_length, length}, {Py_tp_iter, iterate}, {0, NULL},
};

static PyMethodDef module_methods[] = {
    {"set_slot", set_slot, METH_VARARGS, NULL},
    {NULL},
};

int methods_init(PyObject *module) {
    parts_type = (PyTypeObject *)PyType_FromSpec(&parts_spec);
    if (!parts_type) return -1;
    return PyModule_AddFunctions(module, module_methods);
}
