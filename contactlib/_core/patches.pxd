# Cython declarations of the query for the patches of contacts.
from libcpp.vector cimport vector

from contactlib._core.core cimport Contact, Data, Model, Status


cdef extern from "state/contact_patches.hpp" namespace "contactlib::state" nogil:
    cdef cppclass ContactPatch:
        pass

    cdef cppclass PatchPoint:
        pass

    cdef cppclass PatchOutline:
        pass

    cdef cppclass PatchCorner:
        pass

    cdef cppclass PatchQuery:
        vector[Contact] contacts
        vector[ContactPatch] patches
        vector[PatchPoint] points
        vector[PatchOutline] outlines
        vector[PatchCorner] corners


cdef extern from "boundary/contact_patches.hpp" namespace "contactlib::boundary" nogil:
    Status find_contact_patches(const Model& model, Data& data, PatchQuery& query) noexcept
