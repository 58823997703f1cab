"""Publications, names of keys, sessions of browsers, and a log that is only ever added to."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_FROZEN = "rows of the log are neither changed nor erased"


def upgrade() -> None:
    """Create what is new."""
    op.create_table(
        "publications",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_publications")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_publications_owner_name")),
    )
    op.create_table(
        "publication_entries",
        sa.Column("publication", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("release", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["publication"],
            ["publications.id"],
            name=op.f("fk_publication_entries_publication"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("publication", "number", name=op.f("pk_publication_entries")),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["token"], ["tokens.id"], name=op.f("fk_sessions_token"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sessions")),
    )
    op.add_column("tokens", sa.Column("name", sa.String(length=100), nullable=False, server_default=""))
    op.add_column("audit_log", sa.Column("who", sa.String(length=200), nullable=False, server_default=""))
    op.add_column("audit_log", sa.Column("outcome", sa.String(length=40), nullable=False, server_default="done"))
    _freeze()


def _freeze() -> None:
    """Let the database refuse whatever is no addition to the log."""
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_{change.lower()} BEFORE {change} ON audit_log "
                f"BEGIN SELECT RAISE(ABORT, '{_FROZEN}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION audit_log_is_frozen() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_FROZEN}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_log_frozen BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "EXECUTE FUNCTION audit_log_is_frozen()"
    )
