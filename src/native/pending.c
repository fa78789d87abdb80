/* Pending nodes: an operation on elements that are many, or still to come, becomes a node of a graph.
 *
 * `made` is the twin of `onebuf.graph.node.make`; the operators come here when they cannot compute at
 * once. What a node is made of, and which tables it is put into, is said there.
 */
#include "core.h"

#define MOST_SOURCES 4

/* What the package told. */
static PyObject *op_view, *op_constant, *op_failed, *the_cpu, *view_class;
static PyObject *is_ours_twin, *prune_twin, *eager_nbytes, *scalar_node;
static Py_ssize_t usual_eager_nbytes, many_readers;

static PyObject *readers_name, *f_lasti, *f_back, *co_filename;
static PyTypeObject *reference_type;

/* set_pending(view, constant, failed, cpu, View, is_ours, prune, many, eager_nbytes, scalar_node) */
PyObject *set_pending(PyObject *module, PyObject *args) {
    PyObject **given[] = {&op_view,       &op_constant, &op_failed,    &the_cpu,    &view_class,
                          &is_ours_twin, &prune_twin,  &eager_nbytes, &scalar_node};
    PyObject *found[9];
    if (!PyArg_ParseTuple(args, "OOOOOOOnOO", &found[0], &found[1], &found[2], &found[3], &found[4],
                          &found[5], &found[6], &many_readers, &found[7], &found[8]))
        return NULL;
    PyObject *usual = PyObject_CallNoArgs(found[7]);
    if (!usual) return NULL;
    usual_eager_nbytes = PyLong_AsSsize_t(usual);
    Py_DECREF(usual);
    for (int at = 0; at < 9; at++) *given[at] = Py_NewRef(found[at]);
    Py_RETURN_NONE;
}

int pending_init(void) {
    PyObject **names[] = {&readers_name, &f_lasti, &f_back, &co_filename};
    const char *texts[] = {"readers", "f_lasti", "f_back", "co_filename"};
    for (int at = 0; at < 4; at++)
        if (!(*names[at] = PyUnicode_InternFromString(texts[at]))) return -1;
    PyObject *reference = PyWeakref_NewRef((PyObject *)&PyType_Type, NULL);
    if (!reference) return -1;
    reference_type = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(reference));
    Py_DECREF(reference);
    return 0;
}

/* --------------------------------------------------------------------------------- where it is made */

#define FILES 64
static struct {
    PyObject *name;
    int is_ours;
} files[FILES]; /* those that were asked about, by the address of the name */

/* Whether a file is of this package: 1, 0, or -1 with an exception. */
static int is_ours(PyObject *file) {
    size_t at = ((size_t)file >> 4) % FILES;
    if (files[at].name == file) return files[at].is_ours;
    PyObject *answer = PyObject_CallFunctionObjArgs(is_ours_twin, file, NULL);
    if (!answer) return -1;
    int ours = answer == Py_True;
    Py_DECREF(answer);
    PyObject *old = files[at].name;
    files[at].name = Py_NewRef(file);
    files[at].is_ours = ours;
    Py_XDECREF(old);
    return ours;
}

