/* Elements in other places or of other dtypes, in new memory: copies, rolls, joined parts, and what
 * goes along an axis element by element. */
#include "core.h"

/* Axis `given` of `ndim`, counted from the front; -1: something else. */
int axis_in(PyObject *given, int ndim) {
    if (!PyLong_CheckExact(given)) return -1;
    int overflow;
    long axis = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow || axis < -ndim || axis >= ndim) return -1;
    return (int)(axis < 0 ? axis + ndim : axis);
}

/* A named argument that may also be positional; borrowed, NULL: not given. `used` counts names. */
static PyObject *argument(PyObject *const *args, Py_ssize_t count, PyObject *keywords, Py_ssize_t place,
                          const char *name, Py_ssize_t *used) {
    if (place >= 0 && place < count) return args[place];
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t n = 0; n < more; n++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, n), name)) continue;
        ++*used;
        return args[count + n];
    }
    return NULL;
}

static npy_intp product(const npy_intp *dims, int first, int end) {
    npy_intp found = 1;
    for (int axis = first; axis < end; axis++) found *= dims[axis];
    return found;
}

/* A stored operand with axes and few elements; it is to be released where this is 1. */
static int few(PyObject *x, Operand *operand) {
    npy_intp limit = quick_limit();
    if (!is_buffer(x) || !operand_of(x, operand)) return 0;
    int is_small = operand->array && operand->ndim && operand->size;
    if (is_small && are_few(operand->size, operand->dtype, limit)) return 1;
    release(operand);
    return 0;
}

static char *bytes_of(Node *node) { return PyArray_BYTES((PyArrayObject *)node->array); }

/* -------------------------------------------------------------------------------------- copies */

/* copy() */
PyObject *copied(PyObject *x) {
    Operand operand;
    if (!few(x, &operand)) return NULL;
    Node *node = new_fresh(operand.ndim, operand.dims, operand.size, operand.dtype, operand.node);
    if (node) gather(&operand, bytes_of(node));
    release(&operand);
    return node ? new_buffer(node, Py_None) : NULL;
}

/* flatten() */
PyObject *flattened(PyObject *x) {
    Operand operand;
    if (!few(x, &operand)) return NULL;
    Node *node = new_fresh(1, &operand.size, operand.size, operand.dtype, operand.node);
    if (node) gather(&operand, bytes_of(node));
    release(&operand);
    return node ? new_buffer(node, Py_None) : NULL;
}

/* tolist() */
PyObject *listed_elements(PyObject *x) {
    Operand operand;
    if (!few(x, &operand)) return NULL;
    PyObject *found = PyObject_CallMethod((PyObject *)operand.array, "tolist", NULL);
    release(&operand);
    return found;
}

static PyObject *converted_operand(Operand *x, int dtype) {
    if (!x->contiguous && x->size > MOST_CONVERTED) return NULL;
    Node *node = new_fresh(x->ndim, x->dims, x->size, dtype, NULL);
    if (!node) return NULL;
    if (!x->contiguous) {
        gather(x, (char *)converted[0]);
        x->data = (char *)converted[0];
    }
    if (!convert(x->dtype, x->data, item_sizes[x->dtype], dtype, bytes_of(node), x->size)) {
        Py_DECREF((PyObject *)node);
        return NULL;
    }
    return new_buffer(node, Py_None);
}

/* x.astype(dtype, copy=...) */
PyObject *converted_to(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t used = 0, more = keywords ? PyTuple_Size(keywords) : 0;
    PyObject *copy = argument(args, count, keywords, -1, "copy", &used);
    if (count != 2 || used != more || (copy && !PyBool_Check(copy))) return NULL;
    int dtype = dtype_of(args[1]);
    Operand operand;
    if (dtype < 0 || !few(args[0], &operand)) return NULL;
    PyObject *result;
    if (operand.dtype != dtype) result = converted_operand(&operand, dtype);
    else result = copy == Py_False ? Py_NewRef(args[0]) : copied(args[0]);
    release(&operand);
    return result;
}

/* --------------------------------------------------------------------------------------- rolls */

