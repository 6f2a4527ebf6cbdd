"""Contact laws, complementarity solvers, energy and determinism of the step."""
