/* Small new buffers: zeros, ones, ranges, lists of numbers. */
#include "core.h"

static PyObject *dtype_spelled, *default_float; /* of Python: any spelling of a dtype; the option */
static PyObject *spellings;                /* dtypes by the types that stand for them */

/* set_creation(dtype_spelled, default_float) */
PyObject *set_creation(PyObject *module, PyObject *args) {
    if (!PyArg_ParseTuple(args, "OO", &dtype_spelled, &default_float)) return NULL;
    Py_INCREF(dtype_spelled);
    Py_INCREF(default_float);
    spellings = PyDict_New();
    if (!spellings) return NULL;
    Py_RETURN_NONE;
}

/* The number of a dtype by any spelling; -1: one that the core does not know, or an exception. */
int dtype_of(PyObject *given) {
    if (PyArray_DescrCheck(given)) return index_of_descr((PyArray_Descr *)given);
    if (!PyType_Check(given) && !PyUnicode_CheckExact(given)) return -1;
    PyObject *known = PyDict_GetItemWithError(spellings, given);
    if (!known) {
        if (PyErr_Occurred()) return -1;
        PyObject *found = PyObject_CallFunctionObjArgs(dtype_spelled, given, NULL);
        if (!found) return -1;
        int stored = PyDict_SetItem(spellings, given, found);
        Py_DECREF(found);
        if (stored < 0) return -1;
        known = found; /* the dict holds it */
    }
    return PyArray_DescrCheck(known) ? index_of_descr((PyArray_Descr *)known) : -1;
}

/* The dtype that Python's floats have here. */
int usual_float(void) {
    if (!has_contexts()) return FLOAT64;
    PyObject *found = PyObject_CallNoArgs(default_float);
    if (!found) return -1;
    int dtype = index_of_descr((PyArray_Descr *)found);
    Py_DECREF(found);
    return dtype;
}

/* Extents from an integer or a tuple of them; -1: something else. */
static int extents(PyObject *given, npy_intp *dims, npy_intp *size) {
    PyObject *one[1] = {given};
    int ndim = integers(one, 1, dims);
    *size = 1;
    for (int axis = 0; axis < ndim; axis++) {
        if (dims[axis] < 0 || dims[axis] > (1 << 20)) return -1;
        *size *= dims[axis];
    }
    return ndim;
}

static Node *room(int ndim, const npy_intp *dims, npy_intp size, int dtype) {
    if (ndim < 1 || dtype < 0 || halted || size > quick_limit() || !home_is_host()) return NULL;
    return new_fresh(ndim, dims, size, dtype, NULL);
}

static void fill(Node *node, npy_intp size, int dtype, int value) {
    char *at = PyArray_BYTES((PyArrayObject *)node->array), raw[8];
    if (value < 0) return; /* any elements will do */
    if (!value) {
        memset(at, 0, size * item_sizes[dtype]);
        return;
    }
    scalar_bytes(Py_True, PY_BOOL, dtype, raw);
    if (dtype == FLOAT16) memcpy(raw, "\x00\x3c", 2);
    for (npy_intp n = 0; n < size; n++) memcpy(at + n * item_sizes[dtype], raw, item_sizes[dtype]);
}

/* filled(shape, dtype=...) with 0 or 1, or with anything (-1) */
PyObject *filled(PyObject *const *args, Py_ssize_t count, PyObject *keywords, int value) {
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    if (count < 1 || count + more > 2) return NULL;
    if (more && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "dtype")) return NULL;
    npy_intp dims[MOST_AXES], size;
    int ndim = extents(args[0], dims, &size);
    if (ndim < 1) return NULL;
    int dtype = count + more == 2 && args[1] != Py_None ? dtype_of(args[1]) : usual_float();
    Node *node = room(ndim, dims, size, dtype);
    if (!node) return NULL;
    fill(node, size, dtype, value);
    return new_buffer(node, Py_None);
}