/* The innermost place outside this package, as (code, instruction) or None; NULL: an exception. */
static PyObject *place_outside(void) {
    PyObject *frame = Py_XNewRef((PyObject *)PyEval_GetFrame());
    while (frame && frame != Py_None) {
        PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
        PyObject *file = PyObject_GetAttr(code, co_filename);
        int ours = file ? is_ours(file) : -1;
        Py_XDECREF(file);
        if (!ours) {
            PyObject *place = PyTuple_New(2), *at = PyObject_GetAttr(frame, f_lasti);
            Py_DECREF(frame);
            if (!place || !at) {
                Py_XDECREF(place);
                Py_XDECREF(at);
                Py_DECREF(code);
                return NULL;
            }
            PyTuple_SetItem(place, 0, code);
            PyTuple_SetItem(place, 1, at);
            return place;
        }
        Py_DECREF(code);
        PyObject *back = ours < 0 ? NULL : PyObject_GetAttr(frame, f_back);
        Py_DECREF(frame);
        if (!back) return NULL;
        frame = back;
    }
    Py_XDECREF(frame);
    if (PyErr_Occurred()) return NULL; /* `f_back` is None where there is no memory for a frame */
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------- tables of readers */

static long long tickets = 0;

PyObject *ticket(PyObject *module, PyObject *unused) { return PyLong_FromLongLong(tickets++); }

/* Let a table know of a node that has yet to read; -1: an exception. */
static int enter(PyObject *readers, PyObject *reference) {
    PyObject *key = PyLong_FromLongLong(tickets++);
    int entered = key ? PyDict_SetItem(readers, key, reference) : -1;
    Py_XDECREF(key);
    return entered;
}

/* Whether an entry is of a node that has read, or is gone. */
static int is_done(PyObject *reference) {
    if (Py_TYPE(reference) != reference_type) return 0;
    PyObject *found = PyWeakref_GetObject(reference);
    if (!found || found == Py_None) return 1;
    if (TYPE(found) != classes.node) return 0;
    Node *node = (Node *)found;
    return node->block != Py_None || node->op == op_failed;
}

/* `onebuf.graph.readers.prune`: 1: done, 0: ask the twin, -1: an exception. */
static int prune(PyObject *readers) {
    Py_ssize_t count = PyDict_Size(readers), done = 0, at = 0, power = 1;
    while (2 * power <= count) power *= 2;
    if (count - power > 1) return 1;
    PyObject *key, *value, **keys;
    while (PyDict_Next(readers, &at, &key, &value)) done += is_done(value);
    if (2 * done < count) return 1;
    if (done == count) { /* so nothing that is entered is lost: no code has run since they were looked at */
        PyDict_Clear(readers);
        return 1;
    }
    keys = PyMem_Malloc(done * sizeof(PyObject *));
    if (!keys) return 0;
    done = at = 0;
    while (PyDict_Next(readers, &at, &key, &value))
        if (is_done(value)) keys[done++] = Py_NewRef(key);
    int failed = 0;
    for (Py_ssize_t n = 0; n < done; n++) {
        if (!failed && PyDict_DelItem(readers, keys[n]) < 0) {
            if (PyErr_ExceptionMatches(PyExc_KeyError)) PyErr_Clear(); /* others were here */
            else failed = 1;
        }
        Py_DECREF(keys[n]);
    }
    PyMem_Free(keys);
    return failed ? -1 : 1;
}

/* Look through a table that has many entries; -1: an exception. */
static int tidy(PyObject *readers) {
    if (PyDict_Size(readers) <= many_readers) return 0;
    int done = prune(readers);
    if (done) return done < 0 ? -1 : 0;
    PyObject *result = PyObject_CallFunctionObjArgs(prune_twin, readers, NULL);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* The table of those who read what `node` stands for; NULL: an exception, or it has none. */
static PyObject *readers_of(Node *node) {
    PyObject *block = TYPE(node) == classes.node ? node->block : block_of(node);
    if (!block) return NULL;
    if (block == Py_None) return Py_XNewRef(node->readers);
    return PyObject_GetAttr(block, readers_name);
}

/* ----------------------------------------------------------------------------------------- nodes */

/* The device of an operand if that is the host, None for what is at home everywhere; else NULL. */
static PyObject *home_of(Node *node) {
    if (TYPE(node) == classes.node)
        return node->device == the_cpu || node->device == Py_None ? node->device : NULL;
    if (holds_array(node)) return the_cpu;
    return is_number(node) ? Py_None : NULL;
}

static PyObject *key_of(PyObject *op, Node **srcs, Py_ssize_t count, PyObject *arg, PyObject *shape,
                        PyObject *dtype) {
    Py_ssize_t at = 0;
    PyObject *key = PyTuple_New(count == 2 ? 4 : 4 + count);
    if (!key) return NULL;
    PyTuple_SetItem(key, at++, Py_NewRef(op));
    PyTuple_SetItem(key, at++, Py_NewRef(arg));
    if (count != 2) {
        PyTuple_SetItem(key, at++, Py_NewRef(shape));
        PyTuple_SetItem(key, at++, Py_NewRef(dtype));
    }
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *id = PyLong_FromVoidPtr(srcs[n]);
        if (!id) {
            Py_DECREF(key);
            return NULL;
        }
        PyTuple_SetItem(key, at++, id);
    }
    return key;
}

/* The node that computes what `key` says, if one is known and pending: 1, 0, or -1 with an exception. */
static int find(PyObject *readers, PyObject *key, Node **found) {
    PyObject *reference = PyDict_GetItemWithError(readers, key);
    if (!reference) return PyErr_Occurred() ? -1 : 0;
    if (Py_TYPE(reference) != reference_type) return -1;
    PyObject *node = PyWeakref_GetObject(reference);
    if (!node || TYPE(node) != classes.node || is_done(reference)) return 0;
    *found = (Node *)Py_NewRef(node);
    return 1;
}

static Node *new_pending(PyObject *op, PyObject *srcs, PyObject *arg, PyObject *shape, PyObject *dtype) {
    PyObject *place = place_outside(), *readers = PyDict_New(), *none = PyLong_FromLong(0);
    Node *node = place && readers && none ? new_node(classes.node) : NULL;
    if (!node) {
        Py_XDECREF(place);
        Py_XDECREF(readers);
        Py_XDECREF(none);
        return NULL;
    }
    node->op = Py_NewRef(op);
    node->srcs = Py_NewRef(srcs);
    node->arg = Py_NewRef(arg);
    node->shape = Py_NewRef(shape);
    node->dtype = Py_NewRef(dtype);
    node->replays = none;
    node->made_at = place;
    node->array = Py_NewRef(Py_None);
    node->block = Py_NewRef(Py_None);
    node->readers = readers;
    node->claimed = Py_NewRef(Py_False);
    node->device = Py_NewRef(the_cpu);
    PyObject_GC_Track((PyObject *)node);
    return node;
}

/* `onebuf.graph.node.make` of operands on the host; NULL: ask the twin, or an exception. */
Node *made(PyObject *op, PyObject *srcs, PyObject *arg, PyObject *shape, PyObject *dtype, int unique) {
    Node *sources[MOST_SOURCES], *node = NULL;
    PyObject *tables[MOST_SOURCES] = {NULL}, *key = NULL, *reference = NULL;
    if (halted || !scalar_node || !PyTuple_Check(srcs)) return NULL;
    Py_ssize_t count = PyTuple_Size(srcs), on_host = 0;
    if (count < 1 || count > MOST_SOURCES) return NULL;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *source = PyTuple_GetItem(srcs, n);
        if (!PyObject_TypeCheck(source, classes.node)) return NULL;
        sources[n] = (Node *)source;
        PyObject *home = home_of(sources[n]);
        if (!home) return NULL;
        on_host += home == the_cpu;
    }
    if (!on_host || (count > 2 && on_host < count)) return NULL;
    /* Tables come first: to look for one can run Python code. Constants have none that are asked. */
    Py_ssize_t first = count == 2 && sources[0]->op == op_constant;
    for (Py_ssize_t n = 0; n < count; n++) {
        if (n != first && sources[n]->op == op_constant) continue;
        tables[n] = readers_of(sources[n]);
        if (!tables[n] || !PyDict_Check(tables[n])) goto end;
    }
    key = key_of(op, sources, count, arg, shape, dtype);
    if (!key) goto end;
    if (!unique) {
        int known = find(tables[first], key, &node);
        if (known) goto end;
    }
    Node *new = new_pending(op, srcs, arg, shape, dtype);
    if (!new) goto end;
    reference = PyWeakref_NewRef((PyObject *)new, NULL);
    int entered = reference ? enter(tables[first], reference) : -1;
    if (entered == 0 && !unique) entered = PyDict_SetItem(tables[first], key, reference);
    if (entered == 0) entered = tidy(tables[first]);
    if (entered == 0 && op == op_view) {
        PyObject *own = new->readers;
        new->readers = Py_NewRef(tables[first]);
        Py_DECREF(own);
    }
    for (Py_ssize_t n = 0; n < count && entered == 0; n++) {
        if (n == first || !tables[n] || tables[n] == tables[first]) continue;
        entered = enter(tables[n], reference);
        if (entered == 0) entered = tidy(tables[n]);
    }
    if (entered == 0) node = new;
    else Py_DECREF((PyObject *)new);
end:
    Py_XDECREF(reference);
    Py_XDECREF(key);
    for (Py_ssize_t n = 0; n < count; n++) Py_XDECREF(tables[n]);
    return node;
}

