"""Code lists and hierarchies of SDMX structure files as classifications."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document

CELLS = {"area": ["_T", "N", "N1", "N2", "S"], "value": [30, 18, 11, 7, 12]}
CODES = ["_T", "N", "S", "N1", "N2"]
ABOVE = {"_T": None, "N": "_T", "S": "_T", "N1": "N", "N2": "N"}


def document(file: str) -> dict[str, Any]:
    variables = {"area": {"total": "_T", "file": file}}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": [{"name": "t", "cells": CELLS}]}


def ml(*, version: int, name: str = "CL_AREA") -> str:
    def parent(code: str) -> str:
        above = ABOVE[code]
        inside = f'<Ref id="{above}"/>' if version == 2 else above
        return "" if above is None else f"<str:Parent>{inside}</str:Parent>"

    codes = "".join(f'<str:Code id="{code}"><com:Name>x</com:Name>{parent(code)}</str:Code>' for code in CODES)
    return f'<str:Codelist id="{name}" agencyID="XX" version="1.0"><com:Name>Areas</com:Name>{codes}</str:Codelist>'


def whole(*lists: str) -> str:
    spaces = 'xmlns:mes="urn:m" xmlns:str="urn:s" xmlns:com="urn:c"'
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<mes:Structure {spaces}>{''.join(lists)}</mes:Structure>\n"


def nested(code: str) -> str:
    below = "".join(nested(other) for other in CODES if ABOVE[other] == code)
    urn = f"urn:sdmx:org.sdmx.infomodel.codelist.Code=XX:CL_AREA(1.0).{code}"
    return f'<str:HierarchicalCode id="h_{code}"><str:Code>{urn}</str:Code>{below}</str:HierarchicalCode>'


def nested_json(code: str) -> dict[str, Any]:
    below = [nested_json(other) for other in CODES if ABOVE[other] == code]
    urn = f"urn:sdmx:org.sdmx.infomodel.codelist.Code=XX:CL_AREA(1.0).{code}"
    return {"id": f"h_{code}", "code": urn, **({"hierarchicalCodes": below} if below else {})}


def same(file: str, path: Path) -> bool:
    """Whether a file gives the tree; hierarchies list codes in another order."""
    found = release_from_document(document(file), folder=path).variables["area"]
    parents = zip(found.codes, found.parents[0].tolist(), strict=True)
    return {code: None if above < 0 else found.codes[above] for code, above in parents} == ABOVE


@pytest.mark.parametrize("version", [2, 3])
def test_a_code_list_with_parents(tmp_path: Path, version: int) -> None:
    # CONVENTION 848
    (tmp_path / "s.xml").write_text(whole(ml(version=version)))
    assert same("s.xml", tmp_path)


def test_one_of_several_lists(tmp_path: Path) -> None:
    # CONVENTION 848
    other = ml(version=2, name="CL_OTHER")
    (tmp_path / "s.xml").write_text(whole(other, ml(version=2)))
    assert same("s.xml#CL_AREA", tmp_path)
    with pytest.raises(InputError, match=r"holds 2 lists \(CL_OTHER, CL_AREA\); say which: .s.xml#CL_OTHER"):
        release_from_document(document("s.xml"), folder=tmp_path)
    with pytest.raises(InputError, match=r'there is no list "CL_AREAS" .did you mean "CL_AREA"'):
        release_from_document(document("s.xml#CL_AREAS"), folder=tmp_path)


def test_hierarchies(tmp_path: Path) -> None:
    # CONVENTION 848
    (tmp_path / "s.xml").write_text(whole(f'<str:Hierarchy id="H">{nested("_T")}</str:Hierarchy>'))
    assert same("s.xml", tmp_path)
    content = {"data": {"hierarchies": [{"id": "H", "hierarchicalCodes": [nested_json("_T")]}]}}
    (tmp_path / "h.json").write_text(json.dumps(content))
    assert same("h.json", tmp_path)


def test_code_lists_in_json(tmp_path: Path) -> None:
    # CONVENTION 848
    codes = [{"id": code, **({"parent": above} if (above := ABOVE[code]) else {})} for code in CODES]
    (tmp_path / "s.json").write_text(json.dumps({"meta": {}, "data": {"codelists": [{"id": "CL", "codes": codes}]}}))
    assert same("s.json", tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.xml", "<a><b></a>", r"s.xml line 1, column \d+: is no readable XML"),
        ("s.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a/>', "declares a document type"),
        ("s.xml", "<a/>", "holds no code list"),
        ("s.xml", whole('<str:Codelist id="C"><str:Code/></str:Codelist>'), "a code has no id"),
        ("s.json", '{"data": {"codelists": [{}]}}', "expected a list with its id"),
        ("s.json", '{"data": {"codelists": [{"id": "C", "codes": [1]}]}}', "expected a list of codes"),
        ("s.json", '{"data": {"codelists": [{"id": "C", "codes": [{}]}]}}', "a code has no id"),
    ],
)
def test_structures_that_are_none(tmp_path: Path, name: str, text: str, said: str) -> None:
    # CONVENTION 848
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        release_from_document(document(name), folder=tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("pysdmx") is None, reason="pysdmx is not installed")
def test_what_pysdmx_writes(tmp_path: Path) -> None:
    """Structure files of another program; it knows no parents of codes, so that the list is flat."""
    from pysdmx.io import write_sdmx
    from pysdmx.io.format import Format
    from pysdmx.model import Agency, Code, Codelist

    codes = [Code(code, name=code) for code in CODES]
    written = Codelist(id="CL_AREA", agency=Agency("XX"), name="Areas", version="1.0", items=codes)
    for kind, name in ((Format.STRUCTURE_SDMX_ML_2_1, "a.xml"), (Format.STRUCTURE_SDMX_JSON_2_0_0, "a.json")):
        write_sdmx([written], kind, tmp_path / name)
        found = release_from_document(document(name), folder=tmp_path)
        assert set(found.variables["area"].codes) == set(CODES)
