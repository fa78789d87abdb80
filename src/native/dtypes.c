/* Dtypes as small numbers, Python's numbers as bytes, and conversions between the two. */
#include "core.h"
#include <math.h>

PyArray_Descr *descriptors[DTYPES];
const int item_sizes[DTYPES] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
static const int nums[DTYPES] = {NPY_BOOL,   NPY_INT8,   NPY_UINT8, NPY_INT16, NPY_UINT16,  NPY_INT32,
                                 NPY_UINT32, NPY_INT64, NPY_UINT64, NPY_HALF,  NPY_FLOAT32, NPY_FLOAT64};
signed char index_by_num[NPY_NTYPES_LEGACY];

int dtypes_init(void) {
    for (int num = 0; num < NPY_NTYPES_LEGACY; num++) index_by_num[num] = -1;
    for (int at = 0; at < DTYPES; at++) {
        index_by_num[nums[at]] = at;
        descriptors[at] = PyArray_DescrFromType(nums[at]);
        if (!descriptors[at]) return -1;
    }
    return 0;
}

/* address_of(array): of its first element. */
PyObject *address_of(PyObject *module, PyObject *array) {
    if (!PyArray_Check(array)) {
        PyErr_SetNone(PyExc_TypeError);
        return NULL;
    }
    return PyLong_FromVoidPtr(PyArray_DATA((PyArrayObject *)array));
}

int scalar_kind(PyObject *x) {
    if (PyFloat_CheckExact(x)) return PY_FLOAT;
    if (PyLong_CheckExact(x)) return PY_INT;
    return PyBool_Check(x) ? PY_BOOL : -1;
}

#define STORE(type, value) do { type stored = (type)(value); memcpy(raw, &stored, sizeof(type)); } while (0)
#define FITS(type, low, high) if (n < low || n > high) return 0; STORE(type, n); return 1

int scalar_bytes(PyObject *x, int kind, int to, char *raw) {
    if (kind == PY_FLOAT) {
        double d = PyFloat_AsDouble(x);
        if (to == FLOAT64) STORE(double, d);
        else if (to == FLOAT32) STORE(float, d);
        else return 0;
        return 1;
    }
    long long n;
    if (kind == PY_BOOL) {
        n = x == Py_True;
    } else {
        int overflow;
        n = PyLong_AsLongLongAndOverflow(x, &overflow);
        if (overflow) return 0;
    }
    switch (to) {
    case BOOL:
        if (kind != PY_BOOL) return 0;
        raw[0] = (char)n;
        return 1;
    case INT8: FITS(npy_int8, -128, 127);
    case UINT8: FITS(npy_uint8, 0, 255);
    case INT16: FITS(npy_int16, -32768, 32767);
    case UINT16: FITS(npy_uint16, 0, 65535);
    case INT32: FITS(npy_int32, -2147483647LL - 1, 2147483647LL);
    case UINT32: FITS(npy_uint32, 0, 4294967295LL);
    case INT64: STORE(npy_int64, n); return 1;
    case UINT64:
        if (n < 0) return 0;
        STORE(npy_uint64, n);
        return 1;
    /* An integer that a double does not hold would be rounded twice. */
    case FLOAT32:
        if (n < -(1LL << 53) || n > 1LL << 53) return 0;
        STORE(float, (double)n);
        return 1;
    case FLOAT64:
        if (n < -(1LL << 53) || n > 1LL << 53) return 0;
        STORE(double, n);
        return 1;
    }
    return 0;
}

#define COPY_LOOP(from_t, to_t)                                                                    \
    for (npy_intp i = 0; i < n; i++) ((to_t *)target)[i] = (to_t) * (const from_t *)(source + i * step); \
    return 1
#define TRUTH_LOOP(from_t)                                                                         \
    for (npy_intp i = 0; i < n; i++)                                                               \
        ((npy_bool *)target)[i] = *(const from_t *)(source + i * step) != 0;                       \
    return 1
#define TO(from_t)                                                                                 \
    switch (to) {                                                                                  \
    case BOOL: TRUTH_LOOP(from_t);                                                                 \
    case INT8: case UINT8: COPY_LOOP(from_t, npy_uint8);                                           \
    case INT16: case UINT16: COPY_LOOP(from_t, npy_uint16);                                        \
    case INT32: case UINT32: COPY_LOOP(from_t, npy_uint32);                                        \
    case INT64: case UINT64: COPY_LOOP(from_t, npy_uint64);                                        \
    case FLOAT32: COPY_LOOP(from_t, float);                                                        \
    case FLOAT64: COPY_LOOP(from_t, double);                                                       \
    }                                                                                              \
    return 0
/* Of floats, only what the integer holds; what others become is the twin's to say. */
#define WHOLE_LOOP(from_t, to_t, low, end)                                                         \
    for (npy_intp i = 0; i < n; i++) {                                                             \
        from_t value = *(const from_t *)(source + i * step);                                       \
        if (!(value >= (from_t)low && value < (from_t)end)) return 0;                              \
        ((to_t *)target)[i] = (to_t)value;                                                         \
    }                                                                                              \
    return 1
#define FLOAT_TO(from_t)                                                                           \
    switch (to) {                                                                                  \
    case BOOL: TRUTH_LOOP(from_t);                                                                 \
    case INT8: WHOLE_LOOP(from_t, npy_int8, -128, 128);                                            \
    case UINT8: WHOLE_LOOP(from_t, npy_uint8, 0, 256);                                             \
    case INT16: WHOLE_LOOP(from_t, npy_int16, -32768, 32768);                                      \
    case UINT16: WHOLE_LOOP(from_t, npy_uint16, 0, 65536);                                         \
    case INT32: WHOLE_LOOP(from_t, npy_int32, -2147483648.0, 2147483648.0);                        \
    case UINT32: WHOLE_LOOP(from_t, npy_uint32, 0, 4294967296.0);                                  \
    case INT64: WHOLE_LOOP(from_t, npy_int64, -9223372036854775808.0, 9223372036854775808.0);      \
    case UINT64: WHOLE_LOOP(from_t, npy_uint64, 0, 18446744073709551616.0);                        \
    case FLOAT32: COPY_LOOP(from_t, float);                                                        \
    case FLOAT64: COPY_LOOP(from_t, double);                                                       \
    }                                                                                              \
    return 0

/* Convert `n` elements to another dtype, without gaps; 0 if the twin has to. */
int convert(int from, const char *source, npy_intp step, int to, char *target, npy_intp n) {
    switch (from) {
    case BOOL:
    case UINT8: TO(npy_uint8);
    case INT8: TO(npy_int8);
    case INT16: TO(npy_int16);
    case UINT16: TO(npy_uint16);
    case INT32: TO(npy_int32);
    case UINT32: TO(npy_uint32);
    case INT64: TO(npy_int64);
    case UINT64: TO(npy_uint64);
    case FLOAT32: FLOAT_TO(float);
    case FLOAT64: FLOAT_TO(double);
    }
    return 0;
}
