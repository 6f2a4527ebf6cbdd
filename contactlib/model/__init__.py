"""From a scene file to a Spec, and from a Spec to a Model."""
