"""The options of a scene by name, in the order of their numbers in the core (core/model/model.hpp)."""

MOTIONS = ("external", "driven", "free", "fixed")
FRAMES = ("world", "body")
INTEGRATORS = ("semi_implicit_euler", "rk4")
WRENCH_OUTPUTS = ("end", "mean")
COUPLINGS = ("none", "jacobi", "gauss_seidel")
#: fields of a scene with a fixed set of values; they are integers from 1 in the FMU
CHOICES = {"resolve_in": FRAMES, "integrator": INTEGRATORS, "wrench_output": WRENCH_OUTPUTS, "coupling": COUPLINGS}
RIM_METHODS = ("exact", "subdivision", "subdivision_open")
VOLUMES = ("auto", "sphere", "aabb", "obb")
#: parts of a law, with the largest number of parameters in a row of the part's table
LAW_PARTS = {"normal": 4, "friction": 8, "adhesion": 2, "rolling": 4, "model": 10}
#: scene.step_size, if the core chooses the lengths of its steps
AUTO = "auto"
#: names of the variables of every scene
RESERVED = ("contact", "step_size", "auto_step", "max_sub_steps", "max_iterations", "resolve_in", "wrench_output",
            "coupling", "mass_tolerance")
#: names of the numbers of a body's state and of its wrench, as in the variables `body.r[1]` and `body.f[1]`
STATE = tuple(f"{part}[{i + 1}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for i in range(count))
WRENCH = tuple(f"{part}[{i + 1}]" for part in "ft" for i in range(3))
#: default size of a page of the viewer, in units of 1e6 bytes
PAGE_LIMIT = 10.0
