/* Delegates: functions of NumPy on the elements of few stored buffers.
 *
 * What the twin does by a function of NumPy that only reads, and whose results are new memory, is
 * done here without windows, blocks and nodes around it: arrays stand for buffers in the arguments,
 * and new buffers for arrays in the result. Where something is unusual, nothing has happened, and
 * the twin is asked.
 */
#include "core.h"

#define MOST_DELEGATED 8192 /* elements of each operand: of more, the overhead does not count */
#define MOST_OPERANDS 16
#define MOST_COPIED 16384 /* bytes of a result up to which it is copied to the pool */

static PyObject *quiet_context, *run_name; /* of Python: a context without NumPy's warnings */

/* set_quiet(quiet_context) */
PyObject *set_quiet(PyObject *module, PyObject *quiet) {
    run_name = PyUnicode_InternFromString("run");
    if (!run_name) return NULL;
    quiet_context = Py_NewRef(quiet);
    Py_RETURN_NONE;
}

/* The arrays of a call's operands, borrowed from its arguments, and the nodes that keep their memory:
 * NumPy lets other threads run, which may empty a list that the buffers were in. */
typedef struct {
    PyArrayObject *arrays[MOST_OPERANDS];
    PyObject *nodes[MOST_OPERANDS];
    int count, has_buffers;
    npy_intp limit;
} Call;

static PyObject *given(Call *call, PyObject *x, int depth);

/* The array of a buffer, or its number as one of NumPy's; NULL: ask the twin, or an exception. */
static PyObject *given_buffer(Call *call, PyObject *x) {
    Operand operand;
    if (!((Handle *)x)->node || !operand_of(x, &operand)) return NULL;
    PyObject *found = NULL;
    if (!operand.array) {
        found = PyArray_Scalar(operand.raw, descriptors[operand.dtype], NULL);
    } else if (operand.size && operand.size <= call->limit && operand.ndim && call->count < MOST_OPERANDS) {
        call->nodes[call->count] = Py_NewRef((PyObject *)operand.node);
        call->arrays[call->count++] = operand.array;
        found = Py_NewRef((PyObject *)operand.array);
    }
    call->has_buffers = 1;
    release(&operand);
    return found;
}

/* A list or a tuple with arrays in the place of buffers. */
static PyObject *given_parts(Call *call, PyObject *x, int depth) {
    int is_list = PyList_CheckExact(x);
    Py_ssize_t count = PySequence_Size(x);
    if (depth > 1 || count > 64) return NULL;
    PyObject *parts = is_list ? PyList_New(count) : PyTuple_New(count);
    for (Py_ssize_t n = 0; parts && n < count; n++) {
        PyObject *part = is_list ? PyList_GetItem(x, n) : PyTuple_GetItem(x, n);
        Py_XINCREF(part);
        PyObject *found = part ? given(call, part, depth + 1) : NULL;
        Py_XDECREF(part);
        if (!found) {
            Py_DECREF(parts);
            return NULL;
        }
        if (is_list) PyList_SetItem(parts, n, found);
        else PyTuple_SetItem(parts, n, found);
    }
    return parts;
}

static int is_plain(PyObject *x) {
    int overflow = 0;
    if (PyLong_CheckExact(x)) { /* of what no dtype holds, the twin says more */
        PyLong_AsLongLongAndOverflow(x, &overflow);
        return !overflow;
    }
    return x == Py_None || scalar_kind(x) >= 0 || PyUnicode_CheckExact(x) || PyArray_DescrCheck(x) ||
           Py_TYPE(x) == &PySlice_Type || x == Py_Ellipsis;
}

/* What NumPy gets for an argument; NULL: ask the twin, or an exception. */
static PyObject *given(Call *call, PyObject *x, int depth) {
    if (is_buffer(x)) return given_buffer(call, x);
    if (depth && (PyUnicode_CheckExact(x) || x == Py_None)) return NULL; /* no elements */
    if (is_plain(x)) return Py_NewRef(x);
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) return given_parts(call, x, depth);
    return NULL;
}

/* ------------------------------------------------------------------------------------- results */

static void bounds_of(PyArrayObject *array, const char **low, const char **high) {
    *low = *high = PyArray_BYTES(array);
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        npy_intp reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis);
        *(reach < 0 ? low : high) += reach;
    }
    *high += PyArray_ITEMSIZE(array);
}

/* Whether a result may lie on memory of an operand. */
static int is_shared(const Call *call, PyArrayObject *array) {
    const char *low, *high, *from, *to;
    bounds_of(array, &low, &high);
    for (int n = 0; n < call->count; n++) {
        bounds_of(call->arrays[n], &from, &to);
        if (low < to && from < high) return 1;
    }
    return 0;
}

/* A buffer with the elements of a new array without gaps, which it takes; NULL: ask the twin, or an
 * exception. */
PyObject *buffer_of_new(PyObject *found) {
    PyArrayObject *array = (PyArrayObject *)found;
    int ndim = PyArray_NDIM(array), dtype = index_of_descr(PyArray_DESCR(array));
    int flags = PyArray_FLAGS(array);
    Node *node = NULL;
    if (ndim && ndim <= MOST_AXES && dtype >= 0) {
        if (PyArray_NBYTES(array) > MOST_COPIED && flags & NPY_ARRAY_OWNDATA &&
            (flags & NPY_ARRAY_CARRAY) == NPY_ARRAY_CARRAY && !PyArray_BASE(array)) {
            node = new_loose(array);
            return node ? new_buffer(node, Py_None) : NULL;
        }
        node = new_fresh(ndim, PyArray_DIMS(array), PyArray_SIZE(array), dtype, NULL);
        if (node)
            memcpy(PyArray_BYTES((PyArrayObject *)node->array), PyArray_BYTES(array),
                   PyArray_NBYTES(array));
    }
    Py_DECREF(found);
    return node ? new_buffer(node, Py_None) : NULL;
}

