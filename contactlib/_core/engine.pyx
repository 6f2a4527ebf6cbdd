# distutils: language = c++
"""Model, Data and the tables of the core, for Python: checks, views and errors, no mathematics."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cython.operator cimport dereference as deref
from libc.math cimport INFINITY, NAN, isfinite, sqrt
from libc.stdint cimport int8_t, int32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from contactlib._core cimport cable as ancf
from contactlib._core cimport berthing as berth
from contactlib._core cimport control as lee
from contactlib._core cimport core
from contactlib._core cimport membrane as fabric
from contactlib._core cimport solver

import numpy as np

STATE_WIDTH = 13
WRENCH_WIDTH = 6
MAX_MANIFOLD = 8
MANY = core.many

cdef record_type(const core.Layout* layout):
    types = {"d": "<f8", "i": "<i4", "u": "<u4", "q": "<u8", "s": "u1"}
    names, formats, offsets = [], [], []
    cdef const core.Field* field
    cdef size_t k
    for k in range(layout.count):
        field = &layout.fields[k]
        names.append(field.name.decode())
        formats.append((types[chr(field.type)], field.count) if field.count > 1 else types[chr(field.type)])
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": layout.size})


def record_types():
    """Return the numpy type of each record that the core shares with Python, by name, made from its own layout.

    These are the header and the sections of the model file (core/model/format.hpp), and records of results.
    """
    cdef core.Layouts table = core.layouts()
    cdef size_t i
    return {table.first[i].name.decode(): record_type(&table.first[i]) for i in range(table.count)}


cdef tuple names_by_number(dict numbers, int count):
    """Names of the enumerators of an enum with `count` values, in the order of their numbers."""
    names = tuple(sorted(numbers, key=numbers.get))
    if [numbers[name] for name in names] != list(range(count)):
        raise ImportError(f"an enum of the compiled core has {count} values, Python names {names}")
    return names


#: version of the model file that the core reads
MODEL_VERSION = core.model_version
#: one contact record, as `Data.contacts()` returns them
CONTACT_DTYPE = record_types()["contact"]
#: one contact of a cable, as `Data.cable_contacts()` returns them
CABLE_CONTACT_DTYPE = record_types()["cable_contact"]
#: patches of contacts, their points, outlines and corners of outlines, as `Data.patches()` returns them
PATCH_DTYPES = tuple([record_types()[name]
                      for name in ("contact_patch", "patch_point", "patch_outline", "patch_corner")])
#: names of the field `phase` of a contact
PHASES = names_by_number({"begins": <int>core.Phase.begins, "lasts": <int>core.Phase.lasts,
                          "ends": <int>core.Phase.ends, "ended": <int>core.Phase.ended}, core.phase_count)

# ---- memory of arrays ----------------------------------------------------------------------------

cdef extern from *:
    """
    namespace contactlib_use {

    // the memory of a contiguous array, held until the end of a call.
    struct Buffer {
      Py_buffer view{};

      const void* of(PyObject* array) noexcept {
        return PyObject_GetBuffer(array, &view, PyBUF_SIMPLE) == 0 ? view.buf : nullptr;
      }
      size_t size() const noexcept { return static_cast<size_t>(view.len); }
      ~Buffer() { PyBuffer_Release(&view); }
    };

    }  // namespace contactlib_use
    """
    cdef cppclass Buffer "contactlib_use::Buffer":
        const void* of(object array) except NULL
        size_t size() noexcept


cdef object ARRAY = np.ndarray
cdef object CONTIGUOUS = np.ascontiguousarray
cdef object REAL = np.dtype(np.float64)


cdef object read_only(const void* source, tuple shape, object dtype, Py_ssize_t size):
    """Copy `size` bytes into an array that nobody can make writable: it lies in a bytes object."""
    return ARRAY(shape, dtype, PyBytes_FromStringAndSize(<const char*>source, size))


cdef object rows_of(const void* source, size_t count, object dtype):
    return read_only(source, (count,), dtype, count * dtype.itemsize)


include "model.pyx"
include "use.pyx"
include "data.pyx"
include "user_laws.pyx"
include "batch.pyx"
include "queries.pyx"
include "cables.pyx"
include "point_set.pyx"
include "control.pyx"
include "ensemble.pyx"
include "worlds.pyx"
include "membranes.pyx"
include "solvers.pyx"
include "tables.pyx"
