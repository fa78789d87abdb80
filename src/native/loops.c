/* Operations: which loop computes them, and running it on operands of any strides.
 *
 * Loops are those of NumPy's ufuncs, or our compiled kernels, exactly as the twins use them, so that
 * the bits are the same. Which one it is depends on the dtypes alone: Python is asked once.
 */
#include "core.h"

/* ----------------------------------------------------------------- whether the short way is open */

static PyObject *get_limit = NULL; /* of the context variable */
static npy_intp usual_limit = 0;
static int was_set = 0;  /* whether the variable was ever set, anywhere */
int halted = 0;

/* Elements up to which operations may take the short way here; -1: none may, or an exception. */
npy_intp quick_limit(void) {
    if (halted) return 0;
    if (!was_set) return usual_limit;
    PyObject *limit = PyObject_CallNoArgs(get_limit);
    if (!limit) return -1;
    npy_intp found = PyLong_AsSsize_t(limit);
    Py_DECREF(limit);
    return found;
}

int are_few(npy_intp size, int dtype, npy_intp limit) {
    return limit >= 0 && size * item_sizes[dtype] <= limit * WIDEST;
}

int has_contexts(void) { return was_set; }

PyObject *note_contexts(PyObject *module, PyObject *get) {
    if (!get_limit) {
        get_limit = Py_NewRef(get);
        PyObject *limit = PyObject_CallNoArgs(get);
        if (!limit) return NULL;
        usual_limit = PyLong_AsSsize_t(limit);
        Py_DECREF(limit);
    } else {
        was_set = 1;
    }
    Py_RETURN_NONE;
}

PyObject *set_halted(PyObject *module, PyObject *flag) {
    halted = PyObject_IsTrue(flag);
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------------------------- operations */

PyTypeObject *operation_type;

static PyObject *operation_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    PyObject *resolve, *op = NULL, *result = NULL;
    int arity;
    if (!PyArg_ParseTuple(args, "Oi|OO", &resolve, &arity, &op, &result)) return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Operation *operation = (Operation *)alloc(type, 0);
    if (!operation) return NULL;
    operation->resolve = Py_NewRef(resolve);
    operation->arity = arity;
    operation->op = Py_XNewRef(op);
    operation->result = Py_XNewRef(result);
    size_t places = arity == 1 ? DTYPES : OPERANDS * OPERANDS;
    operation->table = PyMem_Calloc(places, sizeof(Loop));
    operation->results = PyMem_Calloc(places, 1);
    if (!operation->table || !operation->results) {
        Py_DECREF((PyObject *)operation);
        return PyErr_NoMemory();
    }
    return (PyObject *)operation;
}

static void operation_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Operation *operation = (Operation *)self;
    PyMem_Free(operation->table);
    PyMem_Free(operation->results);
    Py_XDECREF(operation->resolve);
    Py_XDECREF(operation->op);
    Py_XDECREF(operation->result);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *operation_forget(PyObject *self, PyObject *unused) {
    Operation *operation = (Operation *)self;
    size_t count = operation->arity == 1 ? DTYPES : OPERANDS * OPERANDS;
    memset(operation->table, 0, count * sizeof(Loop));
    Py_RETURN_NONE;
}

static PyMethodDef operation_methods[] = {
    {"forget", operation_forget, METH_NOARGS, "Ask again which loops compute it."},
    {NULL},
};
static PyType_Slot operation_slots[] = {
    {Py_tp_doc, "An element-wise operation and the loops that compute it."},
    {Py_tp_new, operation_new},
    {Py_tp_dealloc, operation_dealloc},
    {Py_tp_methods, operation_methods},
    {0, NULL},
};
static PyType_Spec operation_spec = {"onebuf._native.Operation", sizeof(Operation), 0,
                                     Py_TPFLAGS_DEFAULT, operation_slots};