/* full(shape, value, dtype=...) of one of Python's numbers */
PyObject *full_of(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    if (count < 2 || count + more > 3) return NULL;
    if (more && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "dtype")) return NULL;
    npy_intp dims[MOST_AXES], size;
    int ndim = extents(args[0], dims, &size), kind = scalar_kind(args[1]), dtype;
    char raw[8];
    if (ndim < 1 || kind < 0) return NULL;
    if (count + more == 3 && args[2] != Py_None) dtype = dtype_of(args[2]);
    else dtype = kind == PY_FLOAT ? usual_float() : kind == PY_INT ? INT64 : BOOL;
    if (dtype < 0 || !scalar_bytes(args[1], kind, dtype, raw)) return NULL;
    Node *node = room(ndim, dims, size, dtype);
    if (!node) return NULL;
    char *at = PyArray_BYTES((PyArrayObject *)node->array);
    for (npy_intp n = 0; n < size; n++) memcpy(at + n * item_sizes[dtype], raw, item_sizes[dtype]);
    return new_buffer(node, Py_None);
}

/* The same for the shape and the dtype of another buffer. */
PyObject *filled_like(PyObject *const *args, Py_ssize_t count, PyObject *keywords, int value) {
    Operand like;
    if (count != 1 || keywords || !is_buffer(args[0]) || !operand_of(args[0], &like)) return NULL;
    Node *node = NULL;
    if (like.array && like.contiguous) node = room(like.ndim, like.dims, like.size, like.dtype);
    if (node) fill(node, like.size, like.dtype, value);
    release(&like);
    return node ? new_buffer(node, Py_None) : NULL;
}

/* The doubles from `start` to before `stop`, as NumPy counts them. */
static PyObject *counted_in_doubles(const double *bounds) {
    if (usual_float() != FLOAT64 || !quick_limit() || !home_is_host()) return NULL;
    double count = (bounds[1] - bounds[0]) / bounds[2];
    if (!(count > 0 && count < (double)quick_limit())) return NULL;
    PyObject *found = PyArray_Arange(bounds[0], bounds[1], bounds[2], NPY_DOUBLE);
    return found ? buffer_of_new(found) : NULL;
}

/* arange(stop) or arange(start, stop, step) of numbers of Python's */
PyObject *counted(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    npy_int64 whole[3] = {0, 0, 1};
    double real[3] = {0.0, 0.0, 1.0};
    int is_real = 0;
    if (keywords || count < 1 || count > 3 || halted) return NULL;
    for (Py_ssize_t n = 0; n < count; n++) {
        Py_ssize_t at = count == 1 ? 1 : n;
        int kind = scalar_kind(args[n]);
        if (kind != PY_INT && kind != PY_FLOAT) return NULL;
        if (!scalar_bytes(args[n], kind, FLOAT64, (char *)&real[at])) return NULL;
        if (kind == PY_FLOAT) is_real = 1;
        else if (!scalar_bytes(args[n], kind, INT64, (char *)&whole[at])) return NULL;
    }
    if (is_real) return counted_in_doubles(real);
    npy_int64 step = whole[2], reach = whole[1] - whole[0];
    if (!step) return NULL;
    npy_intp size = step > 0 ? (reach + step - 1) / step : (-reach - step - 1) / -step;
    if (size < 0 || (reach > 0) != (step > 0)) size = 0;
    Node *node = room(1, &size, size, INT64);
    if (!node) return NULL;
    npy_int64 *at = (npy_int64 *)PyArray_BYTES((PyArrayObject *)node->array);
    for (npy_intp n = 0; n < size; n++) at[n] = whole[0] + n * step;
    return new_buffer(node, Py_None);
}

/* eye(N) */
PyObject *identity(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    npy_intp dims[MOST_AXES];
    if (keywords || count != 1 || integers(args, 1, dims) != 1 || dims[0] < 0 || dims[0] > 1 << 15)
        return NULL;
    if (PyTuple_CheckExact(args[0])) return NULL;
    dims[1] = dims[0];
    Node *node = usual_float() == FLOAT64 ? room(2, dims, dims[0] * dims[0], FLOAT64) : NULL;
    if (!node) return NULL;
    double *at = (double *)PyArray_BYTES((PyArrayObject *)node->array);
    memset(at, 0, 8 * dims[0] * dims[0]);
    for (npy_intp n = 0; n < dims[0]; n++) at[n * (dims[0] + 1)] = 1.0;
    return new_buffer(node, Py_None);
}