/* How far each axis is shifted, from integers or tuples of them; 0: ask the twin. */
static int take_shifts(PyObject *shift, PyObject *axis, int ndim, const npy_intp *dims,
                       npy_intp *shifts) {
    npy_intp steps[MOST_AXES], axes[MOST_AXES];
    PyObject *one[1] = {shift}, *other[1] = {axis};
    int count = integers(one, 1, steps), named = integers(other, 1, axes);
    if (count < 1 || named < 1 || (count != named && count != 1 && named != 1)) return 0;
    for (int n = 0; n < ndim; n++) shifts[n] = 0;
    for (int n = 0; n < count || n < named; n++) {
        npy_intp at = axes[named == 1 ? 0 : n], by = steps[count == 1 ? 0 : n];
        if (at < -ndim || at >= ndim) return 0;
        if (at < 0) at += ndim;
        by %= dims[at];
        shifts[at] = (shifts[at] + by + dims[at]) % dims[at];
    }
    return 1;
}

/* Copy `from` to `to`, every axis turned by its shift. */
static void turn(const char *from, char *to, int ndim, const npy_intp *dims, const npy_intp *shifts,
                 npy_intp item) {
    int last = ndim - 1;
    while (last > 0 && !shifts[last]) item *= dims[last--]; /* axes that stay as they are */
    npy_intp index[MOST_AXES] = {0}, steps[MOST_AXES], extent = dims[last];
    npy_intp front = shifts[last] * item, back = (extent - shifts[last]) * item;
    steps[last] = item;
    for (int axis = last - 1; axis >= 0; axis--) steps[axis] = steps[axis + 1] * dims[axis + 1];
    for (npy_intp row = product(dims, 0, last); row; row--, from += front + back) {
        char *at = to;
        for (int axis = 0; axis < last; axis++) {
            npy_intp place = index[axis] + shifts[axis];
            at += (place < dims[axis] ? place : place - dims[axis]) * steps[axis];
        }
        memcpy(at + front, from, back);
        if (front) memcpy(at, from + back, front);
        for (int axis = last - 1; axis >= 0; axis--) {
            if (++index[axis] < dims[axis]) break;
            index[axis] = 0;
        }
    }
}

/* roll(x, shift, axis) */
PyObject *rolled(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t used = 0, more = keywords ? PyTuple_Size(keywords) : 0;
    PyObject *axis = argument(args, count, keywords, 2, "axis", &used);
    Operand x;
    if (count < 2 || count > 3 || used != more || !few(args[0], &x)) return NULL;
    npy_intp shifts[MOST_AXES], dims[MOST_AXES], flat[1] = {x.size};
    int is_flat = !axis || axis == Py_None, ndim = is_flat ? 1 : x.ndim;
    memcpy(dims, is_flat ? flat : x.dims, ndim * sizeof(npy_intp));
    PyObject *zero = PyLong_FromLong(0);
    Node *node = NULL;
    if (zero && x.size * item_sizes[x.dtype] <= (npy_intp)sizeof(converted[0]) &&
        take_shifts(args[1], is_flat ? zero : axis, ndim, dims, shifts))
        node = new_fresh(x.ndim, x.dims, x.size, x.dtype, x.node);
    if (node) {
        if (!x.contiguous) gather(&x, (char *)converted[0]);
        const char *data = x.contiguous ? x.data : (char *)converted[0];
        turn(data, bytes_of(node), ndim, dims, shifts, item_sizes[x.dtype]);
    }
    Py_XDECREF(zero);
    release(&x);
    return node ? new_buffer(node, Py_None) : NULL;
}

/* ---------------------------------------------------------------------------------------- clip */

/* clip(x, low, high): `bounds` are the operations maximum and minimum. */
PyObject *clipped(PyObject *bounds, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t used = 0, more = keywords ? PyTuple_Size(keywords) : 0;
    if (count < 1 || count > 3 || !is_buffer(args[0]) || !node_of(args[0])) return NULL;
    PyObject *limits[2] = {argument(args, count, keywords, 1, "min", &used),
                           argument(args, count, keywords, 2, "max", &used)};
    if (used != more) return NULL;
    PyObject *dtype = node_of(args[0])->dtype, *result = NULL;
    for (int n = 0; n < 2; n++) {
        if (!limits[n] || limits[n] == Py_None) continue;
        if (is_buffer(limits[n]) && (!node_of(limits[n]) || node_of(limits[n])->dtype != dtype)) {
            Py_XDECREF(result);
            return NULL;
        }
        if (result && node_of(result)->dtype != dtype && PyLong_CheckExact(limits[n])) {
            Py_DECREF(result); /* the twin leaves out what the first dtype does not hold */
            return NULL;
        }
        PyObject *x = result ? result : Py_NewRef(args[0]);
        result = compute_two((Operation *)PyTuple_GetItem(bounds, n), x, limits[n]);
        Py_DECREF(x);
        if (!result) return NULL;
    }
    return result;
}

