"""The FMU: export, slave, states, hosts, and coupling through it."""