int loops_init(PyObject *module) {
    operation_type = (PyTypeObject *)PyType_FromSpec(&operation_spec);
    if (!operation_type) return -1;
    return PyModule_AddObject(module, "Operation", Py_NewRef((PyObject *)operation_type));
}

/* An operand's dtype, or the type of a number of Python's. */
PyObject *name_of_operand(int index) {
    switch (index) {
    case PY_BOOL: return (PyObject *)&PyBool_Type;
    case PY_INT: return (PyObject *)&PyLong_Type;
    case PY_FLOAT: return (PyObject *)&PyFloat_Type;
    default: return (PyObject *)descriptors[index];
    }
}

/* Fill a loop from Python's answer: (ufunc, dtypes...) or (address, address, dtypes...). */
void fill_loop(Loop *loop, PyObject *how, int arity) {
    loop->state = TWIN;
    if (!PyTuple_Check(how)) return;
    PyObject *first = PyTuple_GetItem(how, 0);
    int skip = PyLong_Check(first) ? 2 : 1;
    if (PyTuple_Size(how) != skip + arity + 1) return;
    int types[3] = {0};
    for (int at = 0; at <= arity; at++) {
        PyObject *dtype = PyTuple_GetItem(how, skip + at);
        types[at] = PyArray_DescrCheck(dtype) ? index_of_descr((PyArray_Descr *)dtype) : -1;
        if (types[at] < 0) return;
    }
    loop->in[0] = types[0];
    loop->in[1] = arity == 2 ? types[1] : types[0];
    loop->out = types[arity];
    if (skip == 2) {
        loop->kernel = (void *)PyLong_AsVoidPtr(first);
        loop->broadcast_kernel = (void *)PyLong_AsVoidPtr(PyTuple_GetItem(how, 1));
        if (loop->kernel) loop->state = KERNEL;
        return;
    }
    PyUFuncObject *ufunc = (PyUFuncObject *)first;
    for (int at = 0; at < ufunc->ntypes; at++) {
        const char *its = ufunc->types + at * ufunc->nargs;
        int same = ufunc->nargs == arity + 1;
        for (int n = 0; same && n <= arity; n++) same = index_of_num(its[n]) == types[n];
        if (same) {
            loop->function = ufunc->functions[at];
            loop->data = ufunc->data ? ufunc->data[at] : NULL;
            loop->state = LOOP;
            return;
        }
    }
}

/* How `operation` is computed on such operands; NULL: by the twin, or an exception. */
Loop *loop_for(Operation *operation, int first, int second) {
    int at = operation->arity == 1 ? first : first * OPERANDS + second;
    Loop *loop = &operation->table[at];
    if (loop->state == UNKNOWN) {
        PyObject *other = operation->arity == 1 ? Py_None : name_of_operand(second);
        PyObject *how = PyObject_CallFunctionObjArgs(operation->resolve, name_of_operand(first), other,
                                                     NULL);
        if (!how) return NULL;
        if (loop->state == UNKNOWN) fill_loop(loop, how, operation->arity);
        Py_DECREF(how);
    }
    return loop->state == TWIN ? NULL : loop;
}

/* ------------------------------------------------------------------------------------ operands */

/* What all operands have in common that are one number, in `raw`. */
static void fill_single(Operand *operand) {
    operand->node = NULL;
    operand->array = NULL;
    operand->data = operand->raw;
    operand->ndim = 0;
    operand->size = 1;
    operand->contiguous = 1;
    operand->dims = operand->strides = NULL;
}