/* ------------------------------------------------------------------------------------- running */

/* accumulate(x, axis, dtype): `how` is (operation, whether integers become wide, whether the axis has to be
 * named). */
PyObject *accumulated(PyObject *how, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t used = 0, more = keywords ? PyTuple_Size(keywords) : 0;
    PyObject *given = argument(args, count, keywords, 1, "axis", &used), *result = NULL;
    PyObject *wanted = argument(args, count, keywords, -1, "dtype", &used);
    Operand x;
    if (count < 1 || count > 2 || used != more || !few(args[0], &x)) return NULL;
    int is_wide = PyTuple_GetItem(how, 1) == Py_True, needs_axis = PyTuple_GetItem(how, 2) == Py_True;
    int axis = given && given != Py_None ? axis_in(given, x.ndim) : given && !needs_axis ? -1 : 0;
    if (needs_axis && x.ndim > 1 && (!given || given == Py_None)) axis = -1;
    int dtype = x.dtype, is_unsigned = dtype == UINT8 || dtype == UINT16 || dtype == UINT32 || dtype == UINT64;
    if (is_wide && dtype < FLOAT16) dtype = is_unsigned ? UINT64 : INT64;
    if (axis < 0 || x.size > MOST_CONVERTED) goto end;
    if (wanted && wanted != Py_None && dtype_of(wanted) != dtype) goto end;
    Loop *loop = loop_for((Operation *)PyTuple_GetItem(how, 0), dtype, dtype);
    if (!loop || loop->state != LOOP || loop->out != dtype || loop->in[0] != dtype || loop->in[1] != dtype)
        goto end;
    Node *node = new_fresh(x.ndim, x.dims, x.size, dtype, x.node);
    if (!node) goto end;
    if (!x.contiguous) {
        gather(&x, (char *)converted[0]);
        x.data = (char *)converted[0];
        x.contiguous = 1;
    }
    npy_int64 *room = converted[x.data == (char *)converted[0]];
    if (!as_dtype(&x, dtype, room)) {
        Py_DECREF((PyObject *)node);
        goto end;
    }
    npy_intp item = item_sizes[dtype], extent = x.dims[axis], rest = extent - 1;
    npy_intp inner = product(x.dims, axis + 1, x.ndim), outer = product(x.dims, 0, axis);
    npy_intp steps[3] = {item, item, item};
    char *from = x.data, *to = bytes_of(node);
    for (; outer; outer--, from += extent * inner * item, to += extent * inner * item) {
        memcpy(to, from, inner * item);
        if (inner == 1) {
            char *at[3] = {to, from + item, to + item};
            if (rest) loop->function(at, &rest, steps, loop->data);
            continue;
        }
        for (npy_intp row = 0; row < rest; row++) {
            npy_intp offset = row * inner * item, next = offset + inner * item;
            char *at[3] = {to + offset, from + next, to + next};
            loop->function(at, &inner, steps, loop->data);
        }
    }
    result = new_buffer(node, Py_None);
end:
    release(&x);
    if (!result) forget_error();
    return result;
}

/* -------------------------------------------------------------------------------------- joined */

#define MOST_PARTS 32

typedef struct {
    Operand parts[MOST_PARTS];
    int count, dtype;
} Parts;

/* The operands that a list or a tuple has, and their common dtype; 0: ask the twin. */
static int take_parts(Parts *all, PyObject *given) {
    all->count = 0;
    all->dtype = -1;
    int is_list = PyList_CheckExact(given);
    if (!is_list && !PyTuple_CheckExact(given)) return 0;
    Py_ssize_t count = PySequence_Size(given);
    if (count < 1 || count > MOST_PARTS) return 0;
    for (Py_ssize_t n = 0; n < count; n++) {
        Operand *part = &all->parts[n];
        PyObject *x = is_list ? PyList_GetItem(given, n) : PyTuple_GetItem(given, n);
        if (!x || !is_buffer(x) || !operand_of(x, part)) return 0;
        all->count++;
        if (all->dtype < 0) all->dtype = part->dtype;
        if (all->dtype == part->dtype) continue;
        PyArray_Descr *common = PyArray_PromoteTypes(descriptors[all->dtype], descriptors[part->dtype]);
        if (!common) return 0;
        all->dtype = index_of_descr(common);
        Py_DECREF(common);
        if (all->dtype < 0) return 0;
    }
    return 1;
}

