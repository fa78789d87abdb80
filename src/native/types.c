/* The fields of nodes and buffers as C structs, and classes whose instances come from a free list.
 *
 * Python classes inherit from `NodeFields` and `HandleFields` and see ordinary attributes. Leaves are
 * made by the million: `native_class` derives from the Python class of a leaf one that takes and
 * returns memory here, without the interpreter's general machinery.
 */
#include "core.h"

Classes classes;

/* ------------------------------------------------------------------------------ free list */

/* Dead nodes, which keep their memory. All nodes have one size. */
#ifndef FREE_NODES
#define FREE_NODES 256
#endif
static PyObject *free_nodes[FREE_NODES + 1];
static int free_node_count = 0;
static PyObject *free_buffers[FREE_NODES + 1];
static int free_buffer_count = 0;

static int node_traverse(PyObject *self, visitproc visit, void *arg) {
    Node *node = (Node *)self;
    Py_VISIT(Py_TYPE(self));
    for (PyObject **field = &node->op; field < &node->weakrefs; field++) Py_VISIT(*field);
    return 0;
}

static int node_clear(PyObject *self) {
    Node *node = (Node *)self;
    if (TYPE(node) == classes.fresh) fresh_died(node);
    if (node->owner) ((Node *)node->owner)->parts--;
    for (PyObject **field = &node->op; field < &node->weakrefs; field++) Py_CLEAR(*field);
    node->has_raw = 0;
    return 0;
}

/* The fields that a number can have: it takes all others from its class. */
static void number_dealloc(Node *node, PyTypeObject *type) {
    PyObject **fields[] = {&node->dtype, &node->replays, &node->own_array, &node->own_block,
                           &node->scalar};
    for (size_t n = 0; n < sizeof(fields) / sizeof(*fields); n++) Py_CLEAR(*fields[n]);
    node->has_raw = 0;
    free_nodes[free_node_count++] = (PyObject *)node;
    Py_DECREF(type);
}

static void node_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if ((type == classes.element || type == classes.number) && free_node_count < FREE_NODES / 2 &&
        !((Node *)self)->weakrefs) {
        number_dealloc((Node *)self, type);
        return;
    }
    Node *node = (Node *)self;
    if (node->weakrefs) PyObject_ClearWeakRefs(self);
    node_clear(self);
    /* Only classes that were made here are known to add no fields. */
    if (free_node_count < FREE_NODES && (type == classes.fresh || type == classes.leaf ||
                                         type == classes.element || type == classes.number ||
                                         type == classes.foreign || type == classes.part ||
                                         type == classes.loose || type == classes.node))
        free_nodes[free_node_count++] = self;
    else
        PyObject_GC_Del(self);
    Py_DECREF(type);
}