int operand_of_node(Node *node, Operand *operand) {
    operand->scalar = NULL;
    if (is_number(node)) {
        operand->dtype = node->dtype ? index_of_descr((PyArray_Descr *)node->dtype) : -1;
        if (operand->dtype < 0 || !number_raw(node, operand->dtype, operand->raw)) return 0;
        fill_single(operand);
        return 1;
    }
    if (holds_array(node)) {
        PyArrayObject *array = (PyArrayObject *)node->array;
        if (!array || !PyArray_CheckExact(array)) return 0;
        PyArray_Descr *descr = PyArray_DESCR(array);
        if ((PyObject *)descr != node->dtype) return 0;
        operand->dtype = index_of_descr(descr);
        int flags = PyArray_FLAGS(array);
        if (operand->dtype < 0 || !(flags & NPY_ARRAY_ALIGNED)) return 0;
        operand->ndim = PyArray_NDIM(array);
        if (operand->ndim > MOST_AXES) return 0;
        operand->contiguous = flags & NPY_ARRAY_C_CONTIGUOUS;
        operand->data = PyArray_BYTES(array);
        operand->dims = PyArray_DIMS(array);
        operand->strides = PyArray_STRIDES(array);
        operand->size = PyArray_SIZE(array);
        operand->node = (Node *)Py_NewRef((PyObject *)node);
        operand->array = (PyArrayObject *)Py_NewRef((PyObject *)array);
        return 1;
    }
    return 0;
}

/* Whether `x` is an operand of the usual kind. It is to be released in the end. */
int operand_of(PyObject *x, Operand *operand) {
    if (is_buffer(x)) return ((Handle *)x)->node && operand_of_node(node_of(x), operand);
    int kind = scalar_kind(x);
    if (kind < 0) return 0;
    operand->dtype = kind;
    operand->scalar = x;
    fill_single(operand);
    return 1;
}

void release(Operand *operand) {
    Py_XDECREF((PyObject *)operand->array);
    Py_XDECREF((PyObject *)operand->node);
}

/* The shape of two operands together; -1: they do not fit. */
static int broadcast(const Operand *x, const Operand *y, npy_intp *dims, npy_intp *size) {
    int ndim = x->ndim > y->ndim ? x->ndim : y->ndim;
    *size = 1;
    for (int axis = 0; axis < ndim; axis++) {
        int at_x = axis - (ndim - x->ndim), at_y = axis - (ndim - y->ndim);
        npy_intp one = at_x < 0 ? 1 : x->dims[at_x], two = at_y < 0 ? 1 : y->dims[at_y];
        if (one != two && one != 1 && two != 1) return -1;
        dims[axis] = one == 1 ? two : one;
        *size *= dims[axis];
    }
    return ndim;
}

/* ------------------------------------------------------------------------------------- running */

npy_int64 converted[2][MOST_CONVERTED];

/* `operand` in the dtype that a loop takes; 0: ask the twin. */
int as_dtype(Operand *operand, int dtype, npy_int64 *room) {
    if (operand->scalar) return scalar_bytes(operand->scalar, operand->dtype, dtype, operand->raw);
    if (operand->dtype == dtype) return 1;
    if (operand->size > MOST_CONVERTED || !operand->contiguous) return 0;
    if (!convert(operand->dtype, operand->data, item_sizes[operand->dtype], dtype, (char *)room,
                 operand->size))
        return 0;
    operand->data = (char *)room;
    operand->dtype = dtype;
    operand->strides = NULL; /* without gaps, in its own shape */
    return 1;
}

#define GATHER(type)                                                                               \
    for (npy_intp n = 0; n < inner; n++) ((type *)out)[n] = *(const type *)(at + n * step);        \
    break

void gather(const Operand *operand, char *out) {
    npy_intp item = item_sizes[operand->dtype], size = operand->size;
    if (operand->contiguous || !size) {
        memcpy(out, operand->data, size * item);
        return;
    }
    int last = operand->ndim - 1;
    npy_intp inner = operand->dims[last], step = operand->strides[last], index[MOST_AXES] = {0};
    const char *at = operand->data;
    for (npy_intp row = size / inner;;) {
        switch (item) {
        case 1: GATHER(npy_uint8);
        case 2: GATHER(npy_uint16);
        case 4: GATHER(npy_uint32);
        default: GATHER(npy_uint64);
        }
        if (!--row) return;
        out += inner * item;
        for (int axis = last - 1; axis >= 0; axis--) {
            at += operand->strides[axis];
            if (++index[axis] < operand->dims[axis]) break;
            at -= operand->strides[axis] * operand->dims[axis];
            index[axis] = 0;
        }
    }
}

