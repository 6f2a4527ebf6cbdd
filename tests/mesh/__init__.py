"""Contact with triangle meshes, also against bare geometry (`mesh_truth.py`)."""
