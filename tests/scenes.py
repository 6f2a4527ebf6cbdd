"""Small scenes for tests, written as tables and read like any TOML."""

import contactlib


def body(name, motion="free", shapes=(), **keys):
    return {"name": name, "motion": motion, "shape": list(shapes), **keys}


def law(name, materials, normal, friction=None):
    return {"name": name, "materials": materials, "normal": normal, **({"friction": friction} if friction else {})}


def scene(bodies, laws, pairs, **options):
    return contactlib.Spec.from_dict({
        "scene": {"name": "test", **options},
        "body": bodies, "law": laws, "pair": [{"bodies": pair} for pair in pairs],
    })
