"""Whatever a file holds, reading it gives a release or an InputError, never anything else."""

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_policy, read_release

quiet = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

WORDS = "tableseal: 1|tables:|cells: |variables: |name: t|kind: count|a: |null|- |? |---|&a |*a|!!x |%|@|#|>|,"
WORDS += "|marks: |<10|[1, 9]|thousands: |zero"
yaml_like = st.lists(st.sampled_from([*WORDS.split("|"), *"{}[]'\"|\n \t\x85"]), max_size=30).map(
    lambda parts: "".join(parts).encode()
)
csv_like = st.lists(
    st.sampled_from(
        [
            "a",
            "n",
            ",",
            ";",
            "\t",
            '"',
            "\n",
            "\r",
            " ",
            "T",
            "9",
            "4,5",
            "1.5",
            "-",
            "primary",
            "\u2028",
            "*",
            "..",
            "<10",
            "1-9",
            ":",
            "1.234.567,8",
            "1 234",
            "1.234",
            "status",
            "id",
        ]
    ),
    max_size=30,
).map(lambda parts: "".join(parts).encode())


@quiet
@given(content=st.binary(max_size=200) | yaml_like | csv_like)
@pytest.mark.parametrize("name", ["x.yaml", "x.json", "x.csv", "x.parquet"])
def test_garbage(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        read_release(path)
    with contextlib.suppress(InputError):
        read_policy(path)


GOOD = (Path(__file__).parents[1] / "data" / "reports" / "B28_frozen" / "release_a.yaml").read_bytes()


@pytest.mark.parametrize("seed", range(150))
def test_damaged_releases(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    content = bytearray(GOOD)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(content))
        match source.randint(0, 2):
            case 0:
                content[at] = source.randrange(256)
            case 1:
                del content[at : at + source.randint(1, 20)]
            case _:
                other = source.randrange(len(content))
                content[at:at] = content[other : other + source.randint(1, 20)]
    (tmp_path / "x.yaml").write_bytes(content)
    with contextlib.suppress(InputError):
        read_release(tmp_path / "x.yaml")


@quiet
@given(content=st.binary(max_size=60) | st.text("@.a1 \n", max_size=40).map(str.encode))
def test_garbage_hierarchies(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.hrc").write_bytes(content)
    (tmp_path / "x.yaml").write_text(
        "{tableseal: 1, kind: count, variables: {a: {total: T, file: v.hrc}},"
        " tables: [{name: t, cells: {a: [T], value: [1]}}]}"
    )
    with contextlib.suppress(InputError):
        read_release(tmp_path / "x.yaml")