/* The strides of `operand` along the axes of the result. */
static void strides_in(const Operand *operand, int ndim, npy_intp *strides) {
    npy_intp step = operand->scalar ? 0 : item_sizes[operand->dtype];
    for (int axis = ndim - 1; axis >= 0; axis--) {
        int at = axis - (ndim - operand->ndim);
        if (at < 0 || operand->dims[at] == 1) {
            strides[axis] = 0;
        } else if (operand->strides) {
            strides[axis] = operand->strides[at];
        } else {
            strides[axis] = step;
            step *= operand->dims[at];
        }
    }
}

static void call_kernel(Loop *loop, char *x, char *y, char *out, npy_intp size, int broadcasts) {
    npy_intp words[8];
    int n = 0;
    words[n++] = (npy_intp)x;
    if (y) words[n++] = (npy_intp)y;
    words[n++] = (npy_intp)out;
    words[n++] = size;
    words[n++] = 1;
    if (y) words[n++] = broadcasts ? 0 : 1;
    words[n++] = 1;
    (broadcasts ? loop->broadcast_kernel : loop->kernel)(words, 0, size);
}

/* Run a loop of two operands; 0: ask the twin, and nothing was written. `out_strides` is NULL for a
 * result without gaps. */
int run_pair(Loop *loop, Operand *x, Operand *y, int ndim, const npy_intp *dims, npy_intp size,
             char *out, const npy_intp *out_strides) {
    if (!as_dtype(x, loop->in[0], converted[0]) || !as_dtype(y, loop->in[1], converted[1])) return 0;
    int full_x = x->contiguous && x->size == size, full_y = y->contiguous && y->size == size;
    if (loop->state == KERNEL) {
        if (!full_x || out_strides || !size || !(full_y || (y->size == 1 && loop->broadcast_kernel)))
            return 0;
        call_kernel(loop, x->data, y->data, out, size, !full_y);
        return 1;
    }
    char *at[3] = {x->data, y->data, out};
    npy_intp step_out = item_sizes[(int)loop->out];
    if (!out_strides && (full_x || x->size == 1) && (full_y || y->size == 1)) {
        npy_intp steps[3] = {full_x ? item_sizes[(int)loop->in[0]] : 0,
                             full_y ? item_sizes[(int)loop->in[1]] : 0, step_out};
        loop->function(at, &size, steps, loop->data);
        return 1;
    }
    if (!size) return 1;
    npy_intp strides[3][MOST_AXES], index[MOST_AXES] = {0};
    strides_in(x, ndim, strides[0]);
    strides_in(y, ndim, strides[1]);
    npy_intp step = step_out;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        strides[2][axis] = out_strides ? out_strides[axis] : step;
        step *= dims[axis];
    }
    int inner = ndim - 1;
    npy_intp steps[3] = {strides[0][inner], strides[1][inner], strides[2][inner]};
    npy_intp outer = size / dims[inner];
    for (npy_intp row = 0;; row++) {
        char *now[3] = {at[0], at[1], at[2]};
        loop->function(now, &dims[inner], steps, loop->data);
        if (row + 1 == outer) return 1;
        for (int axis = inner - 1; axis >= 0; axis--) {
            index[axis]++;
            for (int n = 0; n < 3; n++) at[n] += strides[n][axis];
            if (index[axis] < dims[axis]) break;
            for (int n = 0; n < 3; n++) at[n] -= strides[n][axis] * dims[axis];
            index[axis] = 0;
        }
    }
}

