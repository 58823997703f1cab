"""python -m tests.support.fuzz TOTAL [READER ...] [--seed N]: so many broken files in all, shared among the readers.

Each reader works in processes of its own, so that one that ends a process is seen, and named by its seed. Faults (see
`campaign.py`) are written into a folder with their files; the exit code is 1 if there are any.
"""

import argparse
import json
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from tests.support.fuzz.campaign import campaign, mutated
from tests.support.fuzz.readers import readers

PORTION = 5_000
"""Inputs for one process."""
MEMORY = 8 * 2**30
"""Bytes of addresses for a process, beyond which it gets no more memory."""
SILENCE = 900
"""Seconds after which a process that says nothing is ended."""


def main(arguments: list[str]) -> int:
    """Work off the command line."""
    parser = argparse.ArgumentParser(prog="do.py fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("total", type=int, nargs="?", default=1_000_000)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(readers()))
    parser.add_argument("--seed", type=int, default=0, help="the first one of each reader")
    parser.add_argument("--faults", type=Path, default=Path("fuzz-faults"), help="folder for what fails")
    parser.add_argument("--portion", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.portion is not None:
        return portion(asked.readers[0], range(asked.seed, asked.seed + asked.portion), asked.faults)
    keys = asked.readers or list(readers())
    each, start, faults = -(-asked.total // len(keys)), monotonic(), 0
    counts = {key: Counter[str]() for key in keys}
    for first in range(asked.seed, asked.seed + each, PORTION):  # all readers get on alike
        for key in keys:
            count = min(PORTION, asked.seed + each - first)
            counts[key] += watched(key, first, count, asked.faults)
        faults = sum(counter[word] for counter in counts.values() for word in ("fault", "memory", "ended"))
        total = sum(counter.total() - counter["memory"] for counter in counts.values())
        print(f"{total:,} inputs, {faults} faults, {monotonic() - start:.0f} s", flush=True)
    for key, counter in counts.items():
        print(f"{key}: {dict(counter)}")
    return 1 if faults else 0


def watched(key: str, first: int, count: int, faults: Path) -> Counter[str]:
    """What comes of a portion; a process that ends before its time is a fault of the input it had in hand, and another
    one goes on behind that."""
    found: Counter[str] = Counter()
    faults.mkdir(parents=True, exist_ok=True)
    mark = faults / f".{key}"
    end = first + count
    while first < end:
        mark.write_text(json.dumps([first, {}]))
        command = [sys.executable, "-m", "tests.support.fuzz", "0", key, f"--seed={first}", f"--portion={end - first}"]
        try:
            code: int | str = subprocess.run([*command, f"--faults={faults}"], timeout=SILENCE).returncode
        except subprocess.TimeoutExpired:
            code = "silent"
        seed, counts = json.loads(mark.read_text())
        found += Counter(counts)
        if code in (0, 1):
            break
        found["ended"] += 1
        keep(key, seed, f"the process ended ({code})", "", faults)
        first = seed + 1
    mark.unlink()
    if found.total() - found["memory"] != count:
        print(
            f"{key}: {found.total():,} of {count:,} inputs from {end - count}: the campaign itself failed", flush=True
        )
    return found


def portion(key: str, seeds: range, faults: Path) -> int:
    """The inputs of one process."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    mark, known, counts, told = faults / f".{key}", set[str](), Counter[str](), 0

    def before(seed: int) -> None:
        mark.write_text(json.dumps([seed, counts]))

    for outcomes in campaign(key, seeds, before=before, guarded=True):
        counts = outcomes.counts
        for seed, what, error in outcomes.faults[told:]:
            trace = "" if error is None else "".join(traceback.format_exception(error))
            where = what if error is None else trace.rpartition('File "')[2]
            if where not in known:  # each kind once
                known.add(where)
                keep(key, seed, what, trace, faults)
        told = len(outcomes.faults)
    mark.write_text(json.dumps([seeds.stop, counts]))
    return 1 if told else 0


def keep(key: str, seed: int, what: str, trace: str, faults: Path) -> None:
    """Write down a fault: its files, and what came of them."""
    folder = faults / f"{key}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    files: Mapping[str, bytes] = mutated(key, seed)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "FAULT.txt").write_text(f"{key} {seed}\n{what}\n{trace}")
    print(f"{key} {seed}: {what[:200]}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
