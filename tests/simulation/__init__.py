"""`Simulation` and `Ensemble` from Python: threads, logs, user laws, point contacts, bad input."""
