"""Runs of scenario files in Lua by the command saltus."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

from ._system import Error


class Result(dict):
    """Arrays by name, as `result["height"]`; `time`, `events` and `report`, which `saltus run --json` wrote."""

    def __init__(self, arrays, report):
        super().__init__(arrays)
        self.report = report
        self.time = self.get("time")


def _arguments(options):
    for name, value in options.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            yield "--" + name.replace("_", "-")
            if each is not True:
                yield repr(each) if isinstance(each, float) else str(each)


def run(file, set=None, *, command=None, **options):
    """Runs a scenario of a Lua file and returns its log and report.

    `set` maps names to values. Other options are those of `saltus run`: duration=10, accuracy=1e-9, seed=3,
    expect="always height >= 0". `command`: the program; default: SALTUS in the environment, or saltus on the path.
    The function can be sent to other processes, as by multiprocessing or Dask.
    """
    program = command or os.environ.get("SALTUS", "saltus")
    with tempfile.TemporaryDirectory() as folder:
        arrays, report = pathlib.Path(folder, "run.npz"), pathlib.Path(folder, "run.json")
        words = [program, "run", "-q", str(file), "--npz", str(arrays), "--json", str(report), *_arguments(options)]
        for name, value in (set or {}).items():
            words += ["--set", f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"]
        try:
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        except FileNotFoundError:
            raise Error(f"there is no program {program!r}: install saltus (make install), or set SALTUS to its path") \
                from None
        if done.returncode != 0:
            raise Error(done.stderr.strip() or f"{program} run ended with status {done.returncode}")
        with np.load(arrays) as stored:
            return Result({name: stored[name] for name in stored.files}, json.loads(report.read_text()))
