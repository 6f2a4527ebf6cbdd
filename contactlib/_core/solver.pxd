# Cython declarations of the solvers.
from libc.stdint cimport int8_t, int32_t


cdef extern from "solve/coulomb.hpp" namespace "contactlib::solve" nogil:
    ctypedef int8_t RowState "contactlib::solve::RowState"

    const int solve_code_count

    cdef enum class SolveCode(int32_t):
        solved
        iteration_limit_reached
        inexact
        not_finite
        bad_bounds
        not_positive
        bad_contact
        too_large

    cdef cppclass McpProblem:
        int n
        const double* A
        const double* b
        const double* lo
        const double* hi

    cdef cppclass SolveReport:
        int32_t row
        int32_t pivots
        int32_t single
        int32_t iterations
        int32_t sweeps
        double residual

    cdef cppclass McpSolver:
        int max_iterations
        void make(int capacity) except +
        SolveReport solve(const McpProblem& problem, RowState* states, double* z) noexcept

    cdef int no_limit

    cdef cppclass FrictionContact:
        int32_t row
        double mu

    cdef cppclass FrictionalProblem:
        McpProblem rows
        int contacts
        const FrictionContact* contact

    cdef cppclass CoulombSolver:
        int max_iterations
        int max_sweeps
        int max_work
        void make(int rows, int contacts) except +
        SolveReport solve(const FrictionalProblem& problem, RowState* states, double* z) noexcept
