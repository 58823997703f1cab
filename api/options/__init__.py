"""Every option, declared once: a file for each verb, and one for what several verbs share.

From these declarations come the options of the command (`api/cli/spread.py`), the query parameters and their OpenAPI
(`api/http/parameters.py`), the fields of forms (`api/web/fields.py`), what Python callers may say (`checked`), and the
tables of the documentation (`table.py`).
"""