/* The number that an entry of a list is, as a double or an integer: FLOAT64, INT64, or -1. */
static int entry(PyObject *x, double *real, npy_int64 *whole) {
    char raw[8];
    int dtype = -1;
    if (is_buffer(x)) {
        Node *node = node_of(x);
        if (!node || !is_number(node) || !node->dtype) return -1;
        dtype = index_of_descr((PyArray_Descr *)node->dtype);
        if ((dtype != FLOAT64 && dtype != INT64) || !number_raw(node, dtype, raw)) return -1;
    } else {
        int kind = scalar_kind(x);
        dtype = kind == PY_FLOAT ? FLOAT64 : kind == PY_INT ? INT64 : -1;
        if (dtype < 0 || !scalar_bytes(x, kind, dtype, raw)) return -1;
    }
    if (dtype == FLOAT64) memcpy(real, raw, 8);
    else memcpy(whole, raw, 8);
    return dtype;
}

/* A copy of an array of NumPy's. */
static PyObject *copied_array(PyArrayObject *array) {
    int dtype = index_of_descr(PyArray_DESCR(array)), flags = PyArray_FLAGS(array);
    int ndim = PyArray_NDIM(array);
    if (dtype < 0 || ndim > MOST_AXES || !(flags & NPY_ARRAY_C_CONTIGUOUS)) return NULL;
    npy_intp size = PyArray_SIZE(array);
    Node *node = size ? room(ndim, PyArray_DIMS(array), size, dtype) : NULL;
    if (!node) return NULL;
    memcpy(PyArray_BYTES((PyArrayObject *)node->array), PyArray_BYTES(array), size * item_sizes[dtype]);
    return new_buffer(node, Py_None);
}

#define MOST_ENTRIES 256

/* array(list) of numbers, or of lists of numbers that are equally long: float64 or int64 */
PyObject *listed(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    if (count != 1 || keywords) return NULL;
    if (is_buffer(args[0])) return copied(args[0]);
    if (PyArray_CheckExact(args[0])) return copied_array((PyArrayObject *)args[0]);
    if (!PyList_CheckExact(args[0])) return NULL;
    double reals[MOST_ENTRIES];
    npy_int64 wholes[MOST_ENTRIES];
    signed char dtypes[MOST_ENTRIES];
    npy_intp dims[2] = {PyList_Size(args[0]), 1}, size = 0, floats = 0;
    if (!dims[0]) return NULL;
    int ndim = PyList_CheckExact(PyList_GetItem(args[0], 0)) ? 2 : 1;
    if (ndim == 2) dims[1] = PyList_Size(PyList_GetItem(args[0], 0));
    if (!dims[1] || dims[0] > MOST_ENTRIES || dims[1] > MOST_ENTRIES || dims[0] * dims[1] > MOST_ENTRIES)
        return NULL;
    for (npy_intp row = 0; row < dims[0]; row++) {
        PyObject *entries = ndim == 2 ? PyList_GetItem(args[0], row) : args[0];
        if (ndim == 2 && (!PyList_CheckExact(entries) || PyList_Size(entries) != dims[1])) return NULL;
        for (npy_intp column = 0; column < dims[1]; column++, size++) {
            PyObject *x = PyList_GetItem(entries, ndim == 2 ? column : row);
            dtypes[size] = (signed char)entry(x, &reals[size], &wholes[size]);
            if (dtypes[size] < 0) return NULL;
            floats += dtypes[size] == FLOAT64;
        }
    }
    int dtype = floats ? FLOAT64 : INT64;
    if (usual_float() != FLOAT64) return NULL;
    Node *node = room(ndim, dims, size, dtype);
    if (!node) return NULL;
    char *at = PyArray_BYTES((PyArrayObject *)node->array);
    for (npy_intp n = 0; n < size; n++) {
        if (!floats) ((npy_int64 *)at)[n] = wholes[n];
        else ((double *)at)[n] = dtypes[n] == FLOAT64 ? reals[n] : (double)wholes[n];
    }
    return new_buffer(node, Py_None);
}
