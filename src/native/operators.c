/* Operators: number slots that try the short way, and else call the methods of the Python class. */
#include "core.h"

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, POW, AND, OR, XOR, LEFT, RIGHT,
       LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, /* in the order of Py_LT... */
       NEGATIVE, POSITIVE, ABS, INVERT, MATMUL, OPERATORS };
static const char *names[OPERATORS] = {
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "less", "less_equal",
    "equal", "not_equal", "greater", "greater_equal", "negative", "positive", "abs",
    "bitwise_invert", "matmul"};

/* An operation, and the methods of the Python class for it. */
typedef struct {
    Operation *operation;
    PyObject *forward, *reflected, *in_place;
} Operator;
static Operator table[OPERATORS];
static Operation *square;
static PyUFuncGenericFunction products[DTYPES]; /* NumPy's matrix products */
static void *product_data[DTYPES];

/* set_operator(name, operation, forward, reflected, in_place) */
PyObject *set_operator(PyObject *module, PyObject *args) {
    const char *name;
    PyObject *operation, *forward, *reflected, *in_place;
    if (!PyArg_ParseTuple(args, "sOOOO", &name, &operation, &forward, &reflected, &in_place))
        return NULL;
    if (!strcmp(name, "square")) {
        square = (Operation *)Py_NewRef(operation);
        Py_RETURN_NONE;
    }
    for (int at = 0; at < OPERATORS; at++) {
        if (strcmp(name, names[at])) continue;
        if (at == MATMUL) {
            PyUFuncObject *ufunc = (PyUFuncObject *)operation;
            for (int n = 0; n < ufunc->ntypes; n++) {
                int type = index_of_num(ufunc->types[3 * n]);
                if (type != FLOAT32 && type != FLOAT64) continue;
                products[type] = ufunc->functions[n];
                product_data[type] = ufunc->data ? ufunc->data[n] : NULL;
            }
            table[at].operation = NULL;
        } else {
            table[at].operation = (Operation *)Py_NewRef(operation);
            table[at].operation->code = code_of(name);
        }
        table[at].forward = Py_NewRef(forward);
        table[at].reflected = Py_NewRef(reflected);
        table[at].in_place = Py_NewRef(in_place);
        Py_RETURN_NONE;
    }
    PyErr_SetString(PyExc_KeyError, name);
    return NULL;
}

static int is_handle(PyObject *x) {
    return is_buffer(x) || (classes.buffer && PyObject_TypeCheck(x, classes.buffer));
}

/* What the methods of the Python class say: those of `x`, then those of `y`. */
static PyObject *ask_twins(int at, PyObject *x, PyObject *y) {
    PyObject *result = NULL;
    if (is_handle(x)) {
        result = PyObject_CallFunctionObjArgs(table[at].forward, x, y, NULL);
        if (result != Py_NotImplemented) return result;
    }
    if (is_handle(y) && Py_TYPE(x) != Py_TYPE(y)) {
        Py_XDECREF(result);
        return PyObject_CallFunctionObjArgs(table[at].reflected, y, x, NULL);
    }
    return result ? result : Py_NewRef(Py_NotImplemented);
}

static PyObject *binary(int at, PyObject *x, PyObject *y) {
    PyObject *result = compute_two(table[at].operation, x, y);
    if (result || PyErr_Occurred()) return result;
    return ask_twins(at, x, y);
}

static PyObject *in_place(int at, PyObject *x, PyObject *y) {
    int done = compute_into(table[at].operation, x, y, x);
    if (done < 0) return NULL;
    if (done) return Py_NewRef(x);
    PyObject *result = PyObject_CallFunctionObjArgs(table[at].in_place, x, y, NULL);
    if (at != ADD || result != Py_NotImplemented) return result;
    /* The interpreter also takes this for the concatenation of sequences, which cannot decline. */
    Py_DECREF(result);
    return PyNumber_Add(x, y);
}

static PyObject *unary(int at, PyObject *x) {
    PyObject *result = compute_one(table[at].operation, x);
    if (result || PyErr_Occurred()) return result;
    return PyObject_CallFunctionObjArgs(table[at].forward, x, NULL);
}

#define BINARY(name, at)                                                                           \
    static PyObject *name(PyObject *x, PyObject *y) { return binary(at, x, y); }                   \
    static PyObject *name##_in_place(PyObject *x, PyObject *y) { return in_place(at, x, y); }
#define UNARY(name, at)                                                                            \
    static PyObject *name(PyObject *x) { return unary(at, x); }
BINARY(add, ADD)
BINARY(subtract, SUBTRACT)
BINARY(multiply, MULTIPLY)
BINARY(divide, DIVIDE)
BINARY(floor_divide, FLOOR_DIVIDE)
BINARY(rest, REMAINDER)
BINARY(and, AND)
BINARY(or, OR)
BINARY(xor, XOR)
BINARY(left, LEFT)
BINARY(right, RIGHT)
UNARY(negative, NEGATIVE)
UNARY(positive, POSITIVE)
UNARY(absolute, ABS)
UNARY(invert, INVERT)

/* Whether a power is a square: of floats, by the number 2. */
static int is_square(PyObject *x, PyObject *y) {
    if (!is_buffer(x) || !node_of(x)) return 0;
    if (PyFloat_CheckExact(y) ? PyFloat_AsDouble(y) != 2.0 : !PyLong_CheckExact(y)) return 0;
    if (PyLong_CheckExact(y)) {
        int overflow;
        if (PyLong_AsLongAndOverflow(y, &overflow) != 2) return 0;
    }
    PyObject *dtype = node_of(x)->dtype;
    int type = dtype ? index_of_descr((PyArray_Descr *)dtype) : -1;
    return type >= FLOAT16;
}

