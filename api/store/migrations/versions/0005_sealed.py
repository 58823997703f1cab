"""What jobs keep is encrypted. Files and problems that were kept as they are, are sealed in place.

There is no way back but a backup made before: older versions cannot read what is sealed.
"""

import sqlalchemy as sa
from alembic import context, op

from tableseal.api.store.rotation import adopt
from tableseal.api.store.sealing import JobKey, new_key

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create what is new, and seal what is there."""
    op.create_table(
        "service_key",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_service_key")),
    )
    op.create_table(
        "job_keys",
        sa.Column("job", sa.String(length=32), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("service_key", sa.String(length=16), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["jobs.id"], name=op.f("fk_job_keys_job"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job", "role", name=op.f("pk_job_keys")),
    )
    connection = op.get_bind()
    adopt(connection, context.config.attributes["keys"])
    _seal_files(connection)
    _seal_problems(connection)


def _seal_files(connection: sa.Connection) -> None:
    chosen = sa.text("SELECT id, job, role, position FROM files ORDER BY job, role")
    key: JobKey | None = None
    for file in connection.execute(chosen).all():
        if key is None or (key.job, key.role) != (file.job, file.role):
            key = new_key(connection, file.job, file.role)
        piece = 0
        this = {"file": file.id, "piece": piece}
        read = sa.text("SELECT content FROM chunks WHERE file = :file AND position = :piece")
        write = sa.text("UPDATE chunks SET content = :content WHERE file = :file AND position = :piece")
        while (content := connection.execute(read, this).scalar_one_or_none()) is not None:
            connection.execute(write, {**this, "content": key.seal(bytes(content), file.position, piece)})
            piece += 1
            this = {"file": file.id, "piece": piece}


def _seal_problems(connection: sa.Connection) -> None:
    chosen = sa.text("SELECT id, problem FROM jobs WHERE problem IS NOT NULL")
    for job in connection.execute(chosen).all():
        sealed = new_key(connection, job.id, "problem").seal(job.problem.encode()).hex()
        connection.execute(
            sa.text("UPDATE jobs SET problem = :problem WHERE id = :id"), {"problem": sealed, "id": job.id}
        )
