"""Runs of a system, and their logs."""
import math
from typing import NamedTuple

import numpy as np

from ._engine import ffi, lib
from ._system import Error, check, numbers

_REASONS = {lib.SAL_AT_BOUNDARY: "reached_boundary_time", lib.SAL_AT_TERMINATION: "reached_termination",
            lib.SAL_AT_STEP_LIMIT: "reached_step_limit", lib.SAL_AT_INTERRUPT: "interrupted",
            lib.SAL_AT_WATCH: "reached_watch", lib.SAL_AT_HALT: "halted"}


class Status(NamedTuple):
    reason: str
    time: float


class Log:
    """Rows of a run: `log.time`, `log["height"]`, and `log.events`, a list of (time, name).

    The arrays are copies. `log.view()` is the table itself, without a copy, until the run continues: a row has the time,
    a mark (1: just after an update), then the numbers of the names.
    """

    def __init__(self, simulator, names, every):
        self._simulator, self._places, at = simulator, {}, 2
        channels = ffi.new("sal_channel[]", len(names))
        for channel, name in zip(channels, names):
            partition, start, size = simulator.system._places[name]
            channel.partition, channel.at, channel.size, channel.output = partition, start, size or 1, -1
            self._places[name] = (at, size)
            at += size or 1
        out = ffi.new("sal_recorder **")
        interval = math.nan if every is None else every
        simulator._check_call(lib.sal_recorder_new(simulator.core, channels, len(names), interval, out))
        self.core = ffi.gc(out[0], lambda core, kept=simulator.core: lib.sal_recorder_free(core))

    def view(self):
        rows, width = lib.sal_recorder_rows(self.core), lib.sal_recorder_width(self.core)
        if rows == 0:
            return np.empty((0, width))
        # Rows are at equal distances, with numbers of the engine between. The view keeps the log.
        first = ffi.gc(lib.sal_recorder_row(self.core, 0), lambda row, kept=self.core: None)
        apart = lib.sal_recorder_row(self.core, 1) - first if rows > 1 else width
        stored = numbers(first, (rows - 1) * apart + width)
        return np.lib.stride_tricks.as_strided(stored, (rows, width), (8 * apart, 8), writeable=False)

    @property
    def time(self):
        return self.view()[:, 0].copy()

    def __getitem__(self, name):
        if name not in self._places:
            raise KeyError(f"the log has no {name!r}; it has {', '.join(self._places)}")
        at, size = self._places[name]
        table = self.view()
        return table[:, at].copy() if size is None else table[:, at:at + size].copy()

    @property
    def names(self):
        return list(self._places)

    @property
    def events(self):
        found = []
        for index in range(lib.sal_recorder_events(self.core)):
            event = lib.sal_recorder_event(self.core, index)
            found.append((event.time, self._simulator.system.events[event.event].name))
        return found

    def __len__(self):
        return lib.sal_recorder_rows(self.core)


class Simulator:
    """A run of a system. Options: accuracy (relative), integrator (a method's name), max_step (s), seed, time at the
    start (s), characteristic_time (s, 1): the time scale of the model."""

    def __init__(self, system, *, accuracy=None, integrator=None, max_step=None, seed=0, time=0.0,
                 characteristic_time=None):
        if system._derivatives is None and any(place[0] == lib.SAL_Z for place in system._places.values()):
            raise Error(f"system {system.name!r} has a state and no derivatives: decorate a function with "
                        "@system.derivatives")
        self.system = system
        config = ffi.new("sal_simulator_config *", lib.sal_simulator_config_default())
        method = lib.sal_method_find((integrator or "auto").encode())
        if method == ffi.NULL:
            known = ", ".join(_methods())
            raise Error(f"no integrator {integrator!r}; known: {known}")
        config.integrator.method, config.seed = method, seed
        if accuracy is not None:
            config.integrator.accuracy = accuracy
        if max_step is not None:
            config.integrator.max_step = max_step
        if characteristic_time is not None:
            config.characteristic_time = characteristic_time
        note, out = ffi.new("sal_note *"), ffi.new("sal_simulator **")
        if lib.sal_simulator_config_check(config, note) != lib.SAL_OK:
            raise Error(f"simulator of {system.name!r}: {ffi.string(note.text).decode()}")
        status = lib.sal_simulator_new(ffi.NULL, system.core, ffi.NULL, config, out)
        self._check(status, ffi.string(lib.sal_system_trouble(system.core)).decode() or system.name)
        self.core = ffi.gc(out[0], lambda core, kept=system: lib.sal_simulator_free(core))
        if time != 0:
            lib.sal_context_set_time(lib.sal_simulator_context(self.core), time)

    def _check(self, status, what):
        failure, self.system.failure = self.system.failure, None
        if failure is not None:
            raise failure
        check(status, what)

    def _check_call(self, status):
        if status != lib.SAL_OK:
            failure, self.system.failure = self.system.failure, None
            raise failure or Error(ffi.string(lib.sal_simulator_trouble(self.core)).decode())

    @property
    def context(self):
        """The present time, state and parameters, which may be written between calls."""
        return self.system.written(lib.sal_simulator_context(self.core), self.core)

    @property
    def time(self):
        return lib.sal_context_time(lib.sal_simulator_context(self.core))

    def advance_to(self, time):
        """Advances to exactly `time`; raises what a function of the model raised, or Error."""
        report = ffi.new("sal_report *")
        status = lib.sal_simulator_advance_to(self.core, time, report)
        failure, self.system.failure = self.system.failure, None
        if failure is not None:
            raise failure
        if status != lib.SAL_OK:
            raise Error(self._sentence(report))
        return Status(_REASONS[report.reason], report.time)

    def _sentence(self, report):
        text = ffi.new("char[]", 1024)
        lib.sal_report_text(self.core, report, text, len(text))
        return ffi.string(text).decode(errors="replace")

    def record(self, *names, every=None):
        """A log of these names, by default all states and discrete variables: each step, or every so many seconds."""
        places = self.system._places
        if every is not None and not every > 0:
            raise Error(f"record: every must be greater than 0, got {every}")
        for name in names:
            if not isinstance(name, str):
                raise Error(f"record: a name must be a string, got {name!r}; write record('height', 'speed')")
            if name not in places:
                raise Error(f"record: unknown name {name!r}; known: {', '.join(places)}")
        return Log(self, names or [name for name, place in places.items() if place[0] in (lib.SAL_Z, lib.SAL_XD)], every)

    def schedule(self, event, time):
        self._check_call(lib.sal_simulator_schedule(self.core, 0, self.system.event_index(event), time, ffi.NULL))

    def demand(self, event):
        self._check_call(lib.sal_simulator_demand(self.core, 0, self.system.event_index(event)))

    def save(self):
        """The whole run as bytes, for load of a simulator of the same system."""
        size = lib.sal_simulator_save_size(self.core)
        saved = bytearray(size)
        self._check_call(lib.sal_simulator_save(self.core, ffi.from_buffer(saved), size))
        return bytes(saved)

    def load(self, saved):
        self._check_call(lib.sal_simulator_load(self.core, ffi.from_buffer(saved), len(saved)))

    def hash(self):
        return f"{lib.sal_simulator_hash(self.core):016x}"

    @property
    def warnings(self):
        first = ffi.new("sal_warning **")
        return [ffi.string(first[0][i].note.text).decode() for i in range(lib.sal_simulator_warnings(self.core, first))]


def _methods():
    index = 0
    while lib.sal_method_at(index) != ffi.NULL:
        yield ffi.string(lib.sal_method_name(lib.sal_method_at(index))).decode()
        index += 1
