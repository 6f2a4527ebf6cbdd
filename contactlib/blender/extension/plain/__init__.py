"""The parts of the extension that need NumPy only: frames, drawing, measuring, fitting, checks, scene tables."""
