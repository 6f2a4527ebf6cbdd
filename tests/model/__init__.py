"""Scene files, shapes, meshes from files, groups, and model files."""
