"""Latches, indicators, the berthing mechanism and the latching end effector."""
