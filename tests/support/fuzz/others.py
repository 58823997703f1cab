"""Good files of other programs to break, which ours reads and does not write so."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from tests.support.acro_sessions import ACROSS, FIRST, MARGINS, NESTED, SUPPRESSED, output


def structures(random: Random) -> Mapping[str, bytes]:
    """A release with its classification in a structure file of SDMX."""
    above = {"T": None, "N": "T", "S": "T", "N1": "N", "N2": "N", "S1": "S"}
    csv = b"region,n\nN1,3\nN2,\nN,7\nS1,4\nS,\nT,11\n"

    def nested(code: str) -> dict[str, Any]:
        return {"id": code, "code": code, "hierarchicalCodes": [nested(c) for c in above if above[c] == code]}

    if random.random() < 0.5:
        parents = {code: f'<s:Parent><Ref id="{up}"/></s:Parent>' if up else "" for code, up in above.items()}
        codes = "".join(f'<s:Code id="{code}">{parent}</s:Code>' for code, parent in parents.items())
        lists = f'<s:Codelist id="CL">{codes}</s:Codelist>'
        name, content = "s.xml", f'<?xml version="1.0"?>\n<m:S xmlns:m="urn:m" xmlns:s="urn:s">{lists}</m:S>'
    else:
        listed = [{"id": code, **({"parent": up} if up else {})} for code, up in above.items()]
        code_list = {"codelists": [{"id": "CL", "codes": listed}]}
        hierarchy = {"hierarchies": [{"id": "H", "hierarchicalCodes": [nested("T")]}]}
        name, content = "s.json", json.dumps({"data": random.choice((code_list, hierarchy))}, indent=1)
    variables = {"region": {"total": "T", "file": name}}
    tables = [{"name": "t", "file": "t.csv", "value": "n"}]
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": tables}
    return {"t.csv": csv, "t.yaml": json.dumps(document).encode(), name: content.encode()}


def acro(random: Random) -> Mapping[str, bytes]:
    """A session of ACRO."""
    kinds: tuple[tuple[str, Mapping[str, Any], str], ...] = (
        ("a.csv", FIRST, SUPPRESSED),
        ("b.csv", output("b.csv", ["year", "grant"], ["G", "N", "R", "All"]), MARGINS),
        ("n.csv", output("n.csv", ["year", "sex", "grant"], ["G", "N"]), NESTED),
        ("x.csv", output("x.csv", ["year", "grant", "region"], ["('A', 'x')", "('A', 'y')", "('All', '')"]), ACROSS),
    )
    chosen = random.sample(kinds, random.randint(1, 3))
    results = {name.partition(".")[0]: said for name, said, _ in chosen}
    session = {"version": "1.0.2", "results": results}
    files = {name: text.encode() for name, _, text in chosen} | {"config.json": b'{"safe_threshold": 10}'}
    return files | {"results.json": json.dumps(session, indent=1).encode()}


def csvw(random: Random) -> Mapping[str, bytes]:
    """A CSV file of somebody else with its metadata."""
    sign, comma = random.choice(((";", ","), (",", "."), ("\t", ".")))
    rows = [("nace", "region", "turnover")]
    for region, values in (("N", ("10.5", "4.5", "15.0")), ("S", ("x", "x", "20.0")), ("T", ("30.5", "4.5", "35.0"))):
        rows += [(code, region, v.replace(".", comma)) for code, v in zip(("01", "02", "T"), values, strict=True)]
    columns: list[dict[str, Any]] = [
        {"titles": "nace", "datatype": "string"},
        {"name": "region", "datatype": "string"},
        {"titles": {"en": ["turnover"]}, "datatype": {"base": "decimal", "format": {"decimalChar": comma}}},
    ]
    table = {"url": "t.csv", "dialect": {"delimiter": sign}, "tableSchema": {"columns": columns}}
    whole = table if random.random() < 0.5 else {"tables": [table]}
    text = json.dumps({"@context": "http://www.w3.org/ns/csvw", **whole}, indent=1)
    return {"t.csv": "\n".join(map(sign.join, rows)).encode(), "t.csv-metadata.json": text.encode()}
