"""Exports scenes as functional mock-up units (FMI 2.0, co-simulation) and runs them."""
