"""What table generators answered, by hypercube and audience."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create what is new."""
    op.create_table(
        "audiences",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("hypercube", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=220), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audiences")),
        sa.UniqueConstraint("hypercube", "name", name=op.f("uq_audiences_hypercube_name")),
    )
    op.create_table(
        "answers",
        sa.Column("audience", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("who", sa.String(length=200), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["audience"], ["audiences.id"], name=op.f("fk_answers_audience"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("audience", "number", name=op.f("pk_answers")),
    )
