"""What jobs are about, and who asked for them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create what is new."""
    op.add_column("jobs", sa.Column("title", sa.Text(), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("who", sa.String(length=200), nullable=False, server_default=""))
