"""SDMX-CSV 1.0 (SDMX 2.1), to be written; both versions are read by `sdmx_csv`."""

from tableseal.audit.io.formats.sdmx_csv import dataset, read, write_first

write = write_first

__all__ = ["dataset", "read", "write"]
