/* Shelves: free lists of cells, one for each shape and dtype, and results in memory from them.
 *
 * A cell is the Python tuple (array, chunk, shelf, most) of `onebuf.memory.cells`. A shelf stays
 * once there, so the table of shelves by shape never has to forget one.
 */
#include "core.h"

typedef struct {
    PyObject_HEAD
    PyObject *shape, *dtype;
    int ndim, index;
    npy_intp dims[MOST_AXES];
    Py_ssize_t count, capacity;
    PyObject **cells;
} Shelf;

static PyTypeObject *shelf_type;
PyObject *find_shelf, *new_cell, *give_back;

static int push(Shelf *shelf, PyObject *cell) {
    if (shelf->count == shelf->capacity) {
        Py_ssize_t capacity = shelf->capacity ? 2 * shelf->capacity : 8;
        PyObject **cells = PyMem_Realloc(shelf->cells, capacity * sizeof(PyObject *));
        if (!cells) return -1;
        shelf->cells = cells;
        shelf->capacity = capacity;
    }
    shelf->cells[shelf->count++] = Py_NewRef(cell);
    return 0;
}

static PyObject *shelf_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    PyObject *shape, *dtype;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &shape, &dtype)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Shelf *shelf = (Shelf *)alloc(type, 0);
    if (!shelf) return NULL;
    shelf->shape = Py_NewRef(shape);
    shelf->dtype = Py_NewRef(dtype);
    Py_ssize_t ndim = PyTuple_Size(shape);
    shelf->index = PyArray_DescrCheck(dtype) ? index_of_descr((PyArray_Descr *)dtype) : -1;
    shelf->ndim = ndim > 0 && ndim <= MOST_AXES ? (int)ndim : -1;
    for (int axis = 0; axis < shelf->ndim; axis++) {
        shelf->dims[axis] = PyLong_AsSsize_t(PyTuple_GetItem(shape, axis));
        if (shelf->dims[axis] == -1 && PyErr_Occurred()) {
            Py_DECREF((PyObject *)shelf);
            return NULL;
        }
    }
    return (PyObject *)shelf;
}

