"""The parts of the extension that need bpy."""
