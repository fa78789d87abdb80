/* Reductions of stored elements along one axis, several that follow one another, or all.
 *
 * Sums and products of floats are folded here in the order that is part of their value
 * (onebuf.backends.numpy.small_folds): along the last axis, elements go to 16 float64 accumulators
 * in turn, whose halves are then added to each other; along other axes, one after another. Longer
 * rows are folded by the compiled kernels, in chunks. Everything else goes through NumPy's loops.
 */
#include "core.h"
#include <math.h>

enum { R_SUM, R_PROD, R_MAX, R_MIN, R_ALL, R_ANY, R_ARGMAX, R_ARGMIN, R_MEAN, R_VAR, R_STD, NAMES };
static const char *names[NAMES] = {"sum", "prod", "max", "min", "all", "any",
                                   "argmax", "argmin", "mean", "var", "std"};

enum { WHOLE, ROWS, SHORT_ROWS, COLUMNS, FORMS };
#define REDUCTIONS 6     /* R_SUM to R_ANY */
#define OFTEN 100        /* so often the twin reduces long rows before a kernel is asked for */
#define LANES 16         /* accumulators of a row */
#define MOST_FOLDED 1024 /* elements of a row that is folded without a kernel */
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
        int is_float = dtype >= FLOAT16 && which <= R_PROD;
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

/* ---------------------------------------------------------------------------------------- axes */

/* What a call asks for, and the operand as (outer, extent, inner), of which extent is reduced. */
typedef struct {
    int first, last; /* the axes, in order; all of them if `is_whole` */
    int is_whole, is_last, keeps; /* whether the last axis is one of them */
    double less; /* what is taken off the count of a variance */
    npy_intp outer, extent, inner;
    int ndim; /* of the result */
    npy_intp dims[MOST_AXES], size;
} Fold;

/* The axes of an operand; 0: ask the twin. */
static int take_axes(Fold *fold, PyObject *given, int ndim) {
    fold->first = 0;
    fold->last = ndim - 1;
    if (given && given != Py_None) {
        if (PyTuple_CheckExact(given)) {
            Py_ssize_t count = PyTuple_Size(given);
            if (!count || count > ndim) return 0;
            fold->first = axis_in(PyTuple_GetItem(given, 0), ndim);
            for (Py_ssize_t n = 0; n < count; n++)
                if (axis_in(PyTuple_GetItem(given, n), ndim) != fold->first + n) return 0;
            fold->last = fold->first + (int)count - 1;
        } else {
            fold->first = fold->last = axis_in(given, ndim);
        }
        if (fold->first < 0) return 0;
    }
    fold->is_whole = fold->last - fold->first == ndim - 1;
    fold->is_last = fold->last == ndim - 1;
    return 1;
}

/* Axis, keepdims and correction of a call; 0: ask the twin. */
static int take_arguments(Fold *fold, int which, int ndim, PyObject *const *args, Py_ssize_t count,
                          PyObject *keywords) {
    PyObject *axis = count ? args[0] : NULL;
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    fold->keeps = 0;
    fold->less = 0.0;
    if (count > 1) return 0;
    for (Py_ssize_t n = 0; n < more; n++) {
        PyObject *name = PyTuple_GetItem(keywords, n), *value = args[count + n];
        if (!PyUnicode_CompareWithASCIIString(name, "axis") && !axis) {
            axis = value;
        } else if (!PyUnicode_CompareWithASCIIString(name, "keepdims") && PyBool_Check(value) &&
                   which != R_ARGMAX && which != R_ARGMIN) {
            fold->keeps = value == Py_True;
        } else if (which >= R_VAR && (!PyUnicode_CompareWithASCIIString(name, "ddof") ||
                                      !PyUnicode_CompareWithASCIIString(name, "correction"))) {
            char raw[8];
            int kind = scalar_kind(value);
            if (fold->less || kind < PY_INT || !scalar_bytes(value, kind, FLOAT64, raw)) return 0;
            memcpy(&fold->less, raw, 8);
        } else {
            return 0;
        }
    }
    return take_axes(fold, axis, ndim);
}

