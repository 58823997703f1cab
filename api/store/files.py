"""Files of jobs, encrypted and in chunks, so that none is ever wholly in memory."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from secrets import token_hex

from sqlalchemy import Connection, delete, select

from tableseal.api.store.engine import Store, put
from tableseal.api.store.job import CHUNK, Document, StoredFile
from tableseal.api.store.schema import chunks, files
from tableseal.api.store.sealing import JobKey, Role, erase_key, key_of, new_key


def add_files(
    connection: Connection, job: str, owner: str, role: Role, given: Iterable[Document], key: JobKey | None = None
) -> None:
    """Keep files of a job: all of a role at once. key: of that role, if it is kept already."""
    for number, file in enumerate(given):
        key = key or new_key(connection, job, role)
        at = token_hex(16)
        row = {"id": at, "job": job, "owner": owner, "role": role, "position": number, "size": file.size}
        put(connection, files, **row, name=file.name, media_type=file.media_type)
        for position, content in enumerate(file.pieces()):
            put(connection, chunks, file=at, position=position, content=key.seal(content, number, position))


def files_of(connection: Connection, job: str, role: Role) -> tuple[StoredFile, ...]:
    """The files of a job, in the order in which they were given."""
    chosen = select(files).where(files.c.job == job, files.c.role == role).order_by(files.c.position)
    rows = connection.execute(chosen).all()
    if not rows:
        return ()
    key = key_of(connection, job, role)
    return tuple(StoredFile(r.id, r.job, r.name, r.media_type, r.size, r.position, key) for r in rows)


def delete_inputs(connection: Connection, job: str) -> None:
    """Erase what came with a request, and its key; kept only as long as the job needs it."""
    erase_key(connection, job, "input")
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
    return None if content is None else file.key.open(bytes(content), file.position, position)
