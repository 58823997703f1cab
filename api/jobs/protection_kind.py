"""The kind `protection`: a release in; changed values, their audit, risk and utility out, as `tableseal protect`."""

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.pages import pages_of
from tableseal.api.jobs.protected import RELEASE_FILE, protected_documents
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, release_in
from tableseal.api.options.protect import ProtectOptions
from tableseal.api.options.suppress import Symbol
from tableseal.api.store.job import Document

DONE = "done.json"
"""The answer without the audit: what was done, and what changed."""


class ProtectionRequest(ReleaseRequest):
    """A protection that changes values."""

    symbol: Symbol = None
    options: ProtectOptions = ProtectOptions()


def check(request: ProtectionRequest) -> None:
    """Refuse what no release could make good: a method, its settings, a symbol for withheld values."""
    from tableseal.api.protecting import chosen_settings
    from tableseal.audit.io import check_symbol

    check_judging(request)
    check_symbol(request.symbol, RELEASE_FILE)
    chosen_settings(request.options)


def run(request: ProtectionRequest, context: Context) -> Result:
    """Change the values of the release in the folder. The protected release, for readers and with all that the agency
    knows, is there only if its audit says safe.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.protecting import run_protection
    from tableseal.audit.codec.exact_json import dumps
    from tableseal.suppression.protections.document import protection_document
    from tableseal.suppression.protections.public import public_release

    found = run_protection(release_in(request, context), request.options, progress=context.progress)
    context.progress("answer and pages", 0, 0)
    said = protection_document(found)
    done = {key: value for key, value in said.items() if key != "audit"}
    documents = [
        Document("protection.json", "application/json", dumps(said, indent=1).encode()),
        *pages_of(found.report, found.release),
        Document(DONE, "application/json", dumps(done).encode()),
    ]
    if found.verdict == "safe":
        documents += protected_documents(public_release(found.release), found.release, request.symbol)
    return Result(tuple(documents), found.verdict, found.title)


KIND = Kind("protection", ProtectionRequest, run, Rows("protection", "measures"), check)
