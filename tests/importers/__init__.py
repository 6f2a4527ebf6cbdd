"""Scenes from URDF, MJCF and SDF files, compared with MuJoCo and trimesh."""
