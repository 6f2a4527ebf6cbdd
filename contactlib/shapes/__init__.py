"""Shapes with sizes, surfaces and mass properties, and importers of mesh files."""
