"""The Blender toolkit: an extension for Blender, and the commands that run Blender without a window (docs/blender.md).

The folder `extension` is the Blender extension. It runs in Blender's own Python, which has no contactlib: its folder
`plain` needs NumPy only, its folder `inside` also bpy. The modules beside this file run in contactlib's Python.
"""
