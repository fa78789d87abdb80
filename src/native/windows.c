/* Windows: arrays of NumPy's on the memory of buffers, as `onebuf.buffer.exchange.export` makes
 * them. The pin at the base of a window tells its block that others have the memory.
 */
#include "core.h"

static PyObject *pin_name;

int windows_init(void) {
    pin_name = PyUnicode_InternFromString("pin");
    return pin_name ? 0 : -1;
}

/* Whether no two elements of an array share a byte, and it has some: 0 also if that is not seen at
 * a glance. `low` and `high` are the first byte and the end. */
static int is_plain(const Operand *x, char **low, char **high) {
    npy_intp size = x->size * item_sizes[x->dtype];
    *low = x->data;
    *high = x->data + size;
    if (!x->ndim || !size) return 0;
    if (x->contiguous || PyArray_FLAGS(x->array) & NPY_ARRAY_F_CONTIGUOUS) return 1;
    if (x->ndim > 1) return 0;
    npy_intp step = x->strides[0], reach = (x->dims[0] - 1) * step;
    *low = x->data + (reach < 0 ? reach : 0);
    *high = x->data + (reach > 0 ? reach : 0) + item_sizes[x->dtype];
    return step >= item_sizes[x->dtype] || -step >= item_sizes[x->dtype];
}

/* An array on the elements of `x` with `pin` as its base, if they lie on the pin's bytes. */
static PyObject *pinned(const Operand *x, PyArrayObject *pin) {
    char *first = PyArray_BYTES(pin), *low, *high;
    if (!is_plain(x, &low, &high) || low < first || high > first + PyArray_NBYTES(pin)) return NULL;
    if (!PyArray_ISWRITEABLE(pin) || !PyArray_ISWRITEABLE(x->array)) return NULL;
    PyArray_Descr *descr = PyArray_DESCR(x->array);
    Py_INCREF((PyObject *)descr);
    PyObject *window = PyArray_NewFromDescr(&PyArray_Type, descr, x->ndim, x->dims, x->strides,
                                            x->data, NPY_ARRAY_WRITEABLE, NULL);
    if (!window) return NULL;
    Py_INCREF((PyObject *)pin);
    if (PyArray_SetBaseObject((PyArrayObject *)window, (PyObject *)pin) < 0) Py_CLEAR(window);
    return window;
}

/* A number in memory of its own, of which others may do what they like. */
static PyObject *shown_number(Node *node) {
    char raw[8];
    int dtype = node->dtype ? index_of_descr((PyArray_Descr *)node->dtype) : -1;
    if (dtype < 0 || !number_raw(node, dtype, raw)) return NULL;
    PyArray_Descr *descr = (PyArray_Descr *)Py_NewRef((PyObject *)descriptors[dtype]);
    PyObject *array = PyArray_SimpleNewFromDescr(0, NULL, descr);
    if (array) memcpy(PyArray_BYTES((PyArrayObject *)array), raw, item_sizes[dtype]);
    return array;
}

/* A window on a buffer that is stored; NULL: ask the twin */
PyObject *window_of(PyObject *buffer) {
    Operand x;
    if (!is_buffer(buffer)) return NULL;
    Node *node = node_of(buffer);
    if (node && is_number(node) && ((Handle *)buffer)->base == Py_None) return shown_number(node);
    if (!node || !holds_array(node) || !operand_of_node(node, &x)) return NULL;
    PyObject *block = Py_XNewRef(block_of(node)), *pin = NULL, *window = NULL;
    if (block && block != Py_None) pin = PyObject_CallMethodObjArgs(block, pin_name, NULL);
    /* Readers that came before the pin are for the twin; those that come later find it. */
    if (pin && PyArray_Check(pin) && !has_readers(node)) window = pinned(&x, (PyArrayObject *)pin);
    Py_XDECREF(pin);
    Py_XDECREF(block);
    release(&x);
    return window;
}

/* x.__array__(dtype=None, copy=None) */
PyObject *as_array(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t all = count + (keywords ? PyTuple_Size(keywords) : 0);
    for (Py_ssize_t n = 1; n < all; n++)
        if (args[n] != Py_None) return NULL;
    return count > 0 && all <= 3 ? window_of(args[0]) : NULL;
}

/* x.__buffer__(flags): a memoryview of a window, whatever the consumer wants it for */
PyObject *as_memory(PyObject *const *args, Py_ssize_t count) {
    PyObject *window = count == 2 && PyLong_Check(args[1]) ? window_of(args[0]) : NULL;
    if (!window) return NULL;
    PyObject *memory = PyMemoryView_FromObject(window);
    Py_DECREF(window);
    return memory;
}
