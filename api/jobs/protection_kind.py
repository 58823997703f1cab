"""The kind `protection`: a release in; changed values, their audit, risk and utility out, as `tableseal protect`."""

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.protected import RELEASE_FILE, protected_documents
from tableseal.api.jobs.releases import ReleaseRequest, release_in
from tableseal.api.options.protect import ProtectOptions
from tableseal.api.options.suppress import Symbol
from tableseal.api.store.job import Document


class ProtectionRequest(ReleaseRequest):
    """A protection that changes values."""

    symbol: Symbol = None
    options: ProtectOptions = ProtectOptions()


def run(request: ProtectionRequest, context: Context) -> Result:
    """Change the values of the release in the folder. The protected release, for readers and with all that the agency
    knows, is there only if its audit says safe.

    Raises
    ------
    InputError: files or options that cannot be used. LimitError: too many cells.
    """
    from tableseal.api.protecting import chosen_settings, run_protection
    from tableseal.audit.io import check_symbol
    from tableseal.audit.report import render_html
    from tableseal.suppression.protections.document import protection_json
    from tableseal.suppression.protections.public import public_release

    check_symbol(request.symbol, RELEASE_FILE)
    chosen_settings(request.options)
    found = run_protection(release_in(request, context), request.options, progress=context.progress)
    page = render_html(found.report, found.release)
    documents = [
        Document("protection.json", "application/json", protection_json(found).encode()),
        Document("report.html", "text/html; charset=utf-8", page.encode()),
    ]
    if found.verdict == "safe":
        documents += protected_documents(public_release(found.release), found.release, request.symbol)
    return Result(tuple(documents), found.verdict, found.title)


KIND = Kind("protection", ProtectionRequest, run, Rows("protection", "measures"))