static void shelf_dealloc(PyObject *self) {
    Shelf *shelf = (Shelf *)self;
    PyTypeObject *type = Py_TYPE(self);
    while (shelf->count) Py_DECREF(shelf->cells[--shelf->count]);
    PyMem_Free(shelf->cells);
    Py_XDECREF(shelf->shape);
    Py_XDECREF(shelf->dtype);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *shelf_append(PyObject *self, PyObject *cell) {
    if (push((Shelf *)self, cell) < 0) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *shelf_pop(PyObject *self, PyObject *unused) {
    Shelf *shelf = (Shelf *)self;
    if (!shelf->count) {
        PyErr_SetNone(PyExc_IndexError);
        return NULL;
    }
    return shelf->cells[--shelf->count];
}

static Py_ssize_t shelf_length(PyObject *self) { return ((Shelf *)self)->count; }

static PyObject *shelf_item(PyObject *self, Py_ssize_t at) {
    Shelf *shelf = (Shelf *)self;
    if (at < 0 || at >= shelf->count) {
        PyErr_SetNone(PyExc_IndexError);
        return NULL;
    }
    return Py_NewRef(shelf->cells[at]);
}

static PyMethodDef shelf_methods[] = {
    {"append", shelf_append, METH_O, "Put a cell on the shelf."},
    {"pop", shelf_pop, METH_NOARGS, "Take the cell that was put there last."},
    {NULL},
};
static PyType_Slot shelf_slots[] = {
    {Py_tp_doc, "Cells of one shape and dtype, the last put there first."},
    {Py_tp_new, shelf_new},
    {Py_tp_dealloc, shelf_dealloc},
    {Py_tp_methods, shelf_methods},
    {Py_sq_length, shelf_length},
    {Py_sq_item, shelf_item},
    {0, NULL},
};
static PyType_Spec shelf_spec = {"onebuf._native.Shelf", sizeof(Shelf), 0, Py_TPFLAGS_DEFAULT,
                                 shelf_slots};

int shelf_init(PyObject *module) {
    shelf_type = (PyTypeObject *)PyType_FromSpec(&shelf_spec);
    if (!shelf_type) return -1;
    return PyModule_AddObject(module, "Shelf", Py_NewRef((PyObject *)shelf_type));
}

/* --------------------------------------------------------------------------------- results */

#define SHELVES 512
static Shelf *shelves[SHELVES];
static struct {
    int ndim, dtype;
    npy_intp dims[MOST_AXES];
} missing[SHELVES]; /* kinds of cells that there is no shelf for, and will be none */

static int is_for(Shelf *shelf, int ndim, const npy_intp *dims, int dtype) {
    if (shelf->index != dtype || shelf->ndim != ndim) return 0;
    for (int axis = 0; axis < ndim; axis++)
        if (shelf->dims[axis] != dims[axis]) return 0;
    return 1;
}

/* The shelf for such results; NULL: there is none, or an exception. Borrowed: shelves stay. */
static Shelf *shelf_for(int ndim, const npy_intp *dims, npy_intp size, int dtype) {
    size_t hash = (size_t)dtype;
    for (int axis = 0; axis < ndim; axis++) hash = hash * 1000003u + (size_t)dims[axis] + 17;
    Shelf **slot = &shelves[(hash ^ (hash >> 9)) % SHELVES];
    if (*slot && is_for(*slot, ndim, dims, dtype)) return *slot;
    int at = (int)((hash ^ (hash >> 9)) % SHELVES);
    if (missing[at].ndim == ndim && missing[at].dtype == dtype &&
        !memcmp(missing[at].dims, dims, ndim * sizeof(npy_intp)))
        return NULL;
    PyObject *shape = PyTuple_New(ndim);
    if (!shape) return NULL;
    for (int axis = 0; axis < ndim; axis++) {
        PyObject *extent = PyLong_FromSsize_t(dims[axis]);
        if (!extent) {
            Py_DECREF(shape);
            return NULL;
        }
        PyTuple_SetItem(shape, axis, extent);
    }
    PyObject *found = PyObject_CallFunction(find_shelf, "OOn", shape, descriptors[dtype],
                                            (Py_ssize_t)(size * item_sizes[dtype]));
    Py_DECREF(shape);
    if (!found) return NULL;
    if (found == Py_None) {
        missing[at].ndim = ndim;
        missing[at].dtype = dtype;
        memcpy(missing[at].dims, dims, ndim * sizeof(npy_intp));
    }
    if (Py_TYPE(found) != shelf_type || !is_for((Shelf *)found, ndim, dims, dtype)) {
        Py_DECREF(found);
        return NULL;
    }
    Shelf *old = *slot;
    *slot = (Shelf *)found;
    Py_XDECREF((PyObject *)old);
    return *slot;
}

/* The same where there are shelves enough: in memory of NumPy's. */
static Node *without_shelf(int ndim, const npy_intp *dims, int dtype) {
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNewFromDescr(
        ndim, dims, (PyArray_Descr *)Py_NewRef((PyObject *)descriptors[dtype]));
    return array ? new_loose(array) : NULL;
}

int is_shelf(PyObject *x) { return Py_TYPE(x) == shelf_type; }

/* A claimed node in the cell on top of a shelf; NULL: the shelf is empty, or an exception. */
Node *fresh_on(PyObject *given) {
    Shelf *shelf = (Shelf *)given;
    if (!shelf->count) return NULL;
    Node *node = new_node(classes.fresh);
    if (!node) return NULL;
    if (shelf->count) { /* still, after an allocation */
        node->cell = shelf->cells[--shelf->count];
        node->shape = Py_NewRef(shelf->shape);
        node->dtype = Py_NewRef(shelf->dtype);
        node->array = Py_NewRef(PyTuple_GetItem(node->cell, 0));
        node->claimed = Py_NewRef(Py_True);
        node->own_block = Py_NewRef(Py_None);
    }
    PyObject_GC_Track((PyObject *)node);
    if (!node->cell) {
        Py_DECREF((PyObject *)node);
        return NULL;
    }
    return node;
}

/* A node for elements that are about to be written, claimed; NULL: ask the twin, or an exception.
 * `like` may be an operand of the same shape and dtype, whose shelf need not be looked up. */
Node *new_fresh(int ndim, const npy_intp *dims, npy_intp size, int dtype, Node *like) {
    Shelf *shelf = NULL;
    if (like && TYPE(like) == classes.fresh && like->cell) {
        PyObject *its = PyTuple_GetItem(like->cell, 2);
        if (its && Py_TYPE(its) == shelf_type && is_for((Shelf *)its, ndim, dims, dtype))
            shelf = (Shelf *)its;
    }
    if (!shelf) shelf = shelf_for(ndim, dims, size, dtype);
    if (!shelf) return PyErr_Occurred() || has_contexts() || !size ? NULL : without_shelf(ndim, dims, dtype);
    Py_INCREF((PyObject *)shelf);
    Node *node = fresh_on((PyObject *)shelf);
    if (!node && !PyErr_Occurred()) {
        PyObject *cell = PyObject_CallFunction(new_cell, "OOn", shelf->shape, shelf->dtype,
                                               (Py_ssize_t)(size * item_sizes[dtype]));
        if (cell && PyTuple_Check(cell) && PyTuple_Size(cell) == 4 && push(shelf, cell) == 0)
            node = fresh_on((PyObject *)shelf);
        Py_XDECREF(cell);
    }
    Py_DECREF((PyObject *)shelf);
    return node;
}

/* Put the cell of a leaf that dies back on its shelf, or its memory in the pool. */
void fresh_died(Node *node) {
    PyObject *cell = node->cell;
    if (!cell || (node->own_block && node->own_block != Py_None)) return;
    PyObject *shelf = PyTuple_GetItem(cell, 2);
    Py_ssize_t most = PyLong_AsSsize_t(PyTuple_GetItem(cell, 3));
    if (Py_TYPE(shelf) == shelf_type && ((Shelf *)shelf)->count < most &&
        push((Shelf *)shelf, cell) == 0)
        return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *done = PyObject_CallFunctionObjArgs(give_back, PyTuple_GetItem(cell, 1), NULL);
    if (!done) PyErr_WriteUnraisable(give_back);
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}