/* The extents, and the shape of the result. */
static void take_shape(Fold *fold, const Operand *x) {
    fold->outer = fold->extent = fold->inner = 1;
    fold->ndim = 0;
    for (int axis = 0; axis < x->ndim; axis++) {
        npy_intp extent = x->dims[axis];
        if (axis < fold->first) fold->outer *= extent;
        else if (axis > fold->last) fold->inner *= extent;
        else fold->extent *= extent;
        if (axis >= fold->first && axis <= fold->last) extent = 1;
        if (fold->keeps || axis < fold->first || axis > fold->last) fold->dims[fold->ndim++] = extent;
    }
    fold->size = fold->outer * fold->inner;
}

/* ------------------------------------------------------------------------------------- folding */

/* All elements in order without gaps, in the dtype asked for; NULL: ask the twin. */
static char *prepared(Operand *x, int dtype, npy_int64 *room) {
    if (!x->contiguous) {
        if (x->size > MOST_CONVERTED) return NULL;
        gather(x, (char *)room);
        x->data = (char *)room;
        x->contiguous = 1;
        x->strides = NULL;
        if (x->dtype == dtype) return x->data;
        if (room != converted[0]) return NULL;
        room = converted[1];
    }
    return as_dtype(x, dtype, room) ? x->data : NULL;
}

#define TRUTHS(type)                                                                               \
    for (npy_intp n = 0; n < x->size; n++) room[n] = ((const type *)data)[n] != 0;                 \
    break

/* Which elements are true, in order; NULL: ask the twin. */
static char *truths(Operand *x, char *room) {
    char *data = prepared(x, x->dtype, converted[1]);
    if (!data || x->dtype == BOOL) return data;
    switch (x->dtype) {
    case INT8: case UINT8: TRUTHS(npy_uint8);
    case INT16: case UINT16: TRUTHS(npy_uint16);
    case INT32: case UINT32: TRUTHS(npy_uint32);
    case INT64: case UINT64: TRUTHS(npy_uint64);
    case FLOAT32: TRUTHS(float);
    case FLOAT64: TRUTHS(double);
    default: return NULL;
    }
    return room;
}

#define FOLD_ROW(type, op, start)                                                                  \
    do {                                                                                           \
        const type *at = (const type *)data;                                                       \
        for (int k = 0; k < LANES; k++) lanes[k] = start;                                          \
        npy_intp n = 0;                                                                            \
        for (; n + LANES <= extent; n += LANES)                                                    \
            for (int k = 0; k < LANES; k++) lanes[k] = lanes[k] op(double) at[n + k];              \
        for (int k = 0; n + k < extent; k++) lanes[k] = lanes[k] op(double) at[n + k];             \
        for (int half = LANES / 2; half; half /= 2)                                                \
            for (int k = 0; k < half; k++) lanes[k] = lanes[k] op lanes[k + half];                 \
    } while (0)

/* The sum or product of a row. */
static double fold_row(int which, int dtype, const char *data, npy_intp extent) {
    double lanes[LANES];
    if (which == R_SUM) {
        if (dtype == FLOAT64) FOLD_ROW(double, +, -0.0);
        else FOLD_ROW(float, +, -0.0);
    } else {
        if (dtype == FLOAT64) FOLD_ROW(double, *, 1.0);
        else FOLD_ROW(float, *, 1.0);
    }
    return lanes[0];
}

#define FOLD_COLUMNS(type, op, start)                                                              \
    do {                                                                                           \
        const type *at = (const type *)data;                                                       \
        for (npy_intp k = 0; k < count; k++) totals[k] = start op(double) at[k];                   \
        for (npy_intp n = 1; n < extent; n++) {                                                    \
            at += stride;                                                                          \
            for (npy_intp k = 0; k < count; k++) totals[k] = totals[k] op(double) at[k];           \
        }                                                                                          \
    } while (0)

/* The sums or products of rows, `stride` elements apart, one after another. */
static void fold_columns(int which, int dtype, const char *data, npy_intp extent, npy_intp stride,
                         npy_intp count, double *totals) {
    if (which == R_SUM) {
        if (dtype == FLOAT64) FOLD_COLUMNS(double, +, -0.0);
        else FOLD_COLUMNS(float, +, -0.0);
    } else {
        if (dtype == FLOAT64) FOLD_COLUMNS(double, *, 1.0);
        else FOLD_COLUMNS(float, *, 1.0);
    }
}

