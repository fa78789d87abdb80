/* What methods of buffers do: reductions, views, conversions to numbers. */
#include "core.h"

/* Reductions, and then the slots whose twins Python has to give. */
enum { M_SUM, M_PROD, M_MAX, M_MIN, M_ALL, M_ANY, M_ARGMAX, M_ARGMIN, M_MEAN,
       M_BOOL, M_INT, M_FLOAT, M_INDEX, M_LEN, M_ITER, NAMES };
static const char *names[NAMES] = {
    "sum", "prod", "max", "min", "all", "any", "argmax", "argmin", "mean",
    "__bool__", "__int__", "__float__", "__index__", "__len__", "__iter__"};
static PyObject *twins[NAMES];

/* set_slot(name, twin) */
static PyObject *set_slot(PyObject *module, PyObject *args) {
    const char *name;
    PyObject *twin;
    if (!PyArg_ParseTuple(args, "sO", &name, &twin)) return NULL;
    for (int at = M_BOOL; at < NAMES; at++) {
        if (strcmp(name, names[at])) continue;
        twins[at] = Py_NewRef(twin);
        Py_RETURN_NONE;
    }
    PyErr_SetString(PyExc_KeyError, name);
    return NULL;
}

/* ---------------------------------------------------------------------------------- reductions */

enum { WHOLE, ROWS, SHORT_ROWS, COLUMNS, FORMS };
#define REDUCTIONS 6 /* M_SUM to M_ANY */
#define OFTEN 100    /* so often the twin reduces before a kernel is asked for */
static PyObject *resolve_reduction;
static npy_intp short_extent;
static Loop folds[REDUCTIONS][DTYPES][FORMS];
static int asked[REDUCTIONS][DTYPES][FORMS];

/* set_reductions(resolve, short_extent): resolve(name, dtype, form) says how. */
static PyObject *set_reductions(PyObject *module, PyObject *args) {
    PyObject *resolve;
    if (!PyArg_ParseTuple(args, "On", &resolve, &short_extent)) return NULL;
    resolve_reduction = Py_NewRef(resolve);
    Py_RETURN_NONE;
}

static Loop *fold_for(int which, int dtype, int form) {
    Loop *loop = &folds[which][dtype][form];
    if (loop->state == UNKNOWN) {
        int is_float = dtype >= FLOAT16 && which <= M_PROD;
        if (is_float && asked[which][dtype][form]++ < OFTEN) return NULL;
        PyObject *how = PyObject_CallFunction(resolve_reduction, "sOi", names[which],
                                              descriptors[dtype], form);
        if (!how) return NULL;
        if (loop->state == UNKNOWN)
            fill_loop(loop, how, PyTuple_Check(how) && PyLong_Check(PyTuple_GetItem(how, 0)) ? 1 : 2);
        Py_DECREF(how);
    }
    return loop->state == TWIN ? NULL : loop;
}

#define ALL_AXES -100

/* Reduce all elements, or an axis of a matrix; NULL: ask the twin. */
static PyObject *reduced(int which, Operand *x, int axis) {
    npy_intp limit = quick_limit();
    if (x->scalar || !x->array || !x->ndim || !x->contiguous || !x->size || x->size > limit)
        return NULL;
    npy_intp rows = 1, extent = x->size, item = item_sizes[x->dtype];
    int form = WHOLE;
    if (axis != ALL_AXES && x->ndim > 1) {
        if (x->ndim != 2 || axis < -2 || axis > 1) return NULL;
        int last = axis == 1 || axis == -1;
        rows = x->dims[last ? 0 : 1];
        extent = x->dims[last ? 1 : 0];
        if (rows == 1) return NULL;
        form = !last ? COLUMNS : extent < short_extent ? SHORT_ROWS : ROWS;
    } else if (axis != ALL_AXES && axis != 0 && axis != -1) {
        return NULL;
    }
    Loop *loop = fold_for(which, x->dtype, form);
    if (!loop) return NULL;
    char raw[8], *out = raw, *data = x->data;
    Node *node = NULL;
    if (form != WHOLE) {
        node = new_fresh(1, &rows, rows, loop->out, NULL);
        if (!node) return NULL;
        out = PyArray_BYTES((PyArrayObject *)node->array);
    }
    if (loop->state == KERNEL) {
        npy_intp whole[5] = {(npy_intp)data, (npy_intp)out, extent, 1, 0};
        npy_intp by_row[8] = {(npy_intp)data, (npy_intp)out, rows, extent, extent, 1, 1, 0};
        npy_intp by_column[8] = {(npy_intp)data, (npy_intp)out, rows, extent, 1, rows, 1, 0};
        if (form == WHOLE) loop->kernel(whole, 0, extent);
        else loop->kernel(form == COLUMNS ? by_column : by_row, 0, rows);
    } else {
        if (x->dtype != loop->in[0]) {
            if (x->size > MOST_CONVERTED ||
                !convert(x->dtype, data, item, loop->in[0], (char *)converted[0], x->size)) {
                Py_XDECREF((PyObject *)node);
                return NULL;
            }
            data = (char *)converted[0];
            item = item_sizes[(int)loop->in[0]];
        }
        npy_intp count = form == COLUMNS ? 1 : rows, rest = extent - 1;
        if (form == COLUMNS) {
            memcpy(out, data, rows * item);
            npy_intp steps[3] = {item, item, item};
            for (npy_intp row = 1; row < extent; row++) {
                char *at[3] = {out, data + row * rows * item, out};
                loop->function(at, &rows, steps, loop->data);
            }
        } else {
            npy_intp steps[3] = {0, item, 0};
            for (npy_intp row = 0; row < count; row++) {
                char *start = data + row * extent * item, *to = out + row * item;
                memcpy(to, start, item);
                char *at[3] = {to, start + item, to};
                if (rest) loop->function(at, &rest, steps, loop->data);
            }
        }
    }
    return node ? new_buffer(node, Py_None) : new_number(classes.number, raw, loop->out);
}