static PyObject *two(Operation *operation, Operand *x, Operand *y) {
    npy_intp limit = quick_limit();
    npy_intp dims[MOST_AXES], size;
    if (x->scalar && y->scalar) return NULL;
    if (operation->code && limit > 0 && !x->array && !y->array) {
        PyObject *found = compute_numbers(operation->code, x, y);
        if (found || PyErr_Occurred()) return found;
    }
    int ndim = broadcast(x, y, dims, &size);
    if (ndim < 0) return NULL;
    if ((!x->scalar && !are_few(x->size, x->dtype, limit)) ||
        (!y->scalar && !are_few(y->size, y->dtype, limit)))
        return NULL;
    Loop *loop = loop_for(operation, x->dtype, y->dtype);
    if (!loop || !are_few(size, loop->out, limit)) return NULL;
    if (loop->state == KERNEL && size > limit) return NULL; /* for the threads of the twin */
    if (!ndim) {
        char raw[8];
        if (!run_pair(loop, x, y, 0, dims, 1, raw, NULL)) return NULL;
        return new_number(classes.number, raw, loop->out);
    }
    Node *like = x->dtype == loop->out && x->size == size ? x->node : y->node;
    Node *node = new_fresh(ndim, dims, size, loop->out, like);
    if (!node) return NULL;
    if (!run_pair(loop, x, y, ndim, dims, size, PyArray_BYTES((PyArrayObject *)node->array), NULL)) {
        Py_DECREF((PyObject *)node);
        return NULL;
    }
    return new_buffer(node, Py_None);
}

PyObject *compute_two(Operation *operation, PyObject *x, PyObject *y) {
    Operand one, other;
    if (!operand_of(x, &one)) return pending_two(operation, x, y);
    if (!operand_of(y, &other)) {
        release(&one);
        return pending_two(operation, x, y);
    }
    PyObject *result = two(operation, &one, &other);
    release(&one);
    release(&other);
    if (!result) forget_error();
    return result || PyErr_Occurred() ? result : pending_two(operation, x, y);
}

static PyObject *one(Operation *operation, Operand *x) {
    npy_intp limit = quick_limit();
    if (!x->scalar && !are_few(x->size, x->dtype, limit)) return NULL;
    if (x->scalar) { /* as it would be in a buffer of its own */
        int dtype = x->dtype == PY_FLOAT ? usual_float() : x->dtype == PY_INT ? INT64 : BOOL;
        if (dtype < 0 || !scalar_bytes(x->scalar, x->dtype, dtype, x->raw)) return NULL;
        x->scalar = NULL;
        x->dtype = dtype;
    }
    Loop *loop = loop_for(operation, x->dtype, 0);
    npy_intp size = x->size;
    if (!loop || !are_few(size, loop->out, limit)) return NULL;
    if (loop->state == KERNEL && size > limit) return NULL; /* for the threads of the twin */
    char raw[8], *out = raw;
    Node *node = NULL;
    if ((!x->contiguous && size > MOST_CONVERTED) || (loop->state == KERNEL && !size)) return NULL;
    if (x->ndim) {
        node = new_fresh(x->ndim, x->dims, size, loop->out, x->node);
        if (!node) return NULL;
        out = PyArray_BYTES((PyArrayObject *)node->array);
    }
    if (!x->contiguous) { /* in order, where what follows does not write */
        gather(x, (char *)converted[1]);
        x->data = (char *)converted[1];
        x->contiguous = 1;
    }
    if (!as_dtype(x, loop->in[0], converted[0])) {
        Py_XDECREF((PyObject *)node);
        return NULL;
    }
    if (loop->state == KERNEL) {
        call_kernel(loop, x->data, NULL, out, size, 0);
    } else {
        char *at[2] = {x->data, out};
        npy_intp steps[2] = {item_sizes[(int)loop->in[0]], item_sizes[(int)loop->out]};
        loop->function(at, &size, steps, loop->data);
    }
    return node ? new_buffer(node, Py_None) : new_number(classes.number, raw, loop->out);
}

PyObject *compute_one(Operation *operation, PyObject *x) {
    Operand operand;
    if (!operand_of(x, &operand)) return pending_one(operation, x);
    PyObject *result = one(operation, &operand);
    release(&operand);
    if (!result) forget_error();
    return result || PyErr_Occurred() ? result : pending_one(operation, x);
}

