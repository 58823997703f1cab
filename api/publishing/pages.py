"""Pages in the folder of a publication: the summary for whoever answers for it, and the certificate."""

from tableseal.api.publishing.certificate import Certificate, plain
from tableseal.api.publishing.summary import Published
from tableseal.audit.codec.documents import document_of
from tableseal.audit.report.page import asset, template

HOME = "tableseal.api.publishing"


def summary_page(published: Published, certificate: Certificate) -> str:
    """What came out, what is withheld and why, what was accepted, digests and how to verify: one page without scripts.
    Confidential."""
    page: str = template("summary.html", HOME).render(
        said=document_of(published),
        certificate=plain(certificate),
        report_of=lambda file: file,
        css=asset("report.css") + asset("publication.css", HOME),
    )
    return page.lstrip()


def certificate_page(certificate: Certificate) -> str:
    """The certificate, without outputs, of which it is one."""
    page: str = template("certificate.html", HOME).render(certificate=certificate)
    return page
