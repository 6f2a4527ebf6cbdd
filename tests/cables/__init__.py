"""Cables and snares."""
