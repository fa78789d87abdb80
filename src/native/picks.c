/* Elements picked by stored arrays of indices or bools, and by lists: read, and written. */
#include "core.h"

#define MOST_PARTS 8

/* A key as NumPy takes it, and the nodes of the buffers in it. */
typedef struct {
    PyObject *key;
    Node *nodes[MOST_PARTS]; /* borrowed from the caller's key */
    int count;
} Key;

/* A part of a key for NumPy; NULL: ask the twin, or an exception. */
static PyObject *part_for_numpy(Key *found, PyObject *part, npy_intp limit) {
    PyTypeObject *type = Py_TYPE(part);
    if (type == &PyLong_Type || type == &PySlice_Type || part == Py_None || part == Py_Ellipsis)
        return Py_NewRef(part);
    if (type == &PyList_Type) return PyList_Size(part) > 0 ? Py_NewRef(part) : NULL;
    Operand operand;
    if (!is_buffer(part) || !operand_of(part, &operand)) return NULL;
    PyObject *array = NULL;
    int is_index = operand.dtype == INT64 || operand.dtype == BOOL;
    if (!operand.array) {
        if (operand.dtype > BOOL && operand.dtype < FLOAT16) array = number_of(part);
    } else if (is_index && operand.ndim && operand.size <= limit && found->count < MOST_PARTS) {
        found->nodes[found->count++] = operand.node;
        array = Py_NewRef((PyObject *)operand.array);
    }
    release(&operand);
    return array;
}

/* Whether `key` picks elements one by one, and what NumPy takes for it. */
static int take_key(Key *found, PyObject *key, npy_intp limit) {
    found->count = 0;
    found->key = NULL;
    if (!PyTuple_CheckExact(key)) {
        if (!PyList_CheckExact(key) && !is_buffer(key)) return 0;
        found->key = part_for_numpy(found, key, limit);
        return found->key != NULL;
    }
    Py_ssize_t count = PyTuple_Size(key);
    found->key = count <= MOST_PARTS ? PyTuple_New(count) : NULL;
    for (Py_ssize_t n = 0; found->key && n < count; n++) {
        PyObject *part = part_for_numpy(found, PyTuple_GetItem(key, n), limit);
        if (part) PyTuple_SetItem(found->key, n, part);
        else Py_CLEAR(found->key);
    }
    return found->key != NULL;
}

/* A new array of elements as a buffer, in order and without gaps; takes it. */
static PyObject *buffer_of_picked(PyObject *found) {
    PyArrayObject *array = (PyArrayObject *)found;
    if (!(PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS)) {
        PyObject *ordered = PyArray_NewCopy(array, NPY_CORDER);
        Py_DECREF(found);
        if (!ordered) return NULL;
        found = ordered;
    }
    return buffer_of_new(found);
}

/* The elements of `array`, which is stored, that a key picks; NULL: ask the twin. */
PyObject *picked(PyArrayObject *array, PyObject *key) {
    Key found;
    npy_intp limit = quick_limit();
    if (limit <= 0 || PyArray_SIZE(array) > limit || !PyArray_NDIM(array) || !take_key(&found, key, limit))
        return NULL;
    PyObject *held = Py_NewRef((PyObject *)array), *part = PyObject_GetItem(held, found.key);
    Py_DECREF(found.key);
    Py_DECREF(held);
    if (!part) return NULL;
    PyArrayObject *elements = (PyArrayObject *)part;
    if (PyArray_CheckExact(part) && PyArray_NDIM(elements) && PyArray_SIZE(elements) &&
        PyArray_SIZE(elements) <= limit && PyArray_FLAGS(elements) & NPY_ARRAY_WRITEABLE &&
        (PyArray_BASE(elements) != (PyObject *)array || found.count))
        return buffer_of_picked(part);
    Py_DECREF(part);
    return NULL;
}

/* A number as NumPy can write it to elements of `dtype` without a warning; NULL: ask the twin. */
static PyObject *number_for(PyObject *value, int dtype) {
    char raw[8];
    if (is_buffer(value)) {
        Node *node = node_of(value);
        if (!node || !is_number(node) || node->dtype != (PyObject *)descriptors[dtype]) return NULL;
        return number_raw(node, dtype, raw) ? PyArray_Scalar(raw, descriptors[dtype], NULL) : NULL;
    }
    int kind = scalar_kind(value);
    if (kind < 0 || !scalar_bytes(value, kind, dtype, raw)) return NULL;
    if (dtype == FLOAT32 && kind == PY_FLOAT) {
        double given = PyFloat_AsDouble(value);
        if (given > 3.4e38 || given < -3.4e38) return NULL;
    }
    return PyArray_Scalar(raw, descriptors[dtype], NULL);
}

/* Write `value` to the elements of a stored node that a key picks: 1: done, 0: ask the twin. */
int put_picked(Node *node, PyArrayObject *array, int dtype, PyObject *key, PyObject *value) {
    Key found;
    npy_intp limit = quick_limit();
    if (PyArray_SIZE(array) > limit || !take_key(&found, key, limit)) return 0;
    PyObject *given = NULL;
    Node *other = is_buffer(value) ? node_of(value) : NULL;
    int done = 0;
    for (int n = 0; n < found.count; n++)
        if (!is_apart(node, found.nodes[n])) goto end;
    if (other && holds_array(other)) {
        if (!other->array || !PyArray_CheckExact(other->array) || other->dtype != node->dtype ||
            !is_apart(node, other))
            goto end;
        given = Py_NewRef(other->array);
    } else {
        given = number_for(value, dtype);
    }
    if (given && !has_readers(node)) done = PyObject_SetItem((PyObject *)array, found.key, given) == 0;
end:
    Py_DECREF(found.key);
    Py_XDECREF(given);
    return done;
}