/* The position of an extreme: of all elements, or along an axis of a matrix. */
static PyObject *position(int which, Operand *x, int axis) {
    npy_intp limit = quick_limit();
    if (x->scalar || !x->array || !x->ndim || !x->size || x->size > limit) return NULL;
    if (x->ndim == 1) axis = axis == 0 || axis == -1 ? ALL_AXES : axis;
    if (axis != ALL_AXES && (x->ndim != 2 || axis < -2 || axis > 1)) return NULL;
    PyObject *(*find)(PyArrayObject *, int, PyArrayObject *) =
        which == M_ARGMAX ? (void *)PyArray_ArgMax : (void *)PyArray_ArgMin;
    int along = axis == ALL_AXES ? NPY_RAVEL_AXIS : axis < 0 ? axis + 2 : axis;
    PyObject *found = find(x->array, along, NULL);
    if (!found) return NULL;
    PyObject *array = PyArray_FROM_OF(found, NPY_ARRAY_CARRAY_RO);
    Py_DECREF(found);
    if (!array) return NULL;
    PyArrayObject *at = (PyArrayObject *)array;
    PyObject *result = NULL;
    if (index_of_descr(PyArray_DESCR(at)) == INT64) {
        if (!PyArray_NDIM(at)) {
            result = new_number(classes.number, PyArray_BYTES(at), INT64);
        } else {
            npy_intp size = PyArray_SIZE(at);
            Node *node = new_fresh(PyArray_NDIM(at), PyArray_DIMS(at), size, INT64, NULL);
            if (node) {
                memcpy(PyArray_BYTES((PyArrayObject *)node->array), PyArray_BYTES(at), 8 * size);
                result = new_buffer(node, Py_None);
            }
        }
    }
    Py_DECREF((PyObject *)array);
    return result;
}

/* The mean of doubles. */
static PyObject *mean(Operand *x, int axis) {
    if (x->scalar || x->dtype != FLOAT64 || !x->ndim) return NULL;
    PyObject *total = reduced(M_SUM, x, axis);
    if (!total) return NULL;
    Node *node = node_of(total);
    if (is_number(node)) {
        *(double *)node->raw /= (double)x->size;
        return total;
    }
    PyArrayObject *sums = (PyArrayObject *)node->array;
    npy_intp count = PyArray_SIZE(sums);
    double *values = (double *)PyArray_BYTES(sums), divisor = (double)(x->size / count);
    for (npy_intp n = 0; n < count; n++) values[n] /= divisor;
    return total;
}

/* The axis that a reduction was given, as its only argument; 0: ask the twin. */
static int axis_of(PyObject *const *args, Py_ssize_t count, PyObject *keywords, int *axis) {
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    if (count + more > 1) return 0;
    *axis = ALL_AXES;
    if (count + more == 0) return 1;
    if (more && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "axis")) return 0;
    if (args[0] == Py_None) return 1;
    if (!PyLong_CheckExact(args[0])) return 0;
    int overflow;
    long given = PyLong_AsLongAndOverflow(args[0], &overflow);
    if (overflow || given < -2 || given > 1) return 0;
    *axis = (int)given;
    return 1;
}

/* A reduction by its place in the table of names; NULL without an exception: ask the twin. */
PyObject *reduce_quickly(int which, PyObject *x, PyObject *const *args, Py_ssize_t count,
                         PyObject *keywords) {
    int axis;
    Operand operand;
    if (!axis_of(args, count, keywords, &axis) || !is_buffer(x) || !operand_of(x, &operand))
        return NULL;
    PyObject *result = which == M_MEAN        ? mean(&operand, axis)
                       : which >= M_ARGMAX ? position(which, &operand, axis)
                                           : reduced(which, &operand, axis);
    release(&operand);
    if (!result) forget_error();
    return result;
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

/* The number that a buffer is; NULL: it is none, or an exception. */
PyObject *number_of(PyObject *self) {
    Node *node = is_buffer(self) ? node_of(self) : NULL;
    if (!node || !is_number(node) || !node->dtype) return NULL;
    int dtype = index_of_descr((PyArray_Descr *)node->dtype);
    char raw[8];
    if (dtype < 0 || !number_raw(node, dtype, raw)) return NULL;
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

static int as_bool(PyObject *self) {
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
    {"set_reductions", set_reductions, METH_VARARGS, NULL},
    {NULL},
};

int methods_init(PyObject *module) {
    parts_type = (PyTypeObject *)PyType_FromSpec(&parts_spec);
    if (!parts_type) return -1;
    return PyModule_AddFunctions(module, module_methods);
}

/* The place of a reduction in the table of names; -1: it has none. */
int reduction_named(const char *name) {
    for (int at = 0; at <= M_MEAN; at++)
        if (!strcmp(name, names[at])) return at;
    return -1;
}
