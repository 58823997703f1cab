"""Excel workbooks (.xlsx) out: a cross table."""

from tableseal.audit.io.formats.excel import write_cross as write

__all__ = ["write"]
