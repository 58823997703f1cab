"""Whose turn it is, and which jobs are small."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create what is new."""
    op.create_table(
        "turns",
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_turns")),
    )
    op.add_column("jobs", sa.Column("small", sa.Boolean(), nullable=False, server_default=sa.false()))
