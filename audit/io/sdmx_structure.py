"""Code lists and hierarchies in SDMX structure files (SDMX-ML 2.1 and 3.0, SDMX-JSON) -> edges.

`NAME.xml#CL_AREA` is one of the lists of a file. The package pysdmx (1.21) reads such files, too, and leaves out the
parents of codes, which is all that is wanted here.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import listing, quoted, suggestion

Lists = Mapping[str, list[Edge]]


def edges_of_xml(content: bytes, source: str, wanted: str | None) -> list[Edge]:
    """The codes of a list in SDMX-ML. wanted: its name, None: the only one.

    Raises
    ------
    InputError: no XML, one with entities of its own, no list or several, a list that is not there.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise InputError("declares a document type, which structure files do not have.", at=source)
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise InputError("is no readable XML.", at=Place(source, line=line, character=column + 1)) from None
    found: dict[str, list[Edge]] = {}
    for element in root.iter():
        kind, name = _local(element.tag), element.get("id", "")
        if kind == "Codelist":
            found[name] = [_code(code, source) for code in element if _local(code.tag) == "Code"]
        elif kind == "Hierarchy":
            found[name] = list(_nested(element, None, source))
    return _chosen({name: edges for name, edges in found.items() if edges}, source, wanted)


def edges_of_json(document: Document, source: str, wanted: str | None) -> list[Edge]:
    """The same in SDMX-JSON.

    Raises
    ------
    InputError: no list or several, a list that is not there, a code that is none.
    """
    data = document.get("data", document) if isinstance(document, Mapping) else None
    found: dict[str, list[Edge]] = {}
    for key, part in (("codelists", "codes"), ("hierarchies", "hierarchicalCodes")):
        entries = data.get(key, []) if isinstance(data, Mapping) else []
        for entry in entries if isinstance(entries, list) else []:
            if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
                raise InputError(expected="a list with its id", at=Place(source) / key)
            where = Place(source) / key / str(entry["id"])
            walk = _listed if key == "codelists" else _nested_json
            found[str(entry["id"])] = list(walk(entry.get(part, []), where))
    return _chosen({name: edges for name, edges in found.items() if edges}, source, wanted)


def _chosen(found: Lists, source: str, wanted: str | None) -> list[Edge]:
    if not found:
        raise InputError("holds no code list and no hierarchy.", at=source)
    if wanted is None and len(found) > 1:
        text = f"holds {len(found)} lists ({listing(found)}); say which: {quoted(f'{source}#{next(iter(found))}')}."
        raise InputError(text, at=source)
    name = next(iter(found)) if wanted is None else wanted
    if name not in found:
        text = f"there is no list {quoted(name)}{suggestion(name, found)}; lists are {listing(found)}."
        raise InputError(text, at=source, found=quoted(name), expected=listing(found))
    return found[name]


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element | None:
    return next((child for child in element if _local(child.tag) == name), None)


def _reference(element: ElementTree.Element | None) -> str | None:
    """The code that is meant: `<Ref id="A"/>`, or a text (an id, or a URN that ends with it)."""
    if element is None:
        return None
    inner = _child(element, "Ref")
    return inner.get("id") if inner is not None else _of_urn(element.text or "")


def _of_urn(text: str) -> str | None:
    """`urn:sdmx:...Code=AGENCY:LIST(1.0).A` -> `A`."""
    said = text.strip()
    return (said.rpartition(").")[2] if said.startswith("urn:") else said) or None


def _code(element: ElementTree.Element, source: str) -> Edge:
    code = element.get("id")
    if not code:
        raise InputError("a code has no id.", at=source)
    return _reference(_child(element, "Parent")), code


def _nested(element: ElementTree.Element, above: str | None, source: str) -> Iterator[Edge]:
    for child in element:
        if _local(child.tag) != "HierarchicalCode":
            continue
        code = _reference(_child(child, "Code")) or _reference(_child(child, "CodeID")) or child.get("id")
        if not code:
            raise InputError("a hierarchical code names no code.", at=source)
        yield above, code
        yield from _nested(child, code, source)


def _listed(codes: Any, where: Place) -> Iterator[Edge]:
    for entry in _objects(codes, where):
        parent = entry.get("parent")
        yield (parent if isinstance(parent, str) and parent else None), _id(entry, "id", where)


def _nested_json(codes: Any, where: Place, above: str | None = None) -> Iterator[Edge]:
    for entry in _objects(codes, where):
        code = _of_urn(_id(entry, "code" if "code" in entry else "id", where))
        if code is None:
            raise InputError("a hierarchical code names no code.", at=where)
        yield above, code
        yield from _nested_json(entry.get("hierarchicalCodes", []), where, code)


def _objects(found: Any, where: Place) -> list[Mapping[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise InputError(expected="a list of codes", at=where)
    return found


def _id(entry: Mapping[str, Any], key: str, where: Place) -> str:
    found = entry.get(key)
    if not isinstance(found, str) or not found:
        raise InputError(f"a code has no {key}.", at=where)
    return found
