"""A scene as a functional mock-up unit (FMI 2.0, co-simulation)."""
