"""The choices that a scene offers, by name, in the order in which the core numbers them (core/model/model.hpp)."""

MOTIONS = ("external", "driven", "free", "fixed")
FRAMES = ("world", "body")
INTEGRATORS = ("semi_implicit_euler", "rk4")
WRENCH_OUTPUTS = ("end", "mean")
COUPLINGS = ("none", "jacobi", "gauss_seidel")
#: fields of a scene that are one of some names, and enumerations of the FMU
CHOICES = {"resolve_in": FRAMES, "integrator": INTEGRATORS, "wrench_output": WRENCH_OUTPUTS, "coupling": COUPLINGS}
RIM_METHODS = ("exact", "subdivision", "subdivision_open")
VOLUMES = ("auto", "sphere", "aabb", "obb")
#: parts of a law, with the most parameters that a row of its table has
LAW_PARTS = {"normal": 4, "friction": 8, "adhesion": 2, "rolling": 4, "model": 10}
#: names of the variables that every scene has
RESERVED = ("contact", "step_size", "resolve_in", "wrench_output", "coupling")
