"""The rules of the XML schema of FMI 2.0, which comes with FMPy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from contactlib.fmu.check.fmu_file import FmuFile

SCHEMA = "schema/fmi2/fmi2ModelDescription.xsd"


def violations(fmu: FmuFile) -> Iterator[str]:
    """Yield what the schema finds, with line numbers."""
    import fmpy
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(str(Path(fmpy.__file__).parent / SCHEMA)))
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(fmu.description, parser)
    except etree.XMLSyntaxError as error:  # what Python's own parser accepts
        yield f"modelDescription.xml is no XML: {error}; export the FMU again"
        return
    if not schema.validate(root):
        for found in schema.error_log:
            yield f"line {found.line} of modelDescription.xml breaks the schema of FMI 2.0: {found.message}"


RULES = (violations,)
