"""The element table, joints, thrusters and membranes."""