static void store(const double *totals, npy_intp count, int dtype, char *out) {
    if (dtype == FLOAT64) memcpy(out, totals, 8 * count);
    else for (npy_intp k = 0; k < count; k++) ((float *)out)[k] = (float)totals[k];
}

#define COLUMNS_AT_ONCE 512

/* Sums or products of floats without gaps, in their order. */
static void fold_floats(int which, int dtype, const char *data, const Fold *fold, char *out) {
    npy_intp item = item_sizes[dtype];
    double totals[COLUMNS_AT_ONCE];
    for (npy_intp n = 0; n < fold->outer; n++) {
        const char *rows = data + n * fold->extent * fold->inner * item;
        if (fold->is_last) {
            totals[0] = fold_row(which, dtype, rows, fold->extent);
            store(totals, 1, dtype, out + n * item);
            continue;
        }
        for (npy_intp at = 0; at < fold->inner; at += COLUMNS_AT_ONCE) {
            npy_intp count = fold->inner - at < COLUMNS_AT_ONCE ? fold->inner - at : COLUMNS_AT_ONCE;
            fold_columns(which, dtype, rows + at * item, fold->extent, fold->inner, count, totals);
            store(totals, count, dtype, out + (n * fold->inner + at) * item);
        }
    }
}

/* The same by a compiled kernel, for long rows and for half precision. */
static void fold_by_kernel(Loop *loop, const char *data, const Fold *fold, int form, char *out) {
    npy_intp rows = fold->size, extent = fold->extent;
    npy_intp whole[5] = {(npy_intp)data, (npy_intp)out, extent, 1, 0};
    npy_intp by_row[8] = {(npy_intp)data, (npy_intp)out, rows, extent, extent, 1, 1, 0};
    npy_intp by_column[8] = {(npy_intp)data, (npy_intp)out, rows, extent, 1, rows, 1, 0};
    if (form == WHOLE) loop->kernel(whole, 0, extent);
    else loop->kernel(form == COLUMNS ? by_column : by_row, 0, rows);
}

/* Through a loop of NumPy's, on elements of the dtype that it takes. */
static void fold_by_loop(Loop *loop, char *data, const Fold *fold, char *out) {
    npy_intp item = item_sizes[(int)loop->out], inner = fold->inner, rest = fold->extent - 1;
    npy_intp row_steps[3] = {0, item, 0}, steps[3] = {item, item, item};
    for (npy_intp n = 0; n < fold->outer; n++) {
        char *rows = data + n * fold->extent * inner * item, *to = out + n * inner * item;
        memcpy(to, rows, inner * item);
        if (inner == 1) {
            char *at[3] = {to, rows + item, to};
            if (rest) loop->function(at, &rest, row_steps, loop->data);
            continue;
        }
        for (npy_intp row = 1; row <= rest; row++) {
            char *at[3] = {to, rows + row * inner * item, to};
            loop->function(at, &inner, steps, loop->data);
        }
    }
}

/* Memory for a result: of a node, or `raw` for a number; NULL: ask the twin, or an exception. */
static char *room_for(const Fold *fold, int dtype, char *raw, Node **node) {
    *node = NULL;
    if (!fold->ndim) return raw;
    *node = new_fresh(fold->ndim, fold->dims, fold->size, dtype, NULL);
    return *node ? PyArray_BYTES((PyArrayObject *)(*node)->array) : NULL;
}

static PyObject *finished(Node *node, const char *raw, int dtype) {
    return node ? new_buffer(node, Py_None) : new_number(classes.number, raw, dtype);
}

/* Whether our own loops fold floats of this dtype: those of the kernels need fewer steps. */
static int is_ours(int dtype, const Fold *fold) {
    return (dtype == FLOAT64 || dtype == FLOAT32) && (!fold->is_last || fold->extent <= MOST_FOLDED);
}

