"""What an office brings that knows its browser and nothing else: records, numbers as they are written there, and files
that are no tables."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, until_done

from tableseal.api.drafts.guess import NO_HEADINGS, guess_marks
from tableseal.api.drafts.marks import Marks, Role, document_of
from tableseal.api.web.intake import missing
from tableseal.api.web.releases import ENDINGS
from tableseal.audit import release_from_document
from tableseal.audit.errors import Place
from tableseal.audit.io.files import Folder
from tableseal.audit.io.sources import READERS, read_columns
from tableseal.audit.tabulation.release import tabulated


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("brought")) as opened:
        opened.headers.update(BROWSER)
        yield opened


def bring(client: TestClient, name: str, content: str | bytes) -> Any:
    return until_done(client, client.post("/releases", files={"files": (name, content)}))


def filled_in(page: str) -> dict[str, str]:
    """The form for the columns of a table as it stands."""
    form: dict[str, str] = {}
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
        assert chosen is not None
        form[name] = unescape(chosen[1])
    for name, value in re.findall(r'<input id="[^"]+" name="([^"]+)" value="([^"]*)"', page):
        form[name] = unescape(value)
    return form


def marked(client: TestClient, page: Any, **changed: str) -> Any:
    """What comes of the form with these changes."""
    address = str(page.url.path).removesuffix("/columns")
    return until_done(client, client.post(f"{address}/columns", data={**filled_in(page.text), **changed}))


RECORDS = "id,region,size,turnover\n" + "".join(
    f'{n},{"NS"[n % 2]},{("small", "large")[n % 3 // 2]},"{n * 37 % 100 + 1},5"\n' for n in range(20)
)


def test_a_table_is_made_of_records(client: TestClient) -> None:
    """CONVENTION 965: the form knows them, and an audit of the table that it makes has all contributors."""
    page = bring(client, "firms.csv", RECORDS)
    assert "Each row seems to be a unit of its own" in page.text
    assert filled_in(page.text)["each"] == "record"
    ready = marked(client, page, decimal=",", unit="0.1")
    assert ">9</td>" in ready.text, "a table of two by two with totals"
    done = until_done(client, client.post(f"{ready.url.path}/audits", data={"withhold_primaries": "on"}))
    assert "9" in re.findall(r"<dd>(\d+)</dd>", done.text)
    assert "threshold 3" in done.text


def test_records_are_counted_or_added_up(tmp_path: Path) -> None:
    """CONVENTION 965: against sums by hand; a code that is called as the total gets another one."""
    (tmp_path / "firms.csv").write_text(
        RECORDS.replace("small", "Total").replace('"', "").replace(",5\n", "\n"), "utf-8"
    )
    columns = read_columns(Folder(tmp_path), "firms.csv", Place("firms.csv"))
    roles = {"id": Role.IDENTIFIER, "region": Role.CLASSIFICATION, "size": Role.CLASSIFICATION}
    codes = {"region": ["N", "S"], "size": ["Total", "large"]}
    for kind, more, grand in (("count", {}, 20), ("magnitude", {"turnover": Role.VALUE}, None)):
        marks = Marks(each="record", kind=kind, roles={**roles, **more})
        assert missing(marks) is None
        document = document_of(marks, "firms.csv", "firms", codes)
        release = release_from_document(document, folder=tmp_path, source="")
        values = release.tables[0].value.units.tolist()
        assert max(values) == (grand or sum(n * 37 % 100 + 1 for n in range(20)))
        assert release.variables["size"].total == "All"
    assert "Each record counts 1" in str(missing(Marks(each="record", roles={**roles, "turnover": Role.VALUE})))
    assert guess_marks(tmp_path / "firms.csv", columns)[0].each == ""  # a code is called as a total


def test_records_say_whose_they_are_and_what_they_weigh(tmp_path: Path) -> None:
    """CONVENTION 965: holdings and weights are proposed by their names, and asked of records alone."""
    rows = "".join(f"f{n},{'g' if n < 2 else ''},{'NS'[n % 2]},{10 * n + 5},{1 + n % 2}\n" for n in range(8))
    (tmp_path / "firms.csv").write_text(f"firm_id,holding,region,turnover,weight\n{rows}", "utf-8")
    columns = read_columns(Folder(tmp_path), "firms.csv", Place("firms.csv"))
    marks, _ = guess_marks(tmp_path / "firms.csv", columns)
    assert (marks.columns(Role.HOLDING), marks.columns(Role.WEIGHT)) == (["holding"], ["weight"])
    assert missing(marks) is None
    document = document_of(marks, "firms.csv", "firms", {"region": ["N", "S"]})
    assert {key: document["microdata"][key] for key in ("id", "holding", "weight")} == {
        "id": "firm_id", "holding": "holding", "weight": "weight"
    }  # fmt: skip
    made = tabulated(release_from_document(document, folder=tmp_path, source=""))
    assert made.tables[0].value.units.max() == sum((10 * n + 5) * (1 + n % 2) for n in range(8))
    table = marks.model_copy(update={"each": ""})
    assert "firm_id is marked as identifier, which records have" in str(missing(table))


GERMAN = "region;turnover\nN;1.234,5\nS;100,5\nT;1.335,0\n"
AMERICAN = 'region,turnover\nN,"1,234"\nS,"2,100"\nT,"3,334"\n'


def test_signs_of_decimals_and_thousands_are_guessed_asked_and_never_silently_wrong(client: TestClient) -> None:
    """CONVENTION 964 and 966."""
    page = bring(client, "german.csv", GERMAN)
    form = filled_in(page.text)
    assert (form["decimal"], form["thousands"], form["unit"]) == (",", ".", "0.1")
    wrong = marked(client, page, decimal=".", thousands="")
    assert wrong.status_code == 422
    assert "1.234,5" in wrong.text
    assert marked(client, wrong, decimal=",", thousands=".").url.path.startswith("/releases/")

    page = bring(client, "american.csv", AMERICAN)
    assert "may be a number with a decimal comma or one with a separator of thousands" in unescape(page.text)
    assert "(“Thousands are separated by”)" in unescape(page.text), "fields are named as the form names them"
    refused = marked(client, page)
    assert refused.status_code == 422
    assert re.search(r'<select id="thousands"[^>]*aria-invalid="true"', refused.text)
    ready = marked(client, refused, thousands=",")
    done = until_done(client, client.post(f"{ready.url.path}/audits", data={"withhold_primaries": "on"}))
    assert "3\u202f334" in done.text


def test_what_is_open_is_said_before_the_form(client: TestClient) -> None:
    """CONVENTION 966."""
    page = bring(client, "no heading.csv", "N;a;1\nN;b;2\nN;T;3\n")
    assert page.text.index(NO_HEADINGS) < page.text.index("<form ")
    page = bring(client, "sum.csv", "region;n\nN;1\nS;2\nTotal;4\n")
    assert page.text.index("banner undecided") < page.text.index("<form ")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("doc.pdf", b"%PDF-1.7 \0", "doc.pdf: is a PDF document, which cannot be read yet; save the table as an Excel"),
        (
            "old.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
            "old kind (.xls), which cannot be read yet; save",
        ),
        ("photo.png", b"\x89PNG\r\n\x1a\n", "a picture, which cannot be read yet"),
        ("new.xlsx", b"PK\3\4xl/", "new.xlsx: is not a readable Excel workbook"),
        ("none.csv", b"", "none.csv: the file is empty."),
    ],
)
def test_files_that_are_no_tables(client: TestClient, name: str, content: bytes, words: str) -> None:
    page = bring(client, name, content)
    assert page.status_code == 422
    assert words in unescape(page.text)


ENGLISH = re.compile(r"\b(the|of|is|are|and|not|with|that|which|from|they|there|this|row|line|found)\b")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", ""),
        ("doc.pdf", "%PDF-1.7"),
        ("sum.csv", "region;n\nN;1\nS;2\nTotal;4\n"),
        ("american.csv", AMERICAN),
        ("points.csv", "region;n\nN;1.234\nS;2.000\nT;3.234\n"),
        ("twice.csv", "region;size;n\nN;a;1\nN;a;2\nN;T;3\n"),
        ("two.csv", "region;m;f\nN;1;4\nS;2;3\nTotal;3;7\n"),
        ("mark.csv", "region;n\nN;?\nS;2\nTotal;4\n"),
        ("flag.csv", "region;n;flag\nN;1;x\nS;2;\nTotal;3;\n"),
        ("heading.csv", "N;a;1\nN;b;2\nN;T;3\n"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_french(client: TestClient, name: str, content: str) -> None:
    """CONVENTION 968."""
    page = bring(client, name, content)
    if page.status_code == 422:
        sent = {"files": (name, content)}
        page = client.post("/releases", files=sent, headers={"Accept-Language": "fr"})
    else:
        page = client.get(page.url, headers={"Accept-Language": "fr"})
    (said,) = re.findall(r'<div class="banner (?:undecided|unsafe problem)"[^>]*>(.*?)</div>', page.text, re.DOTALL)
    assert not ENGLISH.search(re.sub(r"<[^>]*>|`[^`]*`", " ", unescape(said))), said


def test_browsers_offer_every_file_that_is_read() -> None:
    """CONVENTION 966: a file that cannot be chosen is as good as not read."""
    assert set(READERS) <= set(ENDINGS)
