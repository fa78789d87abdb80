/* Elements and views by basic keys: integers, slices, new axes, an ellipsis. */
#include "core.h"

PyObject *getitem_twin, *setitem_twin, *delitem_twin;

/* Whether a key gives a view or an element: what NumPy calls basic. */
static int is_basic_part(PyObject *key) {
    PyTypeObject *type = Py_TYPE(key);
    return type == &PyLong_Type || type == &PySlice_Type || key == Py_None || key == Py_Ellipsis;
}

static int is_basic(PyObject *key) {
    if (!PyTuple_CheckExact(key)) return is_basic_part(key);
    for (Py_ssize_t n = PyTuple_Size(key) - 1; n >= 0; n--)
        if (!is_basic_part(PyTuple_GetItem(key, n))) return 0;
    return 1;
}

/* A number of an integer dtype, for use in a key; NULL: `part` is none, or an exception. */
static PyObject *integer_of(PyObject *part) {
    Node *node = is_buffer(part) ? node_of(part) : NULL;
    if (!node || !is_number(node) || !node->dtype) return NULL;
    int dtype = index_of_descr((PyArray_Descr *)node->dtype);
    return dtype > BOOL && dtype < FLOAT16 ? number_of(part) : NULL;
}

/* `key`, with integers of Python's in the place of buffers that are one; NULL: an exception. */
static PyObject *plain_key(PyObject *key) {
    if (!PyTuple_CheckExact(key)) {
        PyObject *number = integer_of(key);
        return number || PyErr_Occurred() ? number : Py_NewRef(key);
    }
    Py_ssize_t count = PyTuple_Size(key), at = 0;
    while (at < count && !is_buffer(PyTuple_GetItem(key, at))) at++;
    if (at == count) return Py_NewRef(key);
    PyObject *plain = PyTuple_New(count);
    for (at = 0; plain && at < count; at++) {
        PyObject *part = PyTuple_GetItem(key, at), *number = integer_of(part);
        if (!number && PyErr_Occurred()) Py_CLEAR(plain);
        else PyTuple_SetItem(plain, at, number ? number : Py_NewRef(part));
    }
    return plain;
}

/* The integer that a part of a key is: of Python's, or a buffer that is one; 0: neither. */
static int whole_of(PyObject *part, npy_intp *n) {
    if (PyLong_CheckExact(part)) {
        int overflow;
        *n = (npy_intp)PyLong_AsLongLongAndOverflow(part, &overflow);
        return !overflow;
    }
    Node *node = is_buffer(part) ? node_of(part) : NULL;
    npy_int64 whole;
    if (!node || !is_number(node) || node->dtype != (PyObject *)descriptors[INT64]) return 0;
    if (!number_raw(node, INT64, (char *)&whole)) return 0;
    *n = (npy_intp)whole;
    return 1;
}

/* Where the one element is that `key` names; NULL: it names none, or none that is there. */
static char *place_of(PyArrayObject *array, PyObject *key) {
    int ndim = PyArray_NDIM(array), is_tuple = PyTuple_CheckExact(key);
    char *at = PyArray_BYTES(array);
    if (!is_tuple ? ndim != 1 : PyTuple_Size(key) != ndim) return NULL;
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    for (int axis = 0; axis < ndim; axis++) {
        npy_intp n;
        if (!whole_of(is_tuple ? PyTuple_GetItem(key, axis) : key, &n)) return NULL;
        if (n < 0) n += dims[axis];
        if (n < 0 || n >= dims[axis]) return NULL;
        at += n * strides[axis];
    }
    return ndim ? at : NULL;
}

static PyArrayObject *array_of(Node *node) {
    PyObject *array = node && holds_array(node) ? node->array : NULL;
    return array && PyArray_CheckExact(array) ? (PyArrayObject *)array : NULL;
}