/* make(op, srcs, arg, shape, dtype, unique=False, device=...) */
PyObject *make_quickly(PyObject *const *args, Py_ssize_t count) {
    if (count < 5 || count > 7) return NULL;
    int unique = count > 5 && args[5] == Py_True;
    if (count > 5 && !unique && args[5] != Py_False) return NULL;
    return (PyObject *)made(args[0], args[1], args[2], args[3], args[4], unique);
}

/* ------------------------------------------------------------------------------------- operators */

#define STILL_TO_COME NPY_MAX_INTP

/* How many bytes the elements of `node` take, STILL_TO_COME of a pending one; -1: ask the twin. */
static npy_intp bytes_of(Node *node, int dtype) {
    if (is_number(node)) return 0;
    if (!holds_array(node)) return -1;
    PyArrayObject *array = (PyArrayObject *)node->array;
    if (array && (PyObject *)array != Py_None)
        return PyArray_CheckExact(array) ? PyArray_SIZE(array) * item_sizes[dtype] : -1;
    if (node->op != op_view) return STILL_TO_COME;
    if ((PyObject *)TYPE(node->arg) != view_class) return -1;
    PyObject *base = PyTuple_GetItem(node->srcs, 0);
    if (!base || TYPE(base) != classes.node || ((Node *)base)->array != Py_None) return -1;
    return STILL_TO_COME;
}

