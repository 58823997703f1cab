"""Files of jobs, in chunks, so that none is ever wholly in memory."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from secrets import token_hex
from typing import Literal

from sqlalchemy import Connection, delete, select

from tableseal.api.store.engine import Store, put
from tableseal.api.store.job import CHUNK, Document, StoredFile
from tableseal.api.store.schema import chunks, files

Role = Literal["input", "result"]


def add_files(connection: Connection, job: str, owner: str, role: Role, given: Iterable[Document]) -> None:
    """Keep files of a job."""
    for number, file in enumerate(given):
        key = token_hex(16)
        row = {"id": key, "job": job, "owner": owner, "role": role, "position": number, "size": file.size}
        put(connection, files, **row, name=file.name, media_type=file.media_type)
        for position, content in enumerate(file.pieces()):
            put(connection, chunks, file=key, position=position, content=content)


def files_of(connection: Connection, job: str, role: Role) -> tuple[StoredFile, ...]:
    """The files of a job, in the order in which they were given."""
    chosen = select(files).where(files.c.job == job, files.c.role == role).order_by(files.c.position)
    return tuple(StoredFile(r.id, r.job, r.name, r.media_type, r.size) for r in connection.execute(chosen))


def delete_inputs(connection: Connection, job: str) -> None:
    """Erase what came with a request; kept only as long as the job needs it."""
    connection.execute(delete(files).where(files.c.job == job, files.c.role == "input"))


def content_of(store: Store, file: StoredFile) -> Iterator[bytes]:
    """The content, chunk after chunk, a transaction each: a slow reader holds nothing open."""
    position = 0
    while (content := _chunk(store, file, position)) is not None:
        yield content
        position += 1


def part_of(store: Store, file: StoredFile) -> Callable[[int, int], bytes]:
    """From where to where -> these bytes of a file. Only chunks that are needed are read, each once."""
    chunk = cache(lambda position: _chunk(store, file, position) or b"")

    def read(first: int, last: int) -> bytes:
        begin = first // CHUNK
        pieces = [chunk(position) for position in range(begin, -(-last // CHUNK))]
        return b"".join(pieces)[first - begin * CHUNK : last - begin * CHUNK]

    return read


def _chunk(store: Store, file: StoredFile, position: int) -> bytes | None:
    with store.reading() as connection:
        chosen = select(chunks.c.content).where(chunks.c.file == file.id, chunks.c.position == position)
        content = connection.execute(chosen).scalar_one_or_none()
    return None if content is None else bytes(content)
