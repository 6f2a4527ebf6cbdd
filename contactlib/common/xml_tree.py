"""Reads XML from anywhere within limits: a limited number of elements, and no document type."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

#: most XML elements of a file: elements need much memory
MAX_ELEMENTS = 200_000


class _Builder(TreeBuilder):
    """Builds the tree, and refuses what would fill the memory."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.count = what, 0

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise ValueError(f"{self.what} has more than {MAX_ELEMENTS} elements")
        return super().start(tag, attributes)

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError(f"{self.what} declares a document type, which may define entities that multiply: remove it")


def read_xml(content: bytes, what: str) -> Element:
    """Return the root element of a document. `what` names the document in errors.

    Raises
    ------
    ValueError : not well-formed XML, more than MAX_ELEMENTS elements, or a document type.

    Examples
    --------
    >>> read_xml(b"<robot name='arm'/>", "arm.urdf").get("name")
    'arm'
    >>> read_xml(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "arm.urdf")
    Traceback (most recent call last):
    ValueError: arm.urdf declares a document type, which may define entities that multiply: remove it
    """
    parser = XMLParser(target=_Builder(what))
    try:
        parser.feed(content)
        root: Element = parser.close()
    except (ParseError, LookupError) as error:  # a LookupError of an unknown encoding
        raise ValueError(f"{what} cannot be read: {error}") from None
    return root
