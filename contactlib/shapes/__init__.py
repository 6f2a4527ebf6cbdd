"""Shapes with their sizes, surfaces, mass properties, and the files that they come from."""