/* A buffer on an array that shares the memory of `self`, whose reference it takes. */
PyObject *view_of_array(PyObject *self, PyObject *part) {
    Node *node = (Node *)Py_NewRef((PyObject *)node_of(self));
    Node *leaf = new_part(node, part);
    Py_DECREF((PyObject *)node);
    if (!leaf) return NULL;
    PyObject *base = ((Handle *)self)->base;
    return new_buffer(leaf, base == Py_None || base == classes.place ? self : base);
}

/* The element that a key names; NULL: it names none, or an exception. */
static PyObject *element_of(PyArrayObject *array, PyObject *key) {
    int dtype = index_of_descr(PyArray_DESCR(array));
    char *place = dtype < 0 ? NULL : place_of(array, key), raw[8];
    if (!place) return NULL;
    memcpy(raw, place, item_sizes[dtype]);
    return new_number(classes.element, raw, dtype);
}

/* The part of a stored buffer that a basic key names; NULL: ask the twin. */
static PyObject *part_of(PyObject *self, PyArrayObject *array, PyObject *key) {
    PyObject *element = element_of(array, key);
    if (element || PyErr_Occurred()) return element;
    if (!PyArray_NDIM(array)) return NULL;
    if (!is_basic(key)) return picked(array, key);
    Py_INCREF((PyObject *)array);
    PyObject *part = PyObject_GetItem((PyObject *)array, key);
    Py_DECREF((PyObject *)array);
    if (!part) return NULL;
    if (!PyArray_CheckExact(part)) {
        Py_DECREF(part);
        return NULL;
    }
    return view_of_array(self, part);
}

static PyObject *get_item_quickly(PyObject *self, PyObject *key) {
    Node *node = node_of(self);
    PyArrayObject *array = array_of(node);
    if (!array || (PyObject *)PyArray_DESCR(array) != node->dtype) return NULL;
    PyObject *found = element_of(array, key);
    if (found || PyErr_Occurred()) return found;
    PyObject *plain = plain_key(key);
    found = plain ? part_of(self, array, plain) : NULL;
    Py_XDECREF(plain);
    return found;
}

PyObject *get_item(PyObject *self, PyObject *key) {
    if (is_buffer(self)) {
        PyObject *found = get_item_quickly(self, key);
        if (found) return found;
        forget_error();
        if (PyErr_Occurred()) return NULL;
    }
    return PyObject_CallFunctionObjArgs(getitem_twin, self, key, NULL);
}

/* ------------------------------------------------------------------------------------ writing */

/* Whether two arrays are the same elements. */
static int is_same(PyArrayObject *x, PyArrayObject *y) {
    int ndim = PyArray_NDIM(x);
    if (PyArray_BYTES(x) != PyArray_BYTES(y) || ndim != PyArray_NDIM(y)) return 0;
    for (int axis = 0; axis < ndim; axis++)
        if (PyArray_DIM(x, axis) != PyArray_DIM(y, axis) ||
            PyArray_STRIDE(x, axis) != PyArray_STRIDE(y, axis))
            return 0;
    return 1;
}

/* Whether memory that `value` lies on is known to be apart from that of `node`. */
int is_apart(Node *node, Node *value) {
    PyTypeObject *type = TYPE(value);
    if (node == value) return 0;
    if ((type == classes.fresh || type == classes.loose) &&
        (!value->own_block || value->own_block == Py_None) && !value->parts)
        return 1;
    PyArrayObject *x = (PyArrayObject *)node->array, *y = (PyArrayObject *)value->array;
    npy_intp bounds[2][2];
    for (int n = 0; n < 2; n++) {
        PyArrayObject *array = n ? y : x;
        bounds[n][0] = bounds[n][1] = (npy_intp)PyArray_BYTES(array);
        for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
            npy_intp reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis);
            bounds[n][reach < 0 ? 0 : 1] += reach;
        }
        bounds[n][1] += PyArray_ITEMSIZE(array);
    }
    return bounds[0][1] <= bounds[1][0] || bounds[1][1] <= bounds[0][0];
}

