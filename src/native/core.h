/* The native core: the usual case of small operations, in C.
 *
 * Every function here has a twin in Python, which is the oracle and handles everything else. A
 * function of the core returns its result; or NULL without an exception, which means "not the usual
 * case, ask the twin"; or NULL with an exception that is to be raised, such as an interrupt. It has
 * no error messages of its own.
 *
 * References to operands are owned before anything is allocated, because an allocation can run
 * finalisers, which are Python code. Memory is read and written after the last allocation.
 */
#ifndef ONEBUF_CORE_H
#define ONEBUF_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <structmember.h>
#include <string.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL onebuf_ARRAY_API
#define PY_UFUNC_UNIQUE_SYMBOL onebuf_UFUNC_API
#ifndef ONEBUF_MODULE
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#define MOST_AXES 6
#define MOST_CONVERTED 32768
#define TYPE(x) Py_TYPE((PyObject *)(x))

/* ------------------------------------------------------------------------------------ types.c */

/* What `onebuf.graph.Node` inherits: all fields of all nodes. */
typedef struct {
    PyObject_HEAD
    PyObject *op, *srcs, *arg, *shape, *dtype, *replays, *made_at, *array, *block, *readers;
    PyObject *claimed, *device;
    PyObject *own_block, *cell, *own_array, *scalar;
    PyObject *owner; /* the leaf whose memory a part lies on */
    PyObject *weakrefs;
    char raw[8]; /* the bytes of a number, if `has_raw` */
    int has_raw;
    int parts; /* how many parts this is the owner of */
} Node;

/* What `onebuf.buffer.handle.Handle` inherits. */
typedef struct {
    PyObject_HEAD
    PyObject *node, *base;
    PyObject *weakrefs;
} Handle;

/* The classes that Python has made, as `install` was told. */
typedef struct {
    PyTypeObject *buffer, *node, *leaf, *fresh, *loose, *foreign, *number, *element, *part;
    PyObject *place; /* what stands for a base in memory without axes */
} Classes;
extern Classes classes;

int types_init(PyObject *module);
PyObject *native_class(PyObject *module, PyObject *twin);
Node *new_node(PyTypeObject *type);
Node *new_loose(PyArrayObject *array); /* takes `array`, which has no other holder */
Node *new_part(Node *node, PyObject *array); /* a leaf on memory of `node`; takes `array` */
PyObject *new_buffer(Node *node, PyObject *base); /* takes `node` */
PyObject *new_number(PyTypeObject *type, const void *raw, int type_index);
int number_raw(Node *node, int type_index, char *raw);
PyObject *block_of(Node *node); /* borrowed */
int has_readers(Node *node);    /* -1: an exception */

extern int halted; /* whether tests have asked for the long way */
static inline int is_buffer(PyObject *x) { return Py_TYPE(x) == classes.buffer && !halted; }
static inline Node *node_of(PyObject *buffer) { return (Node *)((Handle *)buffer)->node; }

static inline int holds_array(Node *node) {
    PyTypeObject *type = TYPE(node);
    return type == classes.fresh || type == classes.leaf || type == classes.loose ||
           type == classes.foreign || type == classes.part || type == classes.node;
}

static inline int is_number(Node *node) {
    PyTypeObject *type = TYPE(node);
    return type == classes.element || type == classes.number;
}

/* ----------------------------------------------------------------------------------- dtypes.c */

/* Numbers of the dtypes that the core knows; above them, Python's own kinds of numbers. */
enum { BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64 };
#define DTYPES 12
#define WIDEST 8 /* the most bytes of one */
enum { PY_BOOL = DTYPES, PY_INT, PY_FLOAT };
#define OPERANDS 15

extern PyArray_Descr *descriptors[DTYPES];
extern const int item_sizes[DTYPES];

int dtypes_init(void);
PyObject *address_of(PyObject *module, PyObject *array);
extern signed char index_by_num[NPY_NTYPES_LEGACY];
static inline int index_of_num(int num) {
    return num >= 0 && num < NPY_NTYPES_LEGACY ? index_by_num[num] : -1;
}
static inline int index_of_descr(PyArray_Descr *descr) { /* -1: unknown */
    int at = index_of_num(descr->type_num);
    return at >= 0 && descriptors[at] == descr ? at : -1;
}
int scalar_kind(PyObject *x); /* PY_BOOL, PY_INT, PY_FLOAT, or -1 */
int scalar_bytes(PyObject *x, int kind, int to, char *raw); /* whether `to` holds it exactly */
int convert(int from, const char *source, npy_intp step, int to, char *target, npy_intp n);

