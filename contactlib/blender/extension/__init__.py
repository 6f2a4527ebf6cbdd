"""Contact Scenes: the Blender extension of contactlib (docs/blender.md).

`plain` needs NumPy only and is tested without Blender; `inside` needs bpy and is loaded when Blender registers the
extension.
"""


def register() -> None:
    """Add the properties, operators, panels and overlays to Blender."""
    from .inside import registration

    registration.register()


def unregister() -> None:
    """Remove what `register` adds."""
    from .inside import registration

    registration.unregister()