static int handle_traverse(PyObject *self, visitproc visit, void *arg) {
    Handle *handle = (Handle *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(handle->node);
    Py_VISIT(handle->base);
    return 0;
}

static int handle_clear(PyObject *self) {
    Handle *handle = (Handle *)self;
    Py_CLEAR(handle->node);
    Py_CLEAR(handle->base);
    return 0;
}

static void handle_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((Handle *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    handle_clear(self);
    if (type == classes.buffer && free_buffer_count < FREE_NODES)
        free_buffers[free_buffer_count++] = self;
    else
        PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* A node of an exact class, with no field set; not tracked yet. */
Node *new_node(PyTypeObject *type) {
    Node *node;
    if (free_node_count) {
        node = (Node *)PyObject_Init(free_nodes[--free_node_count], type);
    } else {
        node = PyObject_GC_New(Node, type);
        if (!node) return NULL;
        memset((char *)node + offsetof(Node, op), 0, sizeof(Node) - offsetof(Node, op));
    }
    return node;
}

/* A buffer on `node`, whose reference it takes; `base` is borrowed. */
PyObject *new_buffer(Node *node, PyObject *base) {
    Handle *handle;
    if (free_buffer_count) {
        handle = (Handle *)PyObject_Init(free_buffers[--free_buffer_count], classes.buffer);
    } else {
        handle = PyObject_GC_New(Handle, classes.buffer);
        if (!handle) {
            Py_DECREF((PyObject *)node);
            return NULL;
        }
        handle->weakrefs = NULL;
    }
    handle->node = (PyObject *)node;
    handle->base = Py_NewRef(base);
    PyObject_GC_Track((PyObject *)handle);
    return (PyObject *)handle;
}

/* ---------------------------------------------------------------------------------- numbers */

static PyObject *scalar_of(Node *node) {
    if (node->scalar) return Py_NewRef(node->scalar);
    if (!node->has_raw || !node->dtype) {
        PyErr_SetString(PyExc_AttributeError, "scalar");
        return NULL;
    }
    PyObject *made;
    switch (index_of_descr((PyArray_Descr *)node->dtype)) {
    case FLOAT64: made = PyFloat_FromDouble(*(double *)node->raw); break;
    case INT64: made = PyLong_FromLongLong(*(npy_int64 *)node->raw); break;
    case BOOL: made = PyBool_FromLong(node->raw[0]); break;
    default: made = PyArray_Scalar(node->raw, (PyArray_Descr *)node->dtype, NULL);
    }
    if (!made) return NULL;
    if (!node->scalar) node->scalar = Py_NewRef(made);
    return made;
}

static PyObject *get_scalar(PyObject *self, void *unused) { return scalar_of((Node *)self); }

static int set_scalar(PyObject *self, PyObject *value, void *unused) {
    Node *node = (Node *)self;
    PyObject *old = node->scalar;
    node->scalar = Py_XNewRef(value);
    node->has_raw = 0;
    Py_XDECREF((PyObject *)old);
    return 0;
}

/* The bytes of a number; 0 if they are not to be had in a short way. */
int number_raw(Node *node, int dtype, char *raw) {
    if (!node->has_raw) {
        PyObject *x = node->scalar;
        if (!x) return 0;
        int kind = scalar_kind(x);
        if (kind >= 0) {
            if (!scalar_bytes(x, kind, dtype, node->raw)) return 0;
        } else if (PyArray_IsScalar(x, Generic)) {
            PyArray_Descr *descr = PyArray_DescrFromScalar(x);
            if (!descr) {
                PyErr_Clear();
                return 0;
            }
            int same = index_of_descr(descr) == dtype;
            Py_DECREF(descr);
            if (!same) return 0;
            PyArray_ScalarAsCtype(x, node->raw);
        } else {
            return 0;
        }
        node->has_raw = 1;
    }
    memcpy(raw, node->raw, 8);
    return 1;
}

static PyObject *new_number_node(PyTypeObject *type, const void *raw, int dtype);

/* A buffer that is a number. */
PyObject *new_number(PyTypeObject *type, const void *raw, int dtype) {
    static PyObject *truths[2]; /* numbers are never written: these may have many holders */
    if (dtype == BOOL && type == classes.number) {
        int truth = *(const char *)raw != 0;
        if (!truths[truth]) truths[truth] = new_number_node(type, raw, dtype);
        return truths[truth] ? new_buffer((Node *)Py_NewRef(truths[truth]), Py_None) : NULL;
    }
    PyObject *node = new_number_node(type, raw, dtype);
    return node ? new_buffer((Node *)node, Py_None) : NULL;
}

static PyObject *new_number_node(PyTypeObject *type, const void *raw, int dtype) {
    Node *node = new_node(type);
    if (!node) return NULL;
    node->dtype = Py_NewRef((PyObject *)descriptors[dtype]);
    node->own_array = Py_NewRef(Py_None);
    node->own_block = Py_NewRef(Py_None);
    memcpy(node->raw, raw, item_sizes[dtype]);
    node->has_raw = 1; /* not tracked: a number leads to nothing that leads back */
    return (PyObject *)node;
}

/* ----------------------------------------------------------------------------------- blocks */

static PyObject *block_name, *readers_name;

/* The block of a stored node, which the first use of some makes; NULL: an exception. Borrowed: the
 * node keeps it. */
PyObject *block_of(Node *node) {
    PyTypeObject *type = TYPE(node);
    if (type == classes.leaf || type == classes.node) return node->block;
    if (node->own_block && node->own_block != Py_None) return node->own_block;
    PyObject *made = PyObject_GetAttr((PyObject *)node, block_name);
    if (!made) return NULL;
    Py_DECREF(made);
    return node->own_block;
}

/* The leaf whose block `node` has, which is made when it is first needed; NULL: it has one. */
static Node *owner_of(Node *node) {
    PyTypeObject *type = TYPE(node);
    if (type == classes.part) return (Node *)node->owner;
    return type == classes.fresh || type == classes.loose || type == classes.foreign ? node : NULL;
}

static PyObject *shape_of(PyArrayObject *array) {
    int ndim = PyArray_NDIM(array);
    PyObject *shape = PyTuple_New(ndim);
    for (int axis = 0; shape && axis < ndim; axis++) {
        PyObject *extent = PyLong_FromSsize_t(PyArray_DIM(array, axis));
        if (!extent) Py_CLEAR(shape);
        else PyTuple_SetItem(shape, axis, extent);
    }
    return shape;
}

/* A leaf on a new array without other holders; takes the array. */
Node *new_loose(PyArrayObject *array) {
    PyObject *shape = shape_of(array);
    Node *node = shape ? new_node(classes.loose) : NULL;
    if (!node) {
        Py_XDECREF(shape);
        Py_DECREF((PyObject *)array);
        return NULL;
    }
    node->array = (PyObject *)array;
    node->shape = shape;
    node->dtype = Py_NewRef((PyObject *)PyArray_DESCR(array));
    node->own_block = Py_NewRef(Py_None);
    node->claimed = Py_NewRef(Py_True);
    PyObject_GC_Track((PyObject *)node);
    return node;
}

/* A leaf on `array`, which it takes and which lies on the memory of `node`. */
Node *new_part(Node *node, PyObject *array) {
    Node *owner = owner_of(node);
    PyObject *block = owner ? NULL : Py_XNewRef(block_of(node));
    PyObject *shape = owner || (block && block != Py_None) ? shape_of((PyArrayObject *)array) : NULL;
    Node *leaf = shape ? new_node(owner ? classes.part : classes.leaf) : NULL;
    if (!leaf) {
        Py_XDECREF(shape);
        Py_XDECREF(block);
        Py_DECREF(array);
        return NULL;
    }
    leaf->shape = shape;
    leaf->dtype = Py_NewRef(node->dtype);
    leaf->array = array;
    leaf->claimed = Py_NewRef(Py_True);
    if (owner) {
        leaf->owner = Py_NewRef((PyObject *)owner);
        leaf->own_block = Py_NewRef(Py_None);
        owner->parts++;
    } else {
        leaf->block = block;
    }
    PyObject_GC_Track((PyObject *)leaf);
    return leaf;
}

/* Whether something may still have to read the memory of a stored node. */
int has_readers(Node *node) {
    if (TYPE(node) == classes.part && node->owner) node = (Node *)node->owner;
    PyTypeObject *type = TYPE(node);
    PyObject *block;
    if (type == classes.fresh || type == classes.loose) {
        block = node->own_block;
        if (!block || block == Py_None) return 0;
    } else {
        block = block_of(node);
        if (!block || block == Py_None) return PyErr_Occurred() ? -1 : 1;
    }
    PyObject *readers = PyObject_GetAttr(block, readers_name);
    if (!readers) return -1;
    int some = !PyDict_Check(readers) || PyDict_Size(readers) != 0;
    Py_DECREF(readers);
    return some;
}

/* ------------------------------------------------------------------------------------ types */

#define FIELD(name, at) {name, T_OBJECT_EX, offsetof(Node, at), 0, NULL}
static PyMemberDef node_members[] = {
    FIELD("op", op), FIELD("srcs", srcs), FIELD("arg", arg), FIELD("shape", shape),
    FIELD("dtype", dtype), FIELD("replays", replays), FIELD("made_at", made_at),
    FIELD("array", array), FIELD("block", block), FIELD("readers", readers),
    FIELD("claimed", claimed), FIELD("device", device), FIELD("_block", own_block),
    FIELD("_cell", cell), FIELD("_array", own_array), FIELD("_owner", owner),
    {"parts", T_INT, offsetof(Node, parts), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, NULL},
    {NULL},
};
static PyGetSetDef node_getset[] = {{"scalar", get_scalar, set_scalar, NULL, NULL}, {NULL}};
static PyType_Slot node_slots[] = {
    {Py_tp_doc, "The fields of a node."},
    {Py_tp_members, node_members},
    {Py_tp_getset, node_getset},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {0, NULL},
};
#define FLAGS Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC
static PyType_Spec node_spec = {"onebuf._native.NodeFields", sizeof(Node), 0, FLAGS, node_slots};

static PyMemberDef handle_members[] = {
    {"_node", T_OBJECT_EX, offsetof(Handle, node), 0, NULL},
    {"_base", T_OBJECT_EX, offsetof(Handle, base), 0, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Handle, weakrefs), READONLY, NULL},
    {NULL},
};

/* In place of a `__del__` of the Python class: `node_clear` does what that does. */
static void finalize_nothing(PyObject *self) {}

static PyType_Slot class_slots[] = {
    {Py_tp_finalize, finalize_nothing},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {0, NULL},
};

/* A class like its one base, a class of leaves, whose instances come from the free list. */
PyObject *native_class(PyObject *module, PyObject *twin) {
    char text[100];
    PyObject *place = PyObject_GetAttrString(twin, "__module__");
    PyObject *name = PyObject_GetAttrString(twin, "__name__");
    PyObject *qualified = place && name ? PyUnicode_FromFormat("%U.%U", place, name) : NULL;
    Py_XDECREF(place);
    Py_XDECREF(name);
    if (!qualified) return NULL;
    PyObject *bytes = PyUnicode_AsUTF8String(qualified);
    Py_DECREF(qualified);
    if (!bytes) return NULL;
    PyOS_snprintf(text, sizeof(text), "%s", PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    PyType_Spec spec = {text, sizeof(Node), 0, FLAGS, class_slots};
    return PyType_FromSpecWithBases(&spec, twin);
}

/* ---------------------------------------------------------------------------------- exporters */

/* Python 3.11 has no `__buffer__` of its own: what that returns is handed on, or a window at once. */
static int export(PyObject *self, Py_buffer *view, int flags) {
    view->obj = NULL;
    PyObject *memory = window_of(self);
    int got = memory ? PyObject_GetBuffer(memory, view, flags) : -1;
    Py_XDECREF(memory);
    if (!got) return 0;
    forget_error();
    if (PyErr_Occurred()) return -1;
    memory = PyObject_CallMethod(self, "__buffer__", "i", flags);
    got = memory ? PyObject_GetBuffer(memory, view, flags) : -1;
    Py_XDECREF(memory);
    return got;
}

static PyType_Slot exporter_slots[] = {
    {Py_tp_doc, "A base of classes with a method ``__buffer__``, which consumers of memory call."},
    {Py_bf_getbuffer, export},
    {0, NULL},
};
static PyType_Spec exporter_spec = {"onebuf._native.Exporter", 0, 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, exporter_slots};

int types_init(PyObject *module) {
    block_name = PyUnicode_InternFromString("block");
    readers_name = PyUnicode_InternFromString("readers");
    if (!block_name || !readers_name) return -1;
    PyObject *type = PyType_FromSpec(&exporter_spec);
    if (!type || PyModule_AddObject(module, "Exporter", type) < 0) return -1;
    type = PyType_FromSpec(&node_spec);
    if (!type || PyModule_AddObject(module, "NodeFields", type) < 0) return -1;
    static PyType_Slot slots[80];
    int count = 0;
    for (PyType_Slot *slot = operator_slots; slot->slot; slot++) slots[count++] = *slot;
    for (PyType_Slot *slot = method_slots; slot->slot; slot++) slots[count++] = *slot;
    slots[count++] = (PyType_Slot){Py_tp_doc, "The fields and the operators of a buffer."};
    slots[count++] = (PyType_Slot){Py_tp_members, handle_members};
    slots[count++] = (PyType_Slot){Py_tp_dealloc, handle_dealloc};
    slots[count++] = (PyType_Slot){Py_tp_traverse, handle_traverse};
    slots[count++] = (PyType_Slot){Py_tp_clear, handle_clear};
    slots[count++] = (PyType_Slot){Py_tp_richcompare, compare};
    slots[count++] = (PyType_Slot){Py_tp_hash, PyObject_HashNotImplemented};
    slots[count++] = (PyType_Slot){Py_mp_subscript, get_item};
    slots[count++] = (PyType_Slot){Py_mp_ass_subscript, set_item};
    slots[count] = (PyType_Slot){0, NULL};
    PyType_Spec spec = {"onebuf._native.HandleFields", sizeof(Handle), 0, FLAGS, slots};
    type = PyType_FromSpec(&spec);
    return type ? PyModule_AddObject(module, "HandleFields", type) : -1;
}