/* A number of NumPy's as a buffer; NULL: ask the twin. */
static PyObject *buffer_of_number(PyObject *x) {
    PyArray_Descr *descr = PyArray_DescrFromScalar(x);
    if (!descr) return NULL;
    int dtype = index_of_descr(descr);
    Py_DECREF(descr);
    if (dtype < 0) return NULL;
    char raw[16];
    PyArray_ScalarAsCtype(x, raw);
    return new_number(classes.number, raw, dtype);
}

/* Whether an array lies in memory as a new one of its shape does. */
static int is_in_order(PyArrayObject *array) {
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int axis = PyArray_NDIM(array) - 1; axis >= 0; axis--) {
        if (PyArray_STRIDE(array, axis) != step) return 0;
        step *= PyArray_DIM(array, axis);
    }
    return PyArray_SIZE(array) > 0 && PyArray_ISWRITEABLE(array);
}

/* What the caller gets for a result; NULL: ask the twin, or an exception. */
static PyObject *taken(const Call *call, PyObject *found, int depth) {
    if (PyArray_CheckExact(found)) {
        PyArrayObject *array = (PyArrayObject *)found;
        if (!is_in_order(array) || is_shared(call, array)) return NULL;
        if (Py_REFCNT(found) > 1 || PyArray_BASE(array)) { /* others may have it: a copy */
            found = PyArray_NewCopy(array, NPY_CORDER);
            return found ? buffer_of_new(found) : NULL;
        }
        return buffer_of_new(Py_NewRef(found));
    }
    if (PyArray_IsScalar(found, Generic)) return buffer_of_number(found);
    if (is_plain(found)) return Py_NewRef(found);
    if (depth || !PyTuple_Check(found)) return NULL;
    Py_ssize_t count = PyTuple_Size(found);
    PyObject *parts = PyTuple_New(count);
    for (Py_ssize_t n = 0; parts && n < count; n++) {
        PyObject *part = taken(call, PyTuple_GetItem(found, n), 1);
        if (!part) Py_CLEAR(parts);
        else PyTuple_SetItem(parts, n, part);
    }
    if (!parts || PyTuple_CheckExact(found)) return parts;
    PyObject *named = PyObject_CallObject((PyObject *)TYPE(found), parts);
    Py_DECREF(parts);
    return named;
}

/* ---------------------------------------------------------------------------------------- calls */

/* Call a function of NumPy without warnings; the first of `args` is the function. */
static PyObject *run_quietly(PyObject *args, PyObject *named) {
    PyObject *context = PyObject_CallNoArgs(quiet_context);
    PyObject *run = context ? PyObject_GetAttr(context, run_name) : NULL;
    PyObject *found = run ? PyObject_Call(run, args, named) : NULL;
    Py_XDECREF(run);
    Py_XDECREF(context);
    return found;
}

/* `target` of NumPy on the elements of buffers; NULL: ask the twin. */
PyObject *delegated(PyObject *target, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    Call call = {.limit = quick_limit()};
    if (call.limit <= 0 || halted || count > MOST_OPERANDS || !home_is_host()) return NULL;
    if (usual_float() != FLOAT64) return NULL;
    if (call.limit > MOST_DELEGATED) call.limit = MOST_DELEGATED;
    PyObject *named = NULL, *result = NULL, *found = NULL, *arguments = PyTuple_New(count + 1);
    if (!arguments) return NULL;
    PyTuple_SetItem(arguments, 0, Py_NewRef(target));
    for (Py_ssize_t n = 0; n < count; n++) {
        int is_number_first = !n && is_buffer(args[0]) && node_of(args[0]) && is_number(node_of(args[0]));
        if (!n && (args[0] == Py_None || PyUnicode_CheckExact(args[0]))) goto end;
        PyObject *array = is_number_first ? NULL : given(&call, args[n], 0);
        if (!array) goto end;
        PyTuple_SetItem(arguments, n + 1, array);
    }
    Py_ssize_t more = keywords ? PyTuple_Size(keywords) : 0;
    if (more) named = PyDict_New();
    if (more && !named) goto end;
    for (Py_ssize_t n = 0; n < more; n++) {
        PyObject *name = PyTuple_GetItem(keywords, n), *array = NULL;
        if (PyUnicode_CompareWithASCIIString(name, "out") || args[count + n] == Py_None)
            array = given(&call, args[count + n], 0);
        if (!array || PyDict_SetItem(named, name, array) < 0) {
            Py_XDECREF(array);
            goto end;
        }
        Py_DECREF(array);
    }
    if (!call.has_buffers) goto end;
    found = run_quietly(arguments, named);
    if (found) result = taken(&call, found, 0);
end:
    Py_XDECREF(found);
    Py_XDECREF(named);
    Py_DECREF(arguments);
    while (call.count) Py_DECREF(call.nodes[--call.count]);
    return result;
}