/* ------------------------------------------------------------------------------------ shelf.c */

extern PyObject *find_shelf, *new_cell, *give_back;
int shelf_init(PyObject *module);
Node *new_fresh(int ndim, const npy_intp *dims, npy_intp size, int dtype, Node *like);
void fresh_died(Node *node);
int is_shelf(PyObject *x);
Node *fresh_on(PyObject *shelf);

/* ------------------------------------------------------------------------------------ loops.c */

/* How an operation on operands of known dtypes is computed. */
typedef struct {
    char state;       /* UNKNOWN, TWIN, LOOP or KERNEL */
    signed char in[2]; /* dtypes that the loop takes */
    signed char out;
    PyUFuncGenericFunction function;
    void *data;
    void (*kernel)(const npy_intp *words, npy_intp begin, npy_intp end);
    void (*broadcast_kernel)(const npy_intp *words, npy_intp begin, npy_intp end);
} Loop;
enum { UNKNOWN, TWIN, LOOP, KERNEL };

/* An operation: which loop computes it, asked of Python once for each combination of dtypes. */
typedef struct {
    PyObject_HEAD
    PyObject *resolve; /* (first, second or None) -> how, or None: the twin */
    PyObject *op;      /* the operation of the graph, or NULL */
    PyObject *result;  /* (first, second or None) -> the dtype of a pending result, or None: the twin */
    int arity;
    int code;    /* what `compute_numbers` knows it by, or 0 */
    Loop *table; /* OPERANDS x OPERANDS of two operands, DTYPES of one */
    signed char *results; /* the same places: 0: unknown, -1: the twin, else a dtype and 1 */
} Operation;

typedef struct {
    Node *node;           /* owned */
    PyArrayObject *array; /* owned */
    char *data;
    int ndim, dtype; /* of a scalar, its kind */
    const npy_intp *dims, *strides;
    npy_intp size;
    int contiguous;
    PyObject *scalar; /* borrowed */
    char raw[8];
} Operand;

extern PyTypeObject *operation_type;
int loops_init(PyObject *module);
npy_intp quick_limit(void);
int are_few(npy_intp size, int dtype, npy_intp limit); /* as the twins count: by bytes */
int has_contexts(void); /* whether an option or a listener was ever set, anywhere */
PyObject *note_contexts(PyObject *module, PyObject *get);
PyObject *set_halted(PyObject *module, PyObject *flag);
int operand_of(PyObject *x, Operand *operand);
int operand_of_node(Node *node, Operand *operand);
void release(Operand *operand);
int as_dtype(Operand *operand, int dtype, npy_int64 *room); /* 0: ask the twin */
PyObject *name_of_operand(int index);
void gather(const Operand *operand, char *out); /* its elements in order, without gaps */
void fill_loop(Loop *loop, PyObject *how, int arity);
Loop *loop_for(Operation *operation, int first, int second);
PyObject *compute_one(Operation *operation, PyObject *x);
PyObject *compute_two(Operation *operation, PyObject *x, PyObject *y);
int compute_into(Operation *operation, PyObject *x, PyObject *y, PyObject *out);
PyObject *compute_where(PyObject *condition, PyObject *x, PyObject *y);
extern npy_int64 converted[2][MOST_CONVERTED]; /* used between two calls of Python code */
int compute_one_into(Operation *operation, PyObject *x, PyObject *out);
int run_pair(Loop *loop, Operand *x, Operand *y, int ndim, const npy_intp *dims, npy_intp size,
             char *out, const npy_intp *out_strides);

/* ---------------------------------------------------------------------------------- pending.c */

int pending_init(void);
PyObject *set_pending(PyObject *module, PyObject *args);
PyObject *ticket(PyObject *module, PyObject *unused);
PyObject *make_quickly(PyObject *const *args, Py_ssize_t count);
PyObject *pending_one(Operation *operation, PyObject *x);
PyObject *pending_two(Operation *operation, PyObject *x, PyObject *y);

/* ---------------------------------------------------------------------------------- numbers.c */

int code_of(const char *name);
PyObject *compute_numbers(int code, Operand *x, Operand *y);

/* -------------------------------------------------------------------------------- operators.c */