static PyObject *reduced(int which, Operand *x, Fold *fold) {
    Loop *loop = NULL;
    int form = fold->size == 1 && fold->is_last ? WHOLE
               : !fold->is_last                 ? COLUMNS
               : fold->extent < short_extent    ? SHORT_ROWS
                                                : ROWS;
    int ours = which <= R_PROD && is_ours(x->dtype, fold), truth = which == R_ALL || which == R_ANY;
    if (!ours) {
        loop = fold_for(which, truth ? BOOL : x->dtype, form);
        if (!loop) return NULL;
        if (loop->state == KERNEL && form == COLUMNS && fold->outer > 1) return NULL;
    }
    int out_dtype = ours ? x->dtype : loop->out;
    char raw[8], *out;
    Node *node;
    out = room_for(fold, out_dtype, raw, &node);
    if (!out) return NULL;
    char *data = truth ? truths(x, (char *)converted[0])
                       : prepared(x, ours || loop->state == KERNEL ? x->dtype : loop->in[0], converted[0]);
    if (!data) {
        Py_XDECREF((PyObject *)node);
        return NULL;
    }
    if (ours) fold_floats(which, x->dtype, data, fold, out);
    else if (loop->state == KERNEL) fold_by_kernel(loop, data, fold, form, out);
    else fold_by_loop(loop, data, fold, out);
    return finished(node, raw, out_dtype);
}

