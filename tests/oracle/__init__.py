"""Slow, obvious references of what the library computes, which share no code with it."""
