"""Makes the scene of two berthing rings, such as the Common Berthing Mechanism, from parameters (docs/cbm.md)."""

from contactlib.berthing.parameters import Parameters, read_parameters
from contactlib.berthing.reach import Reach, reach
from contactlib.berthing.scene import ring_scene, scene_text

__all__ = ["Parameters", "Reach", "reach", "read_parameters", "ring_scene", "scene_text"]
