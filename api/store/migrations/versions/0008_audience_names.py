"""Names of audiences of any length."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Widen the column. SQLite cannot, so tables are made anew there: answers first, as they would go with what they
    refer to."""
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("audiences", "name", type_=sa.Text(), existing_nullable=False)
        return
    for table in ("audiences", "answers"):
        op.rename_table(table, f"old_{table}")
    op.create_table(
        "audiences",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("hypercube", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
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
    for table in ("audiences", "answers"):
        op.execute(f"INSERT INTO {table} SELECT * FROM old_{table}")
    for table in ("answers", "audiences"):
        op.drop_table(f"old_{table}")
