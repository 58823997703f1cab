"""French pages and reports: catalogues that are whole, and pages that keep no English."""

import gettext
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import words
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, until_done
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.protections import UNPROTECTED
from tableseal.audit.io import release_from_document
from tableseal.audit.language import LANGUAGES, catalogue, counted, phrase, preferred, put, speaking
from tableseal.audit.language import gettext as _
from tableseal.audit.pipeline import audit
from tableseal.audit.report import render_html, render_text, report_json

FRENCH = {**BROWSER, "Accept-Language": "fr-FR,fr;q=0.9,en;q=0.5"}
OTHERS = sorted(set(LANGUAGES) - {"en"})
SAME = re.compile(r"[A-Z]{2,}|\W*")
"""Abbreviations are the same in all languages."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("pages")) as opened:
        opened.headers.update(BROWSER)
        yield opened


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_has_its_words(language: str) -> None:
    """CONVENTION 888: of templates and of Python, one and several; nothing that stands in them is lost."""
    found = catalogue(language)
    for message, files in words.messages().items():
        one = message if isinstance(message, str) else message[0]
        several = [] if isinstance(message, str) else [found.ngettext(*message, n) for n in (1, 2, 1_000_000)]
        said = several or [found.gettext(one)]
        known = found._catalog  # type: ignore[attr-defined]  # the only way to tell a message that is its own word
        assert one in known or (one, 0) in known, (one, files)
        for text in said:
            assert text.strip(), one
            for held in (r"\{\w+\}", r"%\(\w+\)s", r"\$\{", r"%%", r"<\w+", r"`[^`]*`"):
                assert sorted(re.findall(held, text)) == sorted(re.findall(held, one)), one
            assert text[:1].isspace() == one[:1].isspace() or one.startswith((":", ";")), one
            assert '"' not in text or '"' in one, one  # it may stand in an attribute


@pytest.mark.parametrize("language", OTHERS)
def test_compiled_catalogues_are_those_of_the_sources(language: str) -> None:
    """CONVENTION 888: what Python reads is what people edit."""
    pofile = pytest.importorskip("babel.messages.pofile")
    path = words.LOCALE / language / "LC_MESSAGES" / "tableseal.po"
    with open(path, "rb") as file:
        read = pofile.read_po(file, locale=language)
    with open(path.with_suffix(".mo"), "rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in read:
        if isinstance(message.id, tuple):
            assert compiled.ngettext(*message.id, 1) == message.string[0]
            assert compiled.ngettext(*message.id, 2) == message.string[-1]
        elif message.id:
            assert compiled.gettext(message.id) == message.string


def english_in(page: str) -> list[str]:
    """Messages of the catalogue that a French page says in English. Short ones may be codes or names."""
    body = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
    texts = {unescape(text).strip() for text in re.findall(r">([^<>]+)<", body)}
    texts |= {unescape(text) for text in re.findall(r'(?:aria-label|placeholder|title)="([^"]+)"', body)}
    found = []
    for message in words.messages():
        one = message if isinstance(message, str) else message[0]
        plain = unescape(one).replace("%%", "%").strip()
        if len(plain) > 3 and catalogue("fr").gettext(one) != one and plain in texts:
            found.append(plain)
    return found


CODES = {"value", "size", "region"}
"""Names in the releases of these tests."""


def test_pages_in_french_keep_no_english(client: TestClient) -> None:
    """CONVENTION 889: every page of a walk from the start to the results of every kind."""
    ready = until_done(client, client.post("/releases", files={"files": ("r.json", json.dumps(UNPROTECTED))})).url.path
    plain = "a,b,n\nN,s,8\nN,l,12\nN,T,20\n"
    columns = until_done(client, client.post("/releases", files={"files": ("t.csv", plain)})).url.path
    broken = {**EXAMPLE, "title": "Broken"}
    sent = {"files": ("release.json", json.dumps(broken))}
    batch = until_done(client, client.post("/batches", files=sent, data={"html": "on"})).url.path
    paths = ["/", "/releases", "/jobs", "/batches", "/publications", "/account", ready, columns, batch]
    paths += [f"{ready}/protections?method={name}" for name in ("noise", "cell-key")]
    paths += [f"{ready}/attacks", f"{ready}/erase", "/jobs/0"]
    forms = {
        "audits": {},
        "suppressions": {"method": "heuristic"},
        "comparisons": {"method": "heuristic"},
        "protections": {"method": "random-rounding", "base": "5"},
    }
    for what, form in forms.items():
        done = until_done(client, client.post(f"{ready}/{what}", data={**form, "time_limit": "60"}))
        paths.append(done.url.path)
        paths += re.findall(r'href="(/jobs/[^"]*/cell\?[^"]*)"', done.text)[:1]
    for path in paths:
        page = client.get(unescape(path), headers=FRENCH)
        assert page.headers["content-language"] == "fr", path
        assert '<html lang="fr">' in page.text
        kept = set(english_in(page.text)) - CODES
        assert not kept, (path, kept)


def test_who_asks_for_nothing_has_english_and_a_choice_is_kept(client: TestClient) -> None:
    """CONVENTION 887: query, cookie, browser, in that order."""
    assert '<html lang="en">' in client.get("/").text
    assert '<html lang="en">' in client.get("/", headers={"Accept-Language": "de, en;q=0.2, fr;q=0.1"}).text
    assert "Nouvel audit" in client.get("/", headers=FRENCH).text
    assert '<html lang="en">' in client.get("/?lang=en", headers=FRENCH).text
    client.cookies.clear()
    assert "Nouvel audit" in client.get("/?lang=fr").text
    assert "Nouvel audit" in client.get("/").text
    assert '<html lang="en">' in client.get("/?lang=xx", headers={"Cookie": "tableseal_language=xx"}).text
    client.cookies.clear()
    script = client.get("/static/web.fr.js")
    assert '"Fermer"' in script.text
    assert '"Close"' not in script.text
    assert '"Close"' in client.get("/static/web.js").text


def test_a_service_may_speak_french(tmp_path: Path) -> None:
    # CONVENTION 887
    with asked(tmp_path, worker=False, language="fr") as client:
        assert '<html lang="fr">' in client.get("/", headers=BROWSER).text
        assert '<html lang="en">' in client.get("/?lang=en", headers=BROWSER).text


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", None),
        ("fr", "fr"),
        ("fr-CA", "fr"),
        ("de;q=1, fr;q=0.3", "fr"),
        ("en, fr", "en"),
        ("en;q=0.2, fr;q=0.8", "fr"),
        ("fr;q=0", None),
        ("fr;q=much", None),
        ("*", None),
    ],
)
def test_what_browsers_like_best(accepted: str, language: str | None) -> None:
    assert preferred(accepted) == language


def test_words_follow_the_language_and_numbers() -> None:
    assert _("Cell") == "Cell"
    with speaking("fr"):
        assert _("Cell") == "Case"
        assert phrase("exposed: withheld for nothing") == "exposée\u00a0: supprimée pour rien"
        assert phrase("a name of one's own") == "a name of one's own"
        assert [counted(n, "{n} cell", "{n} cells") for n in (0, 1, 2)] == ["0 case", "1 case", "2 cases"]
        with speaking("en"):
            assert counted(0, "{n} cell", "{n} cells") == "0 cells"
        assert put("Next: {what}", what="x").startswith("Ensuite")
    assert _("Cell") == "Cell"
    with pytest.raises(ValueError, match="expected one of en, fr"), speaking("xx"):
        pass


def test_reports_in_french(tmp_path: Path) -> None:
    """CONVENTION 890: page and text; the JSON report says the same in all languages."""
    release = release_from_document(UNPROTECTED, folder=tmp_path, source="")
    report = audit(release).report
    english, data = render_html(report, release), report_json(report)
    with speaking("fr"):
        page = render_html(report, release)
        text = render_text(report, colour=False, width=120, limit=None, release=release)
        assert report_json(report) == data
    assert '<html lang="fr">' in page
    assert not set(english_in(page)) - CODES
    assert "9 cases" in text
    assert "NON SÛRE" in text
    assert render_html(report, release) == english

    (tmp_path / "r.json").write_text(json.dumps(UNPROTECTED), "utf-8")
    target = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["audit", str(tmp_path / "r.json"), "--lang", "fr", "--html", str(target)])
    assert "Règle" in done.stdout
    assert '<html lang="fr">' in target.read_text("utf-8")
