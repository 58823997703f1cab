"""What a service does with its hypercubes when it starts."""

from pathlib import Path

from towns import built

from tableseal.api.generating.counters import Counters
from tableseal.api.generating.opened import open_all


def test_hypercubes_are_opened_before_anybody_asks(tmp_path: Path) -> None:
    """CONVENTION 1122: one that cannot be opened is in the way of no other, and is told to who asks for it."""
    built(tmp_path)
    good = Counters(tmp_path).names()
    for name in good:
        (tmp_path / f"a{name}.cube").symlink_to(tmp_path / f"{name}.cube")
        (tmp_path / f"a{name}.yaml").write_text("tableseal-generator: 1\n")
        (tmp_path / f"a{name}.secret").write_text("not a secret of anybody")
    counters = Counters(tmp_path)
    open_all(counters)
    assert len(counters.names()) == 2 * len(good)
    first = {name: counters.counter(name) for name in good}
    open_all(counters)
    assert all(counters.counter(name) is one for name, one in first.items())
