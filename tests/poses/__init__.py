"""Random poses of two shapes, aimed at one region of the contact at a time."""
