"""What schemathesis finds that is as it is meant, and why: everything else is a fault."""

import re
from typing import Any

from schemathesis.core.failures import AcceptedNegativeData

ELSEWHERE = {
    "max_response_time": "tests have no clock",
    "ignored_auth": "this service asks nobody; test_access_keys.py asks every route without a key and with wrong ones",
    "object_level_authorization": "the same file has another owner ask for everything",
    "use_after_free": "needs sequences: test_http_jobs.py. The first DELETE ends a job, the second erases it",
    "ensure_resource_availability": "as use_after_free",
}
"""Checks of schemathesis that are not made here -> why."""

REJECTED = {
    "idempotency-key-reused": "a key stands for one request, which no schema can say",
    "invalid-parameter": "options that need each other, numbers as text, ids of jobs that must be there",
    "invalid-release": "codes, sums, references between parts of a document, files that are named in it",
    "invalid-upload": "a form must have its main file; which fields go together",
    "invalid-file-name": "file names must not lead out of the folder",
    "not-additive": "values that do not add up",
    "contradiction": "no table fits what is released",
    "limit": "more than this service takes",
}
"""Problems of requests that fit the document (`positive_data_acceptance`) -> what the document cannot say."""


def explained(failure: Exception, response: Any, media_type: str | None) -> bool:
    """Whether what schemathesis found is as it is meant."""
    if "positive_data_acceptance" in getattr(failure, "checks", ()):
        return response.json()["type"].rpartition(":")[2] in REJECTED
    if isinstance(failure, AcceptedNegativeData):
        # Parameters, texts and files are sent as text or bytes, so that none is a wrong `string`, whatever it was made
        # from; what is in them is judged when the job runs.
        violated = re.findall(r"violates `(\w+)`(?: at \S+)?(?: \(was (\w+))?", failure.message)
        texts = all(word == "format" or (word, was) == ("type", "string") for word, was in violated)
        return bool(violated) and texts and media_type != "application/json"
    return False
