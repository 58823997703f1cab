"""Files of each format with something broken: reading them gives a release or an error for users, never anything else.

python tests/support/format_fuzz.py COUNT [FORMAT ...]      so many mutated files of each format
"""

import io
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

from tableseal.audit.errors import TablesealError
from tableseal.audit.io import read_release
from tableseal.audit.io.formats.format import Format
from tableseal.audit.io.formats.kept import kept
from tableseal.audit.io.formats.registry import FORMATS
from tests.support.format_releases import release_for

PIECES = (
    *(
        b'"',
        b";",
        b",",
        b"=",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b":",
        b"\n",
        b"\r",
        b" ",
        b"\0",
        b"\xff",
        b"\xe5",
        b".",
    ),
    *(
        b'".."',
        b"..",
        b"-",
        b"null",
        b"NaN",
        b"1e999",
        b"99999999999999999999",
        b"-1",
        b"0,5",
        b"KEYS",
        b"DATA=",
        b"VALUES",
    ),
    *(
        b'KEYS("a")=VALUES;',
        b"STUB",
        b'"status":',
        b'"size":[',
        b'"child":{',
        b'"class":"collection"',
        b"OBS_VALUE",
        b"Q",
    ),
    *(
        b"CONF_STATUS[]",
        b"STRUCTURE[;]",
        b'CODEPAGE="utf-16";',
        b'CODEPAGE="850";',
        b"DECIMALS=99;",
        b'CONTVARIABLE="T";',
    ),
)


def _flip(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


def _cut(random: Random, content: bytes) -> bytes:
    return content[: random.randrange(len(content))]


def _drop(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content))
    return content[:at] + content[at + random.randint(1, 40) :]


def _put(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(PIECES) + content[at:]


def _repeat(random: Random, content: bytes) -> bytes:
    at, size = random.randrange(len(content)), random.randint(1, 80)
    return content[: at + size] + content[at:]


def _swap_lines(random: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def _number(random: Random, content: bytes) -> bytes:
    digits = [at for at, byte in enumerate(content) if 48 <= byte <= 57]
    at = random.choice(digits or [0])
    return content[:at] + str(random.choice((0, 7, 10**6, 10**12, -3))).encode() + content[at + 1 :]


CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (_flip, _cut, _drop, _put, _put, _repeat, _swap_lines, _number)


def mutated(target: Format, seed: int) -> dict[str, bytes]:
    """Files of a release, the one that is read last; one of them has one to four things broken."""
    random = Random(seed)
    name = f"t{target.written or target.endings[0]}"
    release = kept(release_for(target, Random(random.randrange(200))), target)
    files = target.write(release, name)
    broken = random.choice(list(files)) if len(files) > 1 else name
    change = _broken_inside if broken.endswith(".xlsx") else _broken
    files[broken] = change(random, files[broken])
    return files


def _broken(random: Random, content: bytes) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content = random.choice(CHANGES)(random, content) or b"x"
    return content


def _broken_inside(random: Random, content: bytes) -> bytes:
    """A zip archive with one of its files broken, or broken itself."""
    if random.random() < 0.2:
        return _broken(random, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    tables = [name for name in files if "sheet1" in name or "sharedStrings" in name]
    chosen = random.choice([*tables, *tables, *files])
    files[chosen] = _broken(random, files[chosen])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, inside in files.items():
            archive.writestr(name, inside)
    return packed.getvalue()


def outcome(folder: Path, files: Mapping[str, bytes]) -> str:
    """What comes of files: `read`, or the name of the error; everything else is a fault of ours and is raised."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        read_release(folder / name)
    except TablesealError as error:
        return type(error).__name__
    return "read"


def campaign(targets: list[Format], count: int, first: int = 0) -> Iterator[tuple[str, Counter[str]]]:
    """Outcomes of so many files of each format."""
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            found: Counter[str] = Counter()
            for seed in range(first, first + count):
                files = mutated(target, seed)
                try:
                    found[outcome(Path(folder), files)] += 1
                except Exception:
                    print(f"{target.key} {seed}")
                    raise
            yield target.key, found


if __name__ == "__main__":
    chosen = sys.argv[2:]
    for key, outcomes in campaign(
        [f for f in FORMATS if f.writes and (not chosen or f.key in chosen)], int(sys.argv[1])
    ):
        print(key, dict(outcomes))