/* Write a part as rows of `chunk` elements, each `step` bytes after the last; 0: ask the twin. */
static int write_part(Operand *part, int dtype, npy_intp rows, npy_intp chunk, char *at, npy_intp step) {
    npy_intp item = item_sizes[dtype];
    if (rows == 1 && part->dtype == dtype) {
        gather(part, at);
        return 1;
    }
    char *data = part->data;
    if (!part->contiguous) {
        gather(part, (char *)converted[0]);
        data = (char *)converted[0];
    }
    if (part->dtype != dtype) {
        if (!convert(part->dtype, data, item_sizes[part->dtype], dtype, (char *)converted[1], part->size))
            return 0;
        data = (char *)converted[1];
    }
    for (npy_intp row = 0; row < rows; row++) memcpy(at + row * step, data + row * chunk * item, chunk * item);
    return 1;
}

/* Parts one after another along `axis`, each with `rows` chunks; their shape is `dims`. */
static PyObject *join(Parts *all, int ndim, const npy_intp *dims, int axis) {
    npy_intp size = product(dims, 0, ndim), limit = quick_limit(), rows = product(dims, 0, axis);
    npy_intp item = item_sizes[all->dtype];
    if (!are_few(size, all->dtype, limit) || !limit || !home_is_host()) return NULL;
    for (int n = 0; n < all->count; n++)
        if (all->parts[n].size > MOST_CONVERTED) return NULL;
    Node *node = new_fresh(ndim, dims, size, all->dtype, NULL);
    if (!node || !size) return node ? new_buffer(node, Py_None) : NULL;
    char *at = bytes_of(node);
    for (int n = 0; n < all->count; n++) {
        Operand *part = &all->parts[n];
        npy_intp chunk = part->size / rows;
        if (!write_part(part, all->dtype, rows, chunk, at, size / rows * item)) {
            Py_DECREF((PyObject *)node);
            return NULL;
        }
        at += chunk * item;
    }
    return new_buffer(node, Py_None);
}

/* concat(parts, axis) */
static PyObject *joined_along(Parts *all, PyObject *given) {
    Operand *first = &all->parts[0];
    int ndim = first->ndim, axis = given ? axis_in(given, ndim) : 0;
    npy_intp dims[MOST_AXES], extent = 0;
    if (!ndim || axis < 0) return NULL;
    for (int n = 0; n < all->count; n++) {
        Operand *part = &all->parts[n];
        if (part->ndim != ndim || !part->array) return NULL;
        for (int at = 0; at < ndim; at++)
            if (at != axis && part->dims[at] != first->dims[at]) return NULL;
        extent += part->dims[axis];
    }
    memcpy(dims, first->dims, ndim * sizeof(npy_intp));
    dims[axis] = extent;
    return join(all, ndim, dims, axis);
}

/* stack(parts, axis) */
static PyObject *joined_anew(Parts *all, PyObject *given) {
    Operand *first = &all->parts[0];
    int ndim = first->ndim + 1, axis = given ? axis_in(given, ndim) : 0;
    npy_intp dims[MOST_AXES + 1];
    if (axis < 0 || ndim > MOST_AXES) return NULL;
    for (int n = 0; n < all->count; n++) {
        Operand *part = &all->parts[n];
        if (part->ndim != first->ndim) return NULL;
        for (int at = 0; at < part->ndim; at++)
            if (part->dims[at] != first->dims[at]) return NULL;
    }
    for (int at = 0; at < first->ndim; at++) dims[at + (at >= axis)] = first->dims[at];
    dims[axis] = all->count;
    return join(all, ndim, dims, axis);
}

static PyObject *joined_by(PyObject *(*how)(Parts *, PyObject *), PyObject *const *args, Py_ssize_t count,
                           PyObject *keywords) {
    Py_ssize_t used = 0, more = keywords ? PyTuple_Size(keywords) : 0;
    PyObject *axis = argument(args, count, keywords, 1, "axis", &used), *result = NULL;
    if (count < 1 || count > 2 || used != more) return NULL;
    Parts all;
    if (take_parts(&all, args[0])) result = how(&all, axis);
    while (all.count) release(&all.parts[--all.count]);
    if (!result) forget_error();
    return result;
}

PyObject *joined(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    return joined_by(joined_along, args, count, keywords);
}

PyObject *stacked(PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    return joined_by(joined_anew, args, count, keywords);
}