/* Whether operands of so many bytes, at most, are not computed with at once; -1: an exception. */
static int is_later(npy_intp nbytes) {
    if (nbytes == STILL_TO_COME) return 1;
    if (!has_contexts()) return nbytes > usual_eager_nbytes;
    PyObject *limit = PyObject_CallNoArgs(eager_nbytes);
    if (!limit) return -1;
    npy_intp most = PyLong_AsSsize_t(limit);
    Py_DECREF(limit);
    return most < 0 ? -1 : nbytes > most;
}

/* The constants that Python's numbers become next to elements of a dtype. */
#define CONSTANTS 64
static struct {
    PyObject *node;
    char raw[8];
    int kind, beside;
} constants[CONSTANTS];

static int bits_of(PyObject *x, int kind, char *raw) {
    if (kind == PY_FLOAT) {
        double value = PyFloat_AsDouble(x);
        memcpy(raw, &value, 8);
        return 1;
    }
    int overflow = 0;
    npy_int64 value = kind == PY_BOOL ? x == Py_True : PyLong_AsLongLongAndOverflow(x, &overflow);
    memcpy(raw, &value, 8);
    return !overflow;
}

/* The node of a number of Python's next to `beside`; NULL: ask the twin, or an exception. */
static PyObject *constant_node(PyObject *x, int kind, int beside) {
    char raw[8];
    npy_uint64 hash;
    if (!bits_of(x, kind, raw)) return NULL;
    memcpy(&hash, raw, 8);
    hash = (hash ^ (npy_uint64)(kind * 31 + beside)) * 0x9E3779B97F4A7C15u;
    int at = (int)(hash >> 58);
    if (constants[at].node && constants[at].kind == kind && constants[at].beside == beside &&
        !memcmp(constants[at].raw, raw, 8))
        return Py_NewRef(constants[at].node);
    PyObject *node = PyObject_CallFunctionObjArgs(scalar_node, x, (PyObject *)descriptors[beside], NULL);
    if (!node) return NULL;
    if (TYPE(node) != classes.node) {
        Py_DECREF(node);
        return NULL;
    }
    PyObject *old = constants[at].node;
    constants[at].node = Py_NewRef(node);
    constants[at].kind = kind;
    constants[at].beside = beside;
    memcpy(constants[at].raw, raw, 8);
    Py_XDECREF(old);
    return node;
}

