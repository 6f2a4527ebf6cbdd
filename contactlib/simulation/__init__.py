"""A model in motion, and queries without a scene: manifolds, rays, point contacts."""
