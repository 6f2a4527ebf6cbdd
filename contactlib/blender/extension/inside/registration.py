"""Registers the classes, properties and drawing handlers of the extension."""

import bpy

from . import fits, laws, marking, overlays, panels, properties, scene_files

_MODULES = (marking, laws, fits, scene_files, overlays, panels)


def register() -> None:
    for module in _MODULES:
        for each in module.CLASSES:
            bpy.utils.register_class(each)
    properties.register()
    overlays.register()


def unregister() -> None:
    overlays.unregister()
    properties.unregister()
    for module in reversed(_MODULES):
        for each in reversed(module.CLASSES):
            bpy.utils.unregister_class(each)
