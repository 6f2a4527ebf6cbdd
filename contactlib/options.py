"""The choices that a scene offers, by name, in the order in which the core numbers them (core/model.hpp)."""

MOTIONS = ("external", "driven", "free", "fixed")
FRAMES = ("world", "body")
INTEGRATORS = ("semi_implicit_euler", "rk4")
WRENCH_OUTPUTS = ("end", "mean")
RIM_METHODS = ("exact", "subdivision", "subdivision_open")
