"""Simulations of a model, and queries without a scene: manifolds, rays, point contacts."""
