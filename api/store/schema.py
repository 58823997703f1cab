"""Tables of the database. A change here needs a migration (a test compares the two)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only in a column of type INTEGER.
_SERIAL = BigInteger().with_variant(Integer, "sqlite")

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("request", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("created", Double, nullable=False),
    Column("due", Double, nullable=False),  # not to be begun before
    Column("started", Double),
    Column("finished", Double),
    Column("attempts", Integer, nullable=False),
    Column("lease", String(32)),  # token of the attempt under way
    Column("lease_until", Double),
    Column("cancel", Boolean, nullable=False),
    Column("small", Boolean, nullable=False, server_default=false()),  # workers that only do small jobs may take it
    Column("stage", String(200)),
    Column("done", BigInteger),
    Column("total", BigInteger),
    Column("outcome", String(40)),
    Column("problem", Text),  # encrypted, in hexadecimal digits
    Column("title", Text, nullable=False, server_default=""),  # of the release; encrypted, in hexadecimal digits
    Column("who", String(200), nullable=False, server_default=""),  # asked for it
    Index(None, "state", "due"),
    Index(None, "owner", "created"),
)

turns = Table(
    "turns",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("number", BigInteger, nullable=False),  # of the last time that a job of the owner was begun; they grow
)

files = Table(
    "files",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("job", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("owner", String(200), nullable=False),
    Column("role", String(8), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", String(255), nullable=False),
    Column("media_type", String(100), nullable=False),
    Column("size", BigInteger, nullable=False),
    UniqueConstraint("job", "role", "name"),
)

# Under which of the service's own keys the keys of jobs are sealed: one row.
service_key = Table(
    "service_key",
    metadata,
    Column("name", String(16), primary_key=True),
)

# Keys under which what jobs keep is encrypted (`sealing.py`); erased with it.
job_keys = Table(
    "job_keys",
    metadata,
    Column("job", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("role", String(8), primary_key=True),
    Column("service_key", String(16), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("file", ForeignKey("files.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("content", LargeBinary, nullable=False),  # encrypted
)

events = Table(
    "events",
    metadata,
    Column("id", _SERIAL, primary_key=True, autoincrement=True),
    Column("job", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("at", Double, nullable=False),
    Column("name", String(20), nullable=False),
    Column("data", Text, nullable=False),
    Index(None, "job", "id"),
    sqlite_autoincrement=True,  # numbers are never used again: clients go on after the last they saw
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("name", String(100), nullable=False),
    Column("role", String(20), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("token", ForeignKey("tokens.id", ondelete="CASCADE"), nullable=False),
    Column("expires", Double, nullable=False),
)

# Triggers of migration 0002 refuse to change or erase its rows.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", _SERIAL, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("owner", String(200), nullable=False),
    Column("who", String(200), nullable=False),
    Column("action", String(40), nullable=False),
    Column("object", String(200), nullable=False),
    Column("outcome", String(40), nullable=False),
    Index(None, "owner", "at"),
)

publications = Table(
    "publications",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("name", String(100), nullable=False),
    Column("version", Integer, nullable=False),  # counts changes: what was audited with another version is outdated
    UniqueConstraint("owner", "name"),
)

publication_entries = Table(
    "publication_entries",
    metadata,
    Column("publication", ForeignKey("publications.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("entry", Text, nullable=False),  # as in the document of a publication, without the release
    Column("release", LargeBinary, nullable=False),
)

# Who holds answers of a table generator together: a user, a group that may pool, or everybody.
audiences = Table(
    "audiences",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("hypercube", String(64), nullable=False),  # digest of its data
    Column("name", Text, nullable=False),
    Column("version", Integer, nullable=False),  # counts answers: what was judged with another version is outdated
    UniqueConstraint("hypercube", "name"),
)

answers = Table(
    "answers",
    metadata,
    Column("audience", ForeignKey("audiences.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("who", String(200), nullable=False),  # asked for it
    Column("content", LargeBinary, nullable=False),  # the question and what was shown, which is no secret of the agency
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("seen", Double, nullable=False),  # when it last said that it is there
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("job", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
)