/* The position of an extreme: of all elements, or along an axis. */
static PyObject *position(int which, Operand *x, const Fold *fold) {
    if (!fold->is_whole && fold->first != fold->last) return NULL;
    PyObject *(*find)(PyArrayObject *, int, PyArrayObject *) =
        which == R_ARGMAX ? (void *)PyArray_ArgMax : (void *)PyArray_ArgMin;
    PyObject *found = find(x->array, fold->is_whole ? NPY_RAVEL_AXIS : fold->first, NULL);
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

/* ---------------------------------------------------------------------------- means and spreads */

static void divide(char *out, int dtype, npy_intp size, double divisor) {
    if (dtype == FLOAT64) for (npy_intp n = 0; n < size; n++) ((double *)out)[n] /= divisor;
    else for (npy_intp n = 0; n < size; n++) ((float *)out)[n] /= (float)divisor;
}

/* The mean: of integers in float64, of floats in their own type. */
static PyObject *mean(Operand *x, Fold *fold) {
    int dtype = x->dtype < FLOAT16 ? FLOAT64 : x->dtype;
    if (!is_ours(dtype, fold)) return NULL;
    char raw[8], *out;
    Node *node;
    out = room_for(fold, dtype, raw, &node);
    if (!out) return NULL;
    char *data = prepared(x, dtype, converted[0]);
    if (!data) {
        Py_XDECREF((PyObject *)node);
        return NULL;
    }
    fold_floats(R_SUM, dtype, data, fold, out);
    divide(out, dtype, fold->size, (double)fold->extent);
    return finished(node, raw, dtype);
}

/* Distances of doubles from what is left of them after a reduction, in the place of the elements. */
static void subtract(double *values, const double *totals, const Fold *fold) {
    for (npy_intp n = 0; n < fold->outer; n++)
        for (npy_intp row = 0; row < fold->extent; row++)
            for (npy_intp k = 0; k < fold->inner; k++) *values++ -= totals[n * fold->inner + k];
}

static void square_all(double *values, npy_intp size) {
    for (npy_intp n = 0; n < size; n++) values[n] *= values[n];
}

/* The variance of float32 by distances from the first element, in float64. */
static void spread_of_floats(const float *data, const Fold *fold, double *values, double *totals,
                             double divisor, char *out) {
    const float *x = data;
    double *value = values, count = (double)fold->extent, *squares = totals + fold->size;
    for (npy_intp n = 0; n < fold->outer; n++, data += fold->extent * fold->inner)
        for (npy_intp row = 0; row < fold->extent; row++)
            for (npy_intp k = 0; k < fold->inner; k++) *value++ = (double)*x++ - (double)data[k];
    npy_intp size = fold->size * fold->extent;
    fold_floats(R_SUM, FLOAT64, (char *)values, fold, (char *)totals);
    square_all(values, size);
    fold_floats(R_SUM, FLOAT64, (char *)values, fold, (char *)squares);
    square_all(totals, fold->size);
    for (npy_intp n = 0; n < fold->size; n++) totals[n] /= count;
    for (npy_intp n = 0; n < fold->size; n++) squares[n] -= totals[n];
    for (npy_intp n = 0; n < fold->size; n++) ((float *)out)[n] = (float)(squares[n] / divisor);
}

/* The variance of doubles: the mean first, and then the squares of the distances from it. */
static void spread_of_doubles(double *values, const Fold *fold, double *totals, double divisor,
                              char *out) {
    fold_floats(R_SUM, FLOAT64, (char *)values, fold, (char *)totals);
    divide((char *)totals, FLOAT64, fold->size, (double)fold->extent);
    subtract(values, totals, fold);
    square_all(values, fold->size * fold->extent);
    fold_floats(R_SUM, FLOAT64, (char *)values, fold, out);
    divide(out, FLOAT64, fold->size, divisor);
}

/* A variance, or its root: of integers in float64. */
static PyObject *spread(int which, Operand *x, Fold *fold) {
    int dtype = x->dtype < FLOAT16 ? FLOAT64 : x->dtype;
    double count = (double)fold->extent, divisor = count > fold->less ? count - fold->less : NAN;
    if (!is_ours(dtype, fold) || x->size > MOST_CONVERTED || 2 * fold->size > MOST_CONVERTED) return NULL;
    char raw[8], *out;
    Node *node;
    out = room_for(fold, dtype, raw, &node);
    if (!out) return NULL;
    double *values = (double *)converted[0], *totals = (double *)converted[1];
    npy_intp size = x->size;
    char *data = prepared(x, dtype, dtype == FLOAT64 ? converted[0] : converted[1]);
    if (!data) {
        Py_XDECREF((PyObject *)node);
        return NULL;
    }
    if (dtype == FLOAT64) {
        if (data != (char *)values) memcpy(values, data, 8 * size);
        spread_of_doubles(values, fold, totals, divisor, out);
    } else {
        spread_of_floats((float *)data, fold, values, totals, divisor, out);
    }
    for (npy_intp n = 0; which == R_STD && n < fold->size; n++) {
        if (dtype == FLOAT64) ((double *)out)[n] = sqrt(((double *)out)[n]);
        else ((float *)out)[n] = sqrtf(((float *)out)[n]);
    }
    return finished(node, raw, dtype);
}

/* ---------------------------------------------------------------------------------------- calls */

static PyObject *reduce_operand(int which, Operand *x, PyObject *const *args, Py_ssize_t count,
                                PyObject *keywords) {
    Fold fold;
    npy_intp limit = quick_limit();
    if (x->scalar || !x->array || !x->ndim || !x->size || x->size > limit) return NULL;
    if (!take_arguments(&fold, which, x->ndim, args, count, keywords)) return NULL;
    int is_several = !fold.is_whole && fold.first != fold.last;
    if (is_several && !x->contiguous) return NULL; /* which the twin reduces in another order */
    take_shape(&fold, x);
    if (which == R_MEAN) return mean(x, &fold);
    if (which >= R_VAR) return spread(which, x, &fold);
    return which >= R_ARGMAX ? position(which, x, &fold) : reduced(which, x, &fold);
}

/* A reduction by its place in the table of names; NULL without an exception: ask the twin. */
PyObject *reduce_quickly(int which, PyObject *x, PyObject *const *args, Py_ssize_t count,
                         PyObject *keywords) {
    Operand operand;
    if (!is_buffer(x) || !operand_of(x, &operand)) return NULL;
    PyObject *result = reduce_operand(which, &operand, args, count, keywords);
    release(&operand);
    if (!result) forget_error();
    return result;
}

/* The place of a reduction in the table of names; -1: it has none. */
int reduction_named(const char *name) {
    for (int at = 0; at < NAMES; at++)
        if (!strcmp(name, names[at])) return at;
    return -1;
}

static PyMethodDef module_methods[] = {
    {"set_reductions", set_reductions, METH_VARARGS, NULL},
    {NULL},
};

int reductions_init(PyObject *module) { return PyModule_AddFunctions(module, module_methods); }
