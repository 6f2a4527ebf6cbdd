"""Sub-steps whose lengths the core chooses: step_size = "auto"."""
