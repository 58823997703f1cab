"""French pages and reports: catalogues that are whole, and pages that keep no English."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import words
from argus import SPECIFY, TABLE, folder
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, until_done
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.measures import CHANGED
from tableseal.api.http.protections import UNPROTECTED
from tableseal.audit.catalogue import parsed
from tableseal.audit.io import release_from_document
from tableseal.audit.language import LANGUAGES, catalogue, counted, numerals, phrase, preferred, put, speaking
from tableseal.audit.language import gettext as _
from tableseal.audit.pipeline import audit
from tableseal.audit.report import render_html, render_text, report_json
from tableseal.suppression.protections.methods import METHODS

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
        assert one in found.texts or message in found.plurals, (one, files)
        for text in said:
            assert text.strip(), one
            for held in (r"\{\w+\}", r"%\(\w+\)s", r"\$\{", r"%%", r"<\w+", r"`[^`]*`"):
                assert sorted(re.findall(held, text)) == sorted(re.findall(held, one)), one
            assert text[:1].isspace() == one[:1].isspace() or one.startswith((":", ";")), one
            assert '"' not in text or '"' in one, one  # it may stand in an attribute


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_are_read_as_others_read_them(language: str) -> None:
    """CONVENTION 888 and 961: what is read is what people edit."""
    pofile = pytest.importorskip("babel.messages.pofile")
    path = words.LOCALE / language / "LC_MESSAGES" / "tableseal.po"
    with open(path, "rb") as file:
        read = pofile.read_po(file, locale=language)
    found = catalogue(language)
    for message in read:
        if isinstance(message.id, tuple):
            assert found.plurals[message.id] == message.string
            assert found.ngettext(*message.id, 1) == message.string[0]
        elif message.context:
            assert found.within[message.context][message.id] == message.string
        elif message.id and message.string:
            assert found.gettext(message.id) == message.string
    assert [found.form(n) for n in (0, 1, 2, 1_000_000)] == {"fr": [0, 0, 2, 1]}[language]
    for wrong in ("msgid open", '"of nothing"', "msgid 'a'"):
        with pytest.raises(ValueError, match="line 1 of a catalogue"):
            parsed(wrong)


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_are_those_that_are_said(language: str) -> None:
    """CONVENTION 892: what stands around the gaps of a sentence is said somewhere, and its words have the same gaps."""
    said = words.said()
    known = set(re.findall(r"\w+", said))
    for sentence, translated in words.sentences(language).items():
        pieces = re.split(GAP, sentence.replace("{{", "{").replace("}}", "}"))
        assert not {word for piece in pieces for word in re.findall(r"\w+", piece)} - known, sentence
        pairs = [pair for piece in pieces for pair in re.findall(r"(?=\b(\w+\W+\w+))", piece)]
        assert 2 * sum(pair in said for pair in pairs) >= len(pairs), sentence  # others meet where two texts do
        assert sorted(re.findall(GAP, sentence)) == sorted(re.findall(GAP, translated)), sentence


GAP = r"(?<!\{)\{\w+\}(?!\})"


def test_a_sentence_is_known_again_with_what_stands_in_its_gaps() -> None:
    """CONVENTION 892: numbers, messages and names, each as it is meant; what is not known stays as it is."""
    with speaking("fr"):
        assert phrase("threshold 5") == "seuil 5"
        assert phrase("p% 12.5") == "p% 12,5"
        assert phrase("threshold many") == "threshold many"
        assert phrase("Nothing is like this: of 5") == "Nothing is like this: of 5"
        assert phrase("1 to 4 possible, risk 0.5000, exposed") == "1 à 4 possibles, risque 0,5000, exposée"
        missing = "3 cells marked missing can be computed, and such cells are not judged: a=b. "
        missing += "If readers must not know them, give them the status withheld."
        assert phrase(missing).startswith("3 cases marquées manquantes peuvent se calculer")
        assert "a=b" in phrase(missing)
    assert phrase("threshold 5") == "threshold 5"


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("1,234.5", "1\u202f234,5"),
        ("[0.5, 1,200)", "[0,5\u00a0; 1\u202f200)"),
        ("(−∞, 7]", "(−∞\u00a0; 7]"),
        ("= 12", "= 12"),
        ("", ""),
    ],
)
def test_numbers_are_written_as_the_language_has_them(english: str, french: str) -> None:
    # CONVENTION 893
    assert numerals(english) == english
    with speaking("fr"):
        assert numerals(english) == french


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


STRANGE = re.compile(
    r"\b(the|of|is|are|and|not|with|that|which|was|were|has|have|from|they|there|this)\b", re.IGNORECASE
)
"""Words that French has not, and no English sentence is without."""

STAYS = re.compile(r"Companies by region and size|tableseal |\* = withheld|--\w+|RELEASE|r\.json")
"""What is English on a French page by right: titles of these tests, commands, what is typed."""


def strange_in(page: str) -> list[str]:
    """Texts of a French page that are none."""
    body = re.sub(r"<(style|script|code|textarea)\b.*?</\1>", " ", page, flags=re.S)
    body = re.sub(r"</?(?:b|strong|small|a|span)\b[^>]*>", " ", body)
    texts = {" ".join(unescape(text).split()) for text in re.findall(r">([^<>]+)<", body)}
    texts |= {unescape(text) for text in re.findall(r'(?:aria-label|placeholder|title)="([^"]+)"', body)}
    return sorted(text for text in texts if STRANGE.search(text) and not STAYS.search(text))


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
    paths = ["/", "/releases", "/jobs", "/batches", "/publications", "/account", "/admin", ready, columns, batch]
    paths += [f"{ready}/protections?method={name}" for name in METHODS]
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
        assert not strange_in(page.text), path


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
    assert not strange_in(page)
    assert "9 cases" in text
    assert "NON SÛRE" in text
    assert render_html(report, release) == english

    (tmp_path / "r.json").write_text(json.dumps(UNPROTECTED), "utf-8")
    target = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["audit", str(tmp_path / "r.json"), "--lang", "fr", "--html", str(target)])
    assert "Règle" in done.stdout
    assert '<html lang="fr">' in target.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("suppress",), ("Prouvé", "Supprimées en plus", "exigée par")),
        (("compare", "--methods", "heuristic,rounding:5"), ("méthode", "sûre", "coût")),
        (("protect", "--method", "random-rounding", "--base", "5"), ("graine", "Règle")),
        (("batch", "-o", "out"), ("Règle", "diffusion")),
    ],
)
def test_verbs_speak_french(tmp_path: Path, arguments: tuple[str, ...], said: tuple[str, ...]) -> None:
    """CONVENTION 894: `--lang` of each verb that writes words for people; English is as it was."""
    (tmp_path / "r.json").write_text(json.dumps(UNPROTECTED), "utf-8")
    verb, *more = (str(tmp_path / word) if word == "out" else word for word in arguments)
    given = tmp_path if verb == "batch" else tmp_path / "r.json"
    french = CliRunner().invoke(app, [verb, str(given), *more, "--lang", "fr"])
    assert french.exception is None or isinstance(french.exception, SystemExit)
    assert not [word for word in said if word not in french.stdout], french.stdout


def test_attacks_speak_french(tmp_path: Path) -> None:
    """CONVENTION 894: every line but names; English is as it was."""
    (tmp_path / "r.json").write_text(json.dumps(CHANGED), "utf-8")
    french, english = (
        CliRunner().invoke(app, ["attack", str(tmp_path / "r.json"), "--draws", "2", "--lang", language]).stdout
        for language in ("fr", "en")
    )
    said = (
        "attaque  vrais effectifs",
        "0 sur 9 (0%)",
        "tels que publiés",
        "montrée comme 20, seuls 19 à 21 conviennent",
        "Avec un bruit tiré à nouveau (2 tirages pour chaque ampleur) reviennent, selon l’ampleur",
        "differences : rien à viser ; la diffusion n’a pas de catégories qui en contiennent d’autres",
        "avec toutes les sommes des tableaux ensemble 20,00",
    )
    assert not [words for words in said if words not in french], french
    assert not re.findall(r"\b(?:the|of|draws?|come|back|only|shown)\b", french)
    assert "With noise drawn anew (2 draws for each range) come back, by range: 1: " in english
    assert "sums: N / Total: shown as 20, only 19 to 21 fit." in english


def test_jobs_of_tau_argus_speak_french(tmp_path: Path) -> None:
    """CONVENTION 894: steps and notes, whatever their files are called."""
    writes = '<WRITETABLE> (1,2,,"o.txt")'
    job = [*TABLE, SPECIFY, "<SAFETYRULE> P(10,1)|FREQ(3,10)", "<READTABLE> 0", "<SUPPRESS> OPT(1,5)", writes]
    (folder(tmp_path) / "job.arb").write_text("\n".join(job), "utf-8")
    french = CliRunner().invoke(app, ["run", str(tmp_path / "job.arb"), "--lang", "fr"]).stdout
    step, written, _, _, note, *_ = french.splitlines()
    assert step.startswith("ligne 6 : OPT (optimal), tableau 1 : 11 cases sensibles et 6 autres supprimées ; Cette")
    assert written == "ligne 7 : tableau 1 dans o.txt"
    assert note.startswith("  - job.arb ligne 6, colonne 1 : OPT : chez nous `optimal`")
    assert note.endswith("la recherche a 5 minutes.")
    assert not re.findall(r"\b(?:the|of|line|table|cells|search|count)\b", french)


def test_a_report_is_taken_along_in_the_language_of_its_page(client: TestClient) -> None:
    # CONVENTION 895
    ready = until_done(client, client.post("/releases", files={"files": ("r.json", json.dumps(UNPROTECTED))})).url.path
    job = until_done(client, client.post(f"{ready}/audits", data={"time_limit": "60"})).url.path
    for headers, language in ((FRENCH, "fr"), (BROWSER, "en")):
        link = re.search(r'href="([^"]*/files/report[^"]*)"', client.get(job, headers=headers).text)
        assert link is not None
        assert f'<html lang="{language}">' in client.get(link[1], headers=headers).text
