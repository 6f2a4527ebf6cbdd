"""The .pcm language."""
