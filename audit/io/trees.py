"""Classifications written as trees inside a document."""

from collections.abc import Iterator, Mapping, Sequence

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.model.hierarchy import Edge
from tableseal.audit.wording import quoted


def tree_edges(tree: Document, where: Place) -> list[Edge]:
    """Edges of an inline tree: mappings of group codes to what is below them, lists of leaf codes.

    Raises
    ------
    InputError: something else than a mapping, a list, a code or nothing.
    """
    if isinstance(tree, str) or tree is None:
        raise InputError(found=quoted(tree), expected="a tree such as {North: [N1, N2], South: [S1]}", at=where)
    edges: list[Edge] = []
    _walk(None, tree, where, edges)
    return edges


def _walk(parent: str | None, node: Document, where: Place, edges: list[Edge]) -> None:
    if isinstance(node, Mapping):
        for code, below in node.items():
            edges.append((parent, code))
            if isinstance(below, str):
                text = f"found {quoted(below)} below {quoted(code)}, expected a list such as [{below}]."
                raise InputError(text, at=where)
            _walk(code, below, where, edges)
    elif isinstance(node, Sequence):
        for item in node:
            if item is None:
                raise InputError(f"an empty entry below {quoted(parent)}; quote a code that says null.", at=where)
            if isinstance(item, str):
                edges.append((parent, item))
            else:
                _walk(parent, item, where, edges)


def wrong_tree(tree: Document) -> Iterator[InputError]:
    """What is wrong with the shape of a tree."""
    try:
        tree_edges(tree, Place())
    except InputError as error:
        yield error


def tree_of(edges: Sequence[Edge], where: Place) -> Document:
    """(parent, code) pairs as nested codes.

    Raises
    ------
    InputError: codes that lie below themselves.
    """
    below: dict[str | None, list[str]] = {}
    for parent, code in edges:
        below.setdefault(parent, []).append(code)
    codes = {code for _, code in edges}
    roots = dict.fromkeys([*below.get(None, ()), *(p for p in below if p is not None and p not in codes)])

    def nested(code: str, above: tuple[str, ...]) -> Document:
        if code in above:
            raise InputError(f"the code {quoted(code)} lies below itself.", at=where)
        return {child: nested(child, (*above, code)) for child in below.get(code, ())}

    if codes and not roots:
        raise InputError("every code lies below another one, expected one without parent.", at=where)
    return {code: nested(code, ()) for code in roots}