/* The dtype of the result, by those of the operands; -1: ask the twin, or an exception. */
static int result_dtype(Operation *operation, int first, int second) {
    if (!operation->results) return -1;
    int place = operation->arity == 1 ? first : first * OPERANDS + second;
    signed char *known = &operation->results[place];
    if (!*known) {
        PyObject *other = operation->arity == 1 ? Py_None : name_of_operand(second);
        PyObject *dtype =
            PyObject_CallFunctionObjArgs(operation->result, name_of_operand(first), other, NULL);
        if (!dtype) return -1;
        int index = PyArray_DescrCheck(dtype) ? index_of_descr((PyArray_Descr *)dtype) : -1;
        Py_DECREF(dtype);
        *known = (signed char)(index < 0 ? -1 : index + 1);
    }
    return *known < 0 ? -1 : *known - 1;
}

/* The extent of an axis counted from the last one, 1 beyond the first; -1: an exception. */
static Py_ssize_t extent_at(PyObject *shape, Py_ssize_t from_last) {
    Py_ssize_t axis = PyTuple_Size(shape) - 1 - from_last;
    return axis < 0 ? 1 : PyLong_AsSsize_t(PyTuple_GetItem(shape, axis));
}

/* The shape of two operands together; NULL: they do not meet, or an exception. It is that of an
 * operand where it can be. */
static PyObject *joint_shape(PyObject *x, PyObject *y) {
    if (x == y) return Py_NewRef(x);
    Py_ssize_t ndim = PyTuple_Size(x), other = PyTuple_Size(y);
    Py_ssize_t most = ndim > other ? ndim : other, joint[MOST_AXES];
    int is_x = ndim == most, is_y = other == most;
    if (most > MOST_AXES) return NULL;
    for (Py_ssize_t at = 0; at < most; at++) {
        Py_ssize_t one = extent_at(x, at), two = extent_at(y, at);
        if (one < 0 || two < 0 || (one != two && one != 1 && two != 1)) return NULL;
        joint[at] = one == 1 ? two : one;
        is_x = is_x && joint[at] == one;
        is_y = is_y && joint[at] == two;
    }
    if (is_x || is_y) return Py_NewRef(is_x ? x : y);
    PyObject *shape = PyTuple_New(most);
    for (Py_ssize_t at = 0; shape && at < most; at++) {
        PyObject *extent = PyLong_FromSsize_t(joint[at]);
        if (!extent) Py_CLEAR(shape);
        else PyTuple_SetItem(shape, most - 1 - at, extent);
    }
    return shape;
}

/* A buffer that owns `node`, whose reference it takes; NULL: it has an owner already. */
static PyObject *owned(Node *node) {
    if (!node) return NULL;
    if (node->claimed != Py_False) {
        Py_DECREF((PyObject *)node);
        return NULL;
    }
    PyObject *old = node->claimed;
    node->claimed = Py_NewRef(Py_True);
    Py_DECREF(old);
    return new_buffer(node, Py_None);
}

/* An operand as a node, which is owned: of a buffer, or of a number next to `beside`. */
static PyObject *node_for(PyObject *x, int kind, int beside) {
    return kind < 0 ? Py_NewRef(((Handle *)x)->node) : constant_node(x, kind, beside);
}