/* Whether memory of `x` may be that of `target` without being the very same elements. */
static int overlaps(const Operand *x, const Operand *target) {
    if (!x->array) return 0;
    if (x->data == target->data && x->ndim == target->ndim && x->size == target->size) {
        int same = 1;
        for (int axis = 0; axis < x->ndim; axis++)
            same = same && x->dims[axis] == target->dims[axis] &&
                   x->strides[axis] == target->strides[axis];
        if (same) return 0;
    }
    const char *low[2], *high[2];
    const Operand *both[2] = {x, target};
    for (int n = 0; n < 2; n++) {
        low[n] = high[n] = both[n]->data;
        for (int axis = 0; axis < both[n]->ndim; axis++) {
            npy_intp reach = (both[n]->dims[axis] - 1) * both[n]->strides[axis];
            *(reach < 0 ? &low[n] : &high[n]) += reach;
        }
        high[n] += item_sizes[both[n]->dtype];
    }
    return low[0] < high[1] && low[1] < high[0];
}

/* Whether every element has a place of its own, for what is found quickly: rows in order. */
static int has_own_places(const Operand *target) {
    if (target->contiguous) return 1;
    if (target->dtype == BOOL) return 0;
    npy_intp reach = item_sizes[target->dtype];
    for (int axis = target->ndim - 1; axis >= 0; axis--) {
        npy_intp step = target->strides[axis] < 0 ? -target->strides[axis] : target->strides[axis];
        if (target->dims[axis] == 1) continue;
        if (step < reach) return 0;
        reach = step * target->dims[axis];
    }
    return 1;
}

/* Write the result to the memory of `out`: 1: done, 0: ask the twin, -1: an exception. */
int compute_into(Operation *operation, PyObject *x, PyObject *y, PyObject *out) {
    Operand one = {0}, other = {0}, target = {0};
    int done = 0;
    npy_intp dims[MOST_AXES], size, limit = quick_limit();
    if (!is_buffer(out) || !operand_of(out, &target)) return 0;
    if (!target.array || !target.ndim || !are_few(target.size, target.dtype, limit)) goto end;
    if (!(PyArray_FLAGS(target.array) & NPY_ARRAY_WRITEABLE) || !has_own_places(&target)) goto end;
    if (!operand_of(x, &one) || !operand_of(y, &other)) goto end;
    int ndim = broadcast(&one, &other, dims, &size);
    if (ndim != target.ndim || size != target.size) goto end;
    for (int axis = 0; axis < ndim; axis++)
        if (dims[axis] != target.dims[axis]) goto end;
    if (overlaps(&one, &target) || overlaps(&other, &target)) goto end;
    Loop *loop = loop_for(operation, one.dtype, other.dtype);
    if (!loop || loop->state != LOOP || loop->out != target.dtype) goto end;
    int waits = has_readers(target.node);
    if (waits) goto end;
    done = run_pair(loop, &one, &other, ndim, dims, size, target.data,
                    target.contiguous ? NULL : target.strides);
end:
    release(&one);
    release(&other);
    release(&target);
    if (!done) forget_error();
    return PyErr_Occurred() ? -1 : done;
}

