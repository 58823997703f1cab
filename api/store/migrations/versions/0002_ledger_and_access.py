"""Publications."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


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
