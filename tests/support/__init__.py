"""Helpers of several folders: scenes, plants, FMUs, comparisons with the references, golden hashes."""