static PyObject *power(PyObject *x, PyObject *y, PyObject *modulus) {
    if (modulus == Py_None) {
        PyObject *result = is_square(x, y) ? compute_one(square, x)
                                           : compute_two(table[POW].operation, x, y);
        if (result || PyErr_Occurred()) return result;
        return ask_twins(POW, x, y);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *power_in_place(PyObject *x, PyObject *y, PyObject *modulus) {
    return PyObject_CallFunctionObjArgs(table[POW].in_place, x, y, NULL);
}

PyObject *compare(PyObject *x, PyObject *y, int how) {
    PyObject *result = compute_two(table[LESS + how].operation, x, y);
    if (result || PyErr_Occurred()) return result;
    return PyObject_CallFunctionObjArgs(table[LESS + how].forward, x, y, NULL);
}

/* ------------------------------------------------------------------------------ matrix products */

#define MOST_FACTOR 32768 /* elements of each factor */

static PyObject *multiplied(Operand *x, Operand *y, npy_intp limit) {
    if (x->scalar || y->scalar) return NULL;
    int type = x->dtype == INT64 && y->dtype == FLOAT64 ? FLOAT64 : x->dtype; /* which it becomes */
    if (!products[type] || (type != y->dtype && (type != FLOAT64 || y->dtype != INT64))) return NULL;
    if (x->ndim < 1 || x->ndim > 2 || y->ndim < 1 || y->ndim > 2) return NULL;
    npy_intp inner = x->dims[x->ndim - 1];
    if (inner != y->dims[0] || !x->size || !y->size) return NULL;
    if (x->size > limit || y->size > limit) return NULL;
    npy_intp rows = x->ndim == 2 ? x->dims[0] : 1, columns = y->ndim == 2 ? y->dims[1] : 1;
    npy_intp dims[2], item = item_sizes[type];
    int ndim = 0;
    if (x->ndim == 2) dims[ndim++] = rows;
    if (y->ndim == 2) dims[ndim++] = columns;
    Node *node = NULL;
    char raw[8], *out = raw;
    if (ndim) {
        node = new_fresh(ndim, dims, rows * columns, type, x->node);
        if (!node) return NULL;
        out = PyArray_BYTES((PyArrayObject *)node->array);
    }
    if (!as_dtype(x, type, converted[0]) || !as_dtype(y, type, converted[1])) {
        Py_XDECREF((PyObject *)node);
        return NULL;
    }
    /* NumPy lets a vector be a row or a column with these strides. */
    npy_intp x_row = inner * item, x_column = item, y_row = columns * item, y_column = item;
    if (x->strides) {
        if (x->ndim == 2) x_row = x->strides[0];
        x_column = x->strides[x->ndim - 1];
    }
    if (y->strides) {
        y_row = y->strides[0];
        if (y->ndim == 2) y_column = y->strides[1];
    }
    npy_intp sizes[4] = {1, rows, inner, columns};
    npy_intp steps[9] = {0, 0, 0, x_row, x_column, y_row, y_column, columns * item, item};
    char *at[3] = {x->data, y->data, out};
    products[type](at, sizes, steps, product_data[type]);
    return node ? new_buffer(node, Py_None) : new_number(classes.number, raw, type);
}

PyObject *compute_product(PyObject *x, PyObject *y) {
    Operand one, other;
    PyObject *result = NULL;
    if (!is_buffer(x) || !is_buffer(y) || !operand_of(x, &one)) return NULL;
    if (operand_of(y, &other)) {
        npy_intp limit = quick_limit();
        if (limit > 0) result = multiplied(&one, &other, MOST_FACTOR);
        release(&other);
    }
    release(&one);
    if (!result) forget_error();
    return result;
}

static PyObject *matmul(PyObject *x, PyObject *y) {
    PyObject *result = compute_product(x, y);
    return result || PyErr_Occurred() ? result : ask_twins(MATMUL, x, y);
}

static PyObject *matmul_in_place(PyObject *x, PyObject *y) {
    return PyObject_CallFunctionObjArgs(table[MATMUL].in_place, x, y, NULL);
}

PyType_Slot operator_slots[] = {
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floor_divide},
    {Py_nb_remainder, rest},
    {Py_nb_power, power},
    {Py_nb_and, and},
    {Py_nb_or, or},
    {Py_nb_xor, xor},
    {Py_nb_lshift, left},
    {Py_nb_rshift, right},
    {Py_nb_inplace_add, add_in_place},
    {Py_nb_inplace_subtract, subtract_in_place},
    {Py_nb_inplace_multiply, multiply_in_place},
    {Py_nb_inplace_true_divide, divide_in_place},
    {Py_nb_inplace_floor_divide, floor_divide_in_place},
    {Py_nb_inplace_remainder, rest_in_place},
    {Py_nb_inplace_power, power_in_place},
    {Py_nb_inplace_and, and_in_place},
    {Py_nb_inplace_or, or_in_place},
    {Py_nb_inplace_xor, xor_in_place},
    {Py_nb_inplace_lshift, left_in_place},
    {Py_nb_inplace_rshift, right_in_place},
    {Py_nb_negative, negative},
    {Py_nb_positive, positive},
    {Py_nb_absolute, absolute},
    {Py_nb_invert, invert},
    {Py_nb_matrix_multiply, matmul},
    {Py_nb_inplace_matrix_multiply, matmul_in_place},
    {0, NULL},
};