extern PyType_Slot operator_slots[];
PyObject *set_operator(PyObject *module, PyObject *args);
PyObject *compare(PyObject *x, PyObject *y, int how);
PyObject *compute_product(PyObject *x, PyObject *y);

/* ------------------------------------------------------------------------------------ items.c */

extern PyObject *getitem_twin, *setitem_twin, *delitem_twin;
PyObject *get_item(PyObject *self, PyObject *key);
int set_item(PyObject *self, PyObject *key, PyObject *value);
PyObject *view_of_array(PyObject *self, PyObject *part); /* takes `part` */

int is_apart(Node *node, Node *value); /* whether their memory is known to be apart */

/* ---------------------------------------------------------------------------------- picks.c */

PyObject *picked(PyArrayObject *array, PyObject *key);
int put_picked(Node *node, PyArrayObject *array, int dtype, PyObject *key, PyObject *value);

/* ---------------------------------------------------------------------------------- methods.c */

int methods_init(PyObject *module);
extern PyType_Slot method_slots[];
int integers(PyObject *const *args, Py_ssize_t count, npy_intp *found);
PyObject *reshape_quickly(PyObject *const *args, Py_ssize_t count);
PyObject *ravel_quickly(PyObject *const *args, Py_ssize_t count);
PyObject *permute_quickly(PyObject *const *args, Py_ssize_t count);
PyObject *transpose_quickly(PyObject *const *args, Py_ssize_t count);
PyObject *number_of(PyObject *self);
PyObject *item_of(PyObject *const *args, Py_ssize_t count);
PyObject *shape_quickly(PyObject *self);

/* ------------------------------------------------------------------------------- reductions.c */

int reductions_init(PyObject *module);
PyObject *reduce_quickly(int which, PyObject *x, PyObject *const *args, Py_ssize_t count,
                         PyObject *keywords);
int reduction_named(const char *name);

/* -------------------------------------------------------------------------------- delegates.c */

PyObject *set_quiet(PyObject *module, PyObject *quiet);
PyObject *delegated(PyObject *target, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *buffer_of_new(PyObject *array); /* takes `array`, which has no other holder */

/* --------------------------------------------------------------------------------- movement.c */

int axis_in(PyObject *given, int ndim); /* an axis counted from the front; -1: something else */
PyObject *accumulated(PyObject *ufunc, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *rolled(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *clipped(PyObject *bounds, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *converted_to(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *copied(PyObject *x);
PyObject *flattened(PyObject *x);
PyObject *listed_elements(PyObject *x);
PyObject *joined(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *stacked(PyObject *const *args, Py_ssize_t count, PyObject *keywords);

/* -------------------------------------------------------------------------------- functions.c */

int functions_init(PyObject *module);
PyObject *note_homes(PyObject *module, PyObject *is_host);

int home_is_host(void);

/* --------------------------------------------------------------------------------- creation.c */

int dtype_of(PyObject *given); /* by any spelling; -1: unknown, or an exception */
int usual_float(void); /* the dtype that Python's floats have here */
PyObject *set_creation(PyObject *module, PyObject *args);
PyObject *filled(PyObject *const *args, Py_ssize_t count, PyObject *keywords, int value);
PyObject *filled_like(PyObject *const *args, Py_ssize_t count, PyObject *keywords, int value);
PyObject *full_of(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *counted(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *identity(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *listed(PyObject *const *args, Py_ssize_t count, PyObject *keywords);

/* ---------------------------------------------------------------------------------- windows.c */

int windows_init(void);
PyObject *window_of(PyObject *buffer);
PyObject *as_array(PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *as_memory(PyObject *const *args, Py_ssize_t count);

/* ---------------------------------------------------------------------------------- replays.c */

int replays_init(PyObject *module);
PyObject *set_replays(PyObject *module, PyObject *args);

/* ------------------------------------------------------------------------------- conveniences */

/* PEP 590, which is public in the limited API from 3.12 on */
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef Py_TPFLAGS_METHOD_DESCRIPTOR
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#endif
typedef PyObject *(*Vectorcall)(PyObject *, PyObject *const *, size_t, PyObject *);
static inline Py_ssize_t count_of(size_t flagged) { /* the arguments of a vectorcall */
    return (Py_ssize_t)(flagged & ~((size_t)1 << (8 * sizeof(size_t) - 1)));
}

/* Forget an exception that the twin will raise in better words; keep interrupts. */
static inline void forget_error(void) {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
}

#endif
