/* Arithmetic and comparisons of two numbers that are float64 or int64, without a loop. */
#include "core.h"

/* What is computed of two numbers; 0: something else. */
int code_of(const char *name) {
    static const char *names[] = {"add", "subtract", "multiply", "divide", "less", "less_equal",
                                  "equal", "not_equal", "greater", "greater_equal", NULL};
    for (int at = 0; names[at]; at++)
        if (!strcmp(names[at], name)) return at + 1;
    return 0;
}
enum { NONE, ADD, SUBTRACT, MULTIPLY, DIVIDE, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER,
       GREATER_EQUAL };

#define COMPARE                                                                                    \
    case LESS: truth = a < b; break;                                                               \
    case LESS_EQUAL: truth = a <= b; break;                                                        \
    case EQUAL: truth = a == b; break;                                                             \
    case NOT_EQUAL: truth = a != b; break;                                                         \
    case GREATER: truth = a > b; break;                                                            \
    default: truth = a >= b;

static PyObject *of_doubles(int code, double a, double b) {
    double found;
    char truth;
    switch (code) {
    case ADD: found = a + b; break;
    case SUBTRACT: found = a - b; break;
    case MULTIPLY: found = a * b; break;
    case DIVIDE: found = a / b; break;
        COMPARE
    }
    if (code <= DIVIDE) return new_number(classes.number, &found, FLOAT64);
    return new_number(classes.number, &truth, BOOL);
}

static PyObject *of_integers(int code, npy_int64 a, npy_int64 b) {
    npy_uint64 found, one = (npy_uint64)a, two = (npy_uint64)b;
    char truth;
    switch (code) {
    case ADD: found = one + two; break;
    case SUBTRACT: found = one - two; break;
    case MULTIPLY: found = one * two; break;
    case DIVIDE: return of_doubles(DIVIDE, (double)a, (double)b);
        COMPARE
    }
    if (code <= DIVIDE) return new_number(classes.number, &found, INT64);
    return new_number(classes.number, &truth, BOOL);
}

static int is_whole(const Operand *x) { return x->dtype == INT64 || x->dtype == PY_INT; }

static double as_double(const Operand *x) {
    npy_int64 whole;
    double real;
    if (x->dtype != INT64) {
        memcpy(&real, x->raw, 8);
        return real;
    }
    memcpy(&whole, x->raw, 8);
    return (double)whole;
}

/* The result for two operands that are single numbers, one at most of Python's; NULL: another way. */
PyObject *compute_numbers(int code, Operand *x, Operand *y) {
    Operand *both[2] = {x, y};
    int whole = is_whole(x) && is_whole(y);
    for (int n = 0; n < 2; n++) {
        int dtype = both[n]->dtype;
        if (dtype != FLOAT64 && dtype != INT64 && dtype != PY_FLOAT && dtype != PY_INT) return NULL;
        if (both[n]->scalar &&
            !scalar_bytes(both[n]->scalar, dtype, whole ? INT64 : FLOAT64, both[n]->raw))
            return NULL;
    }
    if (!whole && code >= LESS && is_whole(x) != is_whole(y)) return NULL; /* compared exactly */
    if (!whole) return of_doubles(code, as_double(x), as_double(y));
    npy_int64 a, b;
    memcpy(&a, x->raw, 8);
    memcpy(&b, y->raw, 8);
    return of_integers(code, a, b);
}
