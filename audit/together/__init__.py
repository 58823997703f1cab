"""Several releases as one: what an intruder sees who has all of them."""

from tableseal.audit.together.combine import Member, combine, parts

__all__ = ["Member", "combine", "parts"]