/* The same for an operation of one operand. */
int compute_one_into(Operation *operation, PyObject *x, PyObject *out) {
    Operand operand = {0}, target = {0};
    int done = 0;
    npy_intp limit = quick_limit();
    if (!is_buffer(out) || !operand_of(out, &target)) return 0;
    if (!target.array || !target.ndim || !are_few(target.size, target.dtype, limit)) goto end;
    if (!target.contiguous) goto end;
    if (!(PyArray_FLAGS(target.array) & NPY_ARRAY_WRITEABLE)) goto end;
    if (!is_buffer(x) || !operand_of(x, &operand)) goto end;
    if (operand.ndim != target.ndim || !operand.contiguous) goto end;
    for (int axis = 0; axis < target.ndim; axis++)
        if (operand.dims[axis] != target.dims[axis]) goto end;
    if (overlaps(&operand, &target)) goto end;
    Loop *loop = loop_for(operation, operand.dtype, 0);
    if (!loop || loop->state != LOOP || loop->out != target.dtype || loop->in[0] != operand.dtype)
        goto end;
    if (has_readers(target.node)) goto end;
    char *at[2] = {operand.data, target.data};
    npy_intp steps[2] = {item_sizes[operand.dtype], item_sizes[target.dtype]};
    loop->function(at, &target.size, steps, loop->data);
    done = 1;
end:
    release(&operand);
    release(&target);
    if (!done) forget_error();
    return PyErr_Occurred() ? -1 : done;
}

/* --------------------------------------------------------------------------------------- where */

#define CHOOSE(type)                                                                               \
    for (npy_intp i = 0; i < size; i++)                                                            \
    ((type *)out)[i] = at[0][i * steps[0]] ? *(type *)(at[1] + i * steps[1]) : *(type *)(at[2] + i * steps[2])

/* `x` where `condition` holds, else `y`: all without gaps and of one shape, or single numbers. */
PyObject *compute_where(PyObject *condition, PyObject *x, PyObject *y) {
    Operand parts[3] = {{0}};
    PyObject *given[3] = {condition, x, y}, *result = NULL;
    int found = 0;
    npy_intp limit = quick_limit();
    for (; found < 3; found++)
        if (!operand_of(given[found], &parts[found])) goto end;
    if (parts[0].scalar || parts[0].dtype != BOOL || !parts[0].ndim || !parts[0].contiguous) goto end;
    npy_intp size = parts[0].size;
    int dtype = parts[1].scalar ? parts[2].dtype : parts[1].dtype;
    if (parts[1].scalar && parts[2].scalar) { /* the second takes its dtype from the first */
        if (parts[1].dtype != parts[2].dtype) goto end;
        dtype = dtype == PY_FLOAT ? usual_float() : dtype == PY_INT ? INT64 : BOOL;
        if (dtype < 0) goto end;
    }
    if (!are_few(size, dtype, limit)) goto end;
    for (int n = 1; n < 3; n++) {
        if (parts[n].scalar) {
            if ((dtype == FLOAT32 || dtype == FLOAT64) ? 0 : parts[n].dtype == PY_FLOAT) goto end;
            if (dtype == BOOL && parts[n].dtype != PY_BOOL) goto end;
            if (!scalar_bytes(parts[n].scalar, parts[n].dtype, dtype, parts[n].raw)) goto end;
            continue;
        }
        if (parts[n].dtype != dtype || !parts[n].contiguous) goto end;
        if (parts[n].ndim == 0) continue;
        if (parts[n].ndim != parts[0].ndim) goto end;
        for (int axis = 0; axis < parts[0].ndim; axis++)
            if (parts[n].dims[axis] != parts[0].dims[axis]) goto end;
    }
    Node *like = parts[1].node ? parts[1].node : parts[2].node;
    Node *node = new_fresh(parts[0].ndim, parts[0].dims, size, dtype, like);
    if (!node) goto end;
    char *out = PyArray_BYTES((PyArrayObject *)node->array);
    char *at[3] = {parts[0].data, parts[1].data, parts[2].data};
    npy_intp steps[3] = {1, parts[1].ndim ? item_sizes[dtype] : 0, parts[2].ndim ? item_sizes[dtype] : 0};
    switch (item_sizes[dtype]) {
    case 1: CHOOSE(npy_uint8); break;
    case 2: CHOOSE(npy_uint16); break;
    case 4: CHOOSE(npy_uint32); break;
    default: CHOOSE(npy_uint64);
    }
    result = new_buffer(node, Py_None);
end:
    for (int n = 0; n < found; n++) release(&parts[n]);
    if (!result) forget_error();
    return result;
}
