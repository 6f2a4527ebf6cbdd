# distutils: language = c++
"""Model, Data and the tables of the core, for Python: checks, views and errors, no mathematics."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython.operator cimport dereference as deref
from libc.math cimport NAN, isfinite, sqrt
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

#: one contact record, as `Data.contacts()` returns them; layout of core/geometry/manifold/contact.hpp
CONTACT_DTYPE = np.dtype([
    ("pair", "i4"), ("feature", "i4"), ("shape_a", "i4"), ("shape_b", "i4"), ("body_a", "i4"), ("body_b", "i4"),
    ("slipping", "i4"), ("law", "i4"), ("phase", "i4"), ("apart", "i4"),
    ("p_AC_W", "f8", 3), ("p_BC_W", "f8", 3), ("n_AB_W", "f8", 3),
    ("depth", "f8"), ("depth_rate", "f8"), ("v_AB_W", "f8", 3), ("f_B_W", "f8", 3), ("t_B_W", "f8", 3),
    ("normal_force", "f8"), ("load_share", "f8"), ("stored_energy", "f8"), ("heat", "f8"),
    ("z_W", "f8", 3), ("s_W", "f8", 3), ("age", "f8"),
])
#: of the field `phase` of a contact
PHASES = ("begins", "lasts", "ends", "ended")
if CONTACT_DTYPE.itemsize != sizeof(core.Contact):
    raise ImportError("the contact record of the compiled core has another layout than CONTACT_DTYPE")

include "model.pyx"
include "use.pyx"
include "data.pyx"
include "user_laws.pyx"
include "batch.pyx"
include "cables.pyx"
include "point_set.pyx"
include "control.pyx"
include "berthing.pyx"
include "elements.pyx"
include "ensemble.pyx"
include "membranes.pyx"
include "solvers.pyx"
include "tables.pyx"