/* Write a number of `value`'s to one place; 0: ask the twin. */
static int write_number(char *place, int dtype, PyObject *value) {
    char raw[8];
    if (is_buffer(value)) {
        Node *node = node_of(value);
        if (!node || !is_number(node) || node->dtype != (PyObject *)descriptors[dtype]) return 0;
        if (!number_raw(node, dtype, raw)) return 0;
    } else {
        int kind = scalar_kind(value);
        if (kind < 0 || !scalar_bytes(value, kind, dtype, raw)) return 0;
        if (kind == PY_FLOAT && dtype == FLOAT32) { /* an overflow is the twin's to tell */
            double given = PyFloat_AsDouble(value);
            if (given > 3.4e38 || given < -3.4e38) return 0;
        }
    }
    memcpy(place, raw, item_sizes[dtype]);
    return 1;
}

/* 1: written, 0: ask the twin (an exception may be set). */
static int put(PyObject *self, PyObject *key, PyObject *value) {
    Node *node = node_of(self);
    PyArrayObject *array = array_of(node);
    if (!array || !PyArray_NDIM(array) || (PyObject *)PyArray_DESCR(array) != node->dtype) return 0;
    int dtype = index_of_descr(PyArray_DESCR(array));
    if (dtype < 0 || quick_limit() <= 0) return 0;
    if ((PyArray_FLAGS(array) & NPY_ARRAY_CARRAY) != NPY_ARRAY_CARRAY) return 0;
    char *place = place_of(array, key);
    if (place) {
        if (has_readers(node)) return 0;
        /* Code may have run that was asked for readers; the place is the same as long as the node. */
        return node_of(self) == node && write_number(place, dtype, value);
    }
    if (!is_basic(key)) return put_picked(node, array, dtype, key, value);
    int kind = scalar_kind(value);
    if (kind >= 0) {
        char raw[8];
        if (dtype != FLOAT64 && !(dtype == INT64 && kind != PY_FLOAT)) return 0;
        if (!scalar_bytes(value, kind, dtype, raw)) return 0;
        if (has_readers(node)) return 0;
        return PyObject_SetItem((PyObject *)array, key, value) == 0;
    }
    if (!is_buffer(value)) return 0;
    Node *other = node_of(value);
    PyArrayObject *given = array_of(other);
    if (!given || other->dtype != node->dtype || PyArray_DESCR(given) != PyArray_DESCR(array)) return 0;
    if (!is_apart(node, other)) {
        PyObject *named = PyObject_GetItem((PyObject *)array, key);
        if (!named) return 0;
        int same = PyArray_CheckExact(named) && is_same((PyArrayObject *)named, given);
        Py_DECREF(named);
        return same; /* what `x[a:b] += y` ends with */
    }
    if (has_readers(node)) return 0;
    return PyObject_SetItem((PyObject *)array, key, (PyObject *)given) == 0;
}

int set_item(PyObject *self, PyObject *key, PyObject *value) {
    if (!value) {
        PyObject *done = PyObject_CallFunctionObjArgs(delitem_twin, self, key, NULL);
        Py_XDECREF(done);
        return done ? 0 : -1;
    }
    if (is_buffer(self) && node_of(self)) {
        PyObject *node = Py_NewRef((PyObject *)node_of(self));
        PyObject *array = holds_array((Node *)node) ? Py_XNewRef(((Node *)node)->array) : NULL;
        PyObject *other = is_buffer(value) ? Py_XNewRef((PyObject *)node_of(value)) : NULL;
        PyObject *plain = plain_key(key);
        int done = plain ? put(self, plain, value) : 0;
        Py_XDECREF(plain);
        Py_DECREF((PyObject *)node);
        Py_XDECREF(array);
        Py_XDECREF(other);
        if (done) return 0;
        forget_error();
        if (PyErr_Occurred()) return -1;
    }
    PyObject *done = PyObject_CallFunctionObjArgs(setitem_twin, self, key, value, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}
