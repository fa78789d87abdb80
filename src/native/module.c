/* The module: what Python calls to join the core with the classes and functions of the package. */
#define ONEBUF_MODULE
#include "core.h"

/* set_classes(buffer, node, leaf, fresh, loose, foreign, number, element, place, part) */
static PyObject *set_classes(PyObject *module, PyObject *args) {
    PyObject *given[10];
    if (!PyArg_ParseTuple(args, "OOOOOOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4],
                          &given[5], &given[6], &given[7], &given[8], &given[9]))
        return NULL;
    for (int n = 0; n < 10; n++) Py_INCREF(given[n]);
    classes = (Classes){(PyTypeObject *)given[0], (PyTypeObject *)given[1], (PyTypeObject *)given[2],
                        (PyTypeObject *)given[3], (PyTypeObject *)given[4], (PyTypeObject *)given[5],
                        (PyTypeObject *)given[6], (PyTypeObject *)given[7], (PyTypeObject *)given[9],
                        given[8]};
    Py_RETURN_NONE;
}

/* set_memory(find_shelf, new_cell, give_back) */
static PyObject *set_memory(PyObject *module, PyObject *args) {
    if (!PyArg_ParseTuple(args, "OOO", &find_shelf, &new_cell, &give_back)) return NULL;
    Py_INCREF(find_shelf);
    Py_INCREF(new_cell);
    Py_INCREF(give_back);
    Py_RETURN_NONE;
}

/* set_items(getitem, setitem, delitem) */
static PyObject *set_items(PyObject *module, PyObject *args) {
    if (!PyArg_ParseTuple(args, "OOO", &getitem_twin, &setitem_twin, &delitem_twin)) return NULL;
    Py_INCREF(getitem_twin);
    Py_INCREF(setitem_twin);
    Py_INCREF(delitem_twin);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"native_class", native_class, METH_O, NULL},
    {"set_classes", set_classes, METH_VARARGS, NULL},
    {"set_memory", set_memory, METH_VARARGS, NULL},
    {"address_of", address_of, METH_O, NULL},
    {"ticket", ticket, METH_NOARGS, NULL},
    {"set_pending", set_pending, METH_VARARGS, NULL},
    {"set_items", set_items, METH_VARARGS, NULL},
    {"set_operator", set_operator, METH_VARARGS, NULL},
    {"set_creation", set_creation, METH_VARARGS, NULL},
    {"set_quiet", set_quiet, METH_O, NULL},
    {"set_replays", set_replays, METH_VARARGS, NULL},
    {"note_contexts", note_contexts, METH_O, NULL},
    {"note_homes", note_homes, METH_O, NULL},
    {"set_halted", set_halted, METH_O, NULL},
    {NULL},
};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "onebuf._native",
                                 "The native core of onebuf: see onebuf.native.", -1, methods};

PyMODINIT_FUNC PyInit__native(void) {
    import_array();
    import_ufunc();
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (dtypes_init() < 0 || types_init(module) < 0 || shelf_init(module) < 0 ||
        loops_init(module) < 0 || pending_init() < 0 || methods_init(module) < 0 ||
        reductions_init(module) < 0 || windows_init() < 0 || functions_init(module) < 0 ||
        replays_init(module) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
