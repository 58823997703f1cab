"""Several releases as one: what an intruder sees who has all of them."""

from tableseal.audit.together.combine import Member, combine, parts, recoded

__all__ = ["Member", "combine", "parts", "recoded"]