/* `operation` on operands of which one is still to come, or too large to be computed with at once. */
PyObject *pending_two(Operation *operation, PyObject *x, PyObject *y) {
    PyObject *given[2] = {x, y}, *nodes[2] = {NULL}, *srcs = NULL, *shape = NULL, *result = NULL;
    int kinds[2], dtypes[2];
    npy_intp most = -1;
    if (!operation->op || !scalar_node || halted) return NULL;
    for (int n = 0; n < 2; n++) {
        kinds[n] = dtypes[n] = -1;
        if (!is_buffer(given[n])) {
            kinds[n] = dtypes[n] = scalar_kind(given[n]);
            if (kinds[n] < 0) return NULL;
            continue;
        }
        Node *node = node_of(given[n]);
        if (!node || !node->dtype || (!n && is_number(node))) return NULL;
        dtypes[n] = index_of_descr((PyArray_Descr *)node->dtype);
        npy_intp nbytes = dtypes[n] < 0 ? -1 : bytes_of(node, dtypes[n]);
        if (nbytes < 0) return NULL;
        if (nbytes > most) most = nbytes;
    }
    if (most < 0 || is_later(most) <= 0) goto end; /* two numbers of Python's; or computed at once */
    int dtype = result_dtype(operation, dtypes[0], dtypes[1]);
    if (dtype < 0) goto end;
    for (int n = 0; n < 2; n++) {
        nodes[n] = node_for(given[n], kinds[n], dtypes[1 - n]);
        if (!nodes[n]) goto end;
    }
    PyObject *shapes[2];
    for (int n = 0; n < 2; n++) {
        shapes[n] = is_number((Node *)nodes[n]) ? NULL : ((Node *)nodes[n])->shape;
        if (shapes[n] && !PyTuple_Check(shapes[n])) goto end;
    }
    shape = !shapes[0]   ? Py_XNewRef(shapes[1])
            : !shapes[1] ? Py_NewRef(shapes[0])
                         : joint_shape(shapes[0], shapes[1]);
    srcs = shape ? PyTuple_New(2) : NULL;
    if (!srcs) goto end;
    for (int n = 0; n < 2; n++) PyTuple_SetItem(srcs, n, Py_NewRef(nodes[n]));
    result = owned(made(operation->op, srcs, Py_None, shape, (PyObject *)descriptors[dtype], 0));
end:
    for (int n = 0; n < 2; n++) Py_XDECREF(nodes[n]);
    Py_XDECREF(srcs);
    Py_XDECREF(shape);
    if (!result) forget_error();
    return result;
}

/* The same for an operation of one operand. */
PyObject *pending_one(Operation *operation, PyObject *x) {
    PyObject *srcs = NULL, *result = NULL;
    if (!operation->op || !scalar_node || !is_buffer(x)) return NULL;
    PyObject *node = Py_XNewRef(((Handle *)x)->node);
    if (!node) return NULL;
    PyObject *its = ((Node *)node)->dtype;
    int from = its ? index_of_descr((PyArray_Descr *)its) : -1;
    npy_intp nbytes = from < 0 || is_number((Node *)node) ? -1 : bytes_of((Node *)node, from);
    if (nbytes < 0 || is_later(nbytes) <= 0) goto end;
    int dtype = result_dtype(operation, from, 0);
    srcs = dtype < 0 ? NULL : PyTuple_New(1);
    if (!srcs) goto end;
    PyTuple_SetItem(srcs, 0, Py_NewRef(node));
    PyObject *shape = Py_NewRef(((Node *)node)->shape);
    result = owned(made(operation->op, srcs, Py_None, shape, (PyObject *)descriptors[dtype], 0));
    Py_DECREF(shape);
end:
    Py_DECREF(node);
    Py_XDECREF(srcs);
    if (!result) forget_error();
    return result;
}
