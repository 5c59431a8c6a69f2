"""Systems whose functions are Python functions, and what these functions are given."""
import numpy as np

from ._engine import ffi, lib

_ACROSS = {"discrete": lib.SAL_XD, "params": lib.SAL_PARAM, "inputs": lib.SAL_INPUT}
_DIRECTIONS = {"crossing": lib.SAL_CROSSING, "falling": lib.SAL_FALLING, "rising": lib.SAL_RISING}
_TRIGGERS = {"start": lib.SAL_ON_INITIALIZATION, "step": lib.SAL_ON_STEP, "demand": lib.SAL_ON_DEMAND}


class Error(RuntimeError):
    """The engine refused something, or a run failed."""


def check(status, what):
    if status != lib.SAL_OK:
        raise Error(f"{what}: {ffi.string(lib.sal_status_text(status)).decode()}")


def numbers(pointer, count):
    """The numbers at a pointer as an array without a copy; it is valid as long as they are there."""
    return np.frombuffer(ffi.buffer(pointer, 8 * count), dtype=np.float64)


class Values:
    """Named numbers: `ctx.height`, or `ctx["height"]`. A value of several numbers is an array."""

    __slots__ = ("_places", "_read", "_write", "time")

    def __init__(self, places, read, write, time):
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_read", read)
        object.__setattr__(self, "_write", write)
        object.__setattr__(self, "time", time)

    def _place(self, name):
        try:
            return self._places[name]
        except KeyError:
            known = ", ".join(self._places)
            raise AttributeError(f"unknown name {name!r}; known: {known}") from None

    def __getattr__(self, name):
        partition, at, size = self._place(name)
        values = self._read(partition)
        return values[at] if size is None else numbers(values + at, size).copy()

    def __setattr__(self, name, value):
        partition, at, size = self._place(name)
        if self._write is None:
            raise AttributeError(f"{name!r} can only be read here")
        values = self._write(partition)
        if size is None:
            values[at] = value
        else:
            numbers(values + at, size)[:] = value

    __getitem__ = __getattr__
    __setitem__ = __setattr__

    def __dir__(self):
        return ["time", *self._places]

    def _end(self):
        object.__setattr__(self, "_read", _ended)
        object.__setattr__(self, "_write", self._write and _ended)


def _ended(_):
    raise Error("what a function of the model is given is valid until it returns; keep copies of its numbers instead")


def _call(function, *given):
    try:
        return function(*given)
    finally:
        for values in given:
            values._end()


class _Event:
    def __init__(self, name, update, publish, witness, when, becomes, on_zeno):
        self.name, self.update, self.publish = name, update, publish
        self.witness, self.when, self.becomes, self.on_zeno = witness, when, becomes, on_zeno


def _array(default, what):
    try:
        return np.atleast_1d(np.asarray(default, dtype=np.float64)).ravel()
    except (TypeError, ValueError):
        raise Error(f"{what} must be a number or a list, got {default!r}") from None


class System:
    """What flows and what jumps. `state`, `discrete`, `params` and `inputs` map names to defaults: a number, or a list.

    `state` is continuous; handlers of events may write all but inputs. A system cannot change after its first simulator
    was made.
    """

    def __init__(self, name, state=None, discrete=None, params=None, inputs=None):
        self.name, self.events, self.failure = name, [], None
        self._derivatives, self._places = None, {}
        self._handle = ffi.new_handle(self)
        out = ffi.new("sal_system **")
        check(lib.sal_system_new(ffi.NULL, _behaviour, name.encode(), self._handle, out), f"system {name!r}")
        self.core = ffi.gc(out[0], lib.sal_system_free)
        for partition, values in ((lib.SAL_Z, state), (lib.SAL_XD, discrete), (lib.SAL_PARAM, params),
                                  (lib.SAL_INPUT, inputs)):
            self._add(partition, values or {})

    def _add(self, partition, values):
        at = 0
        for name, default in values.items():
            what = f"{name!r} of system {self.name!r}"
            array = _array(default, what)
            if not name.isidentifier() or name in self._places or name == "time":
                raise Error(f"{what}: a name is an identifier that is not used yet, and not `time`")
            self._check(lib.sal_system_add_values(self.core, partition, name.encode(), array.size,
                                                  ffi.from_buffer("double[]", array)))
            self._places[name] = (partition, at, None if np.ndim(default) == 0 else array.size)
            at += array.size

    def _check(self, status):
        if status != lib.SAL_OK:
            why = ffi.string(lib.sal_system_trouble(self.core)).decode()
            lib.sal_system_forget_trouble(self.core)
            raise Error(why)

    def derivatives(self, function):
        """Decorates function(ctx, dot), which writes the derivative of each state to dot."""
        self._derivatives = function
        return function

    def event(self, name=None, *, witness=None, becomes=None, every=None, offset=0.0, at=None, direction="crossing",
              when=None, publish=False, on_zeno=None):
        """Decorates the handler of an event: function(ctx, next), or function(ctx) with publish=True.

        The event fires where `witness(ctx)` crosses zero, where `becomes(ctx)` turns true, every `every` seconds from
        `offset` on, or `at` "start", "step" or "demand". `on_zeno(ctx, next)` replaces the handler of a
        witness where its firings accumulate, and says what holds after their limit.
        """
        given = [kind for kind, value in (("witness", witness), ("becomes", becomes), ("every", every), ("at", at))
                 if value is not None]

        def add(function):
            label = name or function.__name__
            what = f"event {label!r} of system {self.name!r}"
            if len(given) != 1:
                raise Error(f"{what} needs one of witness, becomes, every and at")
            if on_zeno is not None and witness is None:
                raise Error(f"{what}: on_zeno belongs to a witness")
            config = lib.sal_event_config_default()
            text = ffi.new("char[]", label.encode())
            config.name, config.guarded = text, when is not None
            config.on_zeno = on_zeno is not None
            config.kind = lib.SAL_PUBLISH if publish else lib.SAL_UNRESTRICTED
            if witness is not None:
                config.trigger, config.direction = lib.SAL_ON_WITNESS, _choice(_DIRECTIONS, direction, what)
            elif becomes is not None:
                config.trigger = lib.SAL_ON_CHANGE
            elif every is not None:
                config.trigger, config.period, config.offset = lib.SAL_ON_PERIOD, every, offset
            else:
                config.trigger = _choice(_TRIGGERS, at, what)
            holder = ffi.new("sal_event_config *", config)
            self._check(lib.sal_system_add_event(self.core, holder, ffi.NULL))
            self.events.append(_Event(label, None if publish else function, function if publish else None, witness, when,
                                      becomes, on_zeno))
            return function
        return add

    def event_index(self, name):
        for index, event in enumerate(self.events):
            if event.name == name:
                return index
        raise Error(f"system {self.name!r} has no event {name!r}; known: {', '.join(e.name for e in self.events)}")

    # What the functions of the model get: the numbers of a context.

    def seen(self, ctx):
        return Values(self._places, lambda partition: numbers_of(ctx, partition), None, lib.sal_context_time(ctx))

    def written(self, ctx, owner=None):
        """`owner` has the memory of the context, and lives as long as the values."""
        return Values(self._places, lambda partition, owner=owner: numbers_of(ctx, partition),
                      lambda partition: lib.sal_context_edit(ctx, partition), lib.sal_context_time(ctx))

    def rates(self, dot):
        places = {name: place for name, place in self._places.items() if place[0] == lib.SAL_Z}
        return Values(places, lambda _: dot.z, lambda _: dot.z, None)


def numbers_of(ctx, partition):
    return lib.sal_context_get(ctx, partition)


def _choice(table, word, what):
    if word not in table:
        raise Error(f"{what}: {word!r} is not one of {', '.join(map(repr, table))}")
    return table[word]


def _number(value, event, system):
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"the witness of event {event.name!r} of system {system.name!r} returned {value}; it must "
                        "return a number; a condition belongs in `becomes`")
    return value


# ---- calls from the engine ----

def _system_of(core):
    return ffi.from_handle(lib.sal_system_data(core))


def _keep(exception, value, traceback):
    """An exception waits in the system until the call of the simulator has returned."""
    import sys
    frame = traceback.tb_frame if traceback else sys._getframe()
    system = _system_of(frame.f_locals["core"])
    if system.failure is None:
        system.failure = value


@ffi.def_extern(error=lib.SAL_ECALLBACK, onerror=_keep)
def saltus_derivatives(core, ctx, dot):
    system = _system_of(core)
    _call(system._derivatives, system.seen(ctx), system.rates(dot))
    return lib.SAL_OK


@ffi.def_extern(error=lib.SAL_ECALLBACK, onerror=_keep)
def saltus_witness(core, ctx, event, value):
    system = _system_of(core)
    declared = system.events[event]
    answer = _call(declared.witness or declared.becomes, system.seen(ctx))
    if declared.witness:
        value[0] = _number(answer, declared, system)
    else:  # a condition is found by the change of its sign
        value[0] = 1 if answer else -1
    return lib.SAL_OK


@ffi.def_extern(error=lib.SAL_ECALLBACK, onerror=_keep)
def saltus_when(core, ctx, event, active):
    system = _system_of(core)
    active[0] = bool(_call(system.events[event].when, system.seen(ctx)))
    return lib.SAL_OK


@ffi.def_extern(error=lib.SAL_ECALLBACK, onerror=_keep)
def saltus_holds(core, ctx, event, holds):
    system = _system_of(core)
    holds[0] = bool(_call(system.events[event].becomes, system.seen(ctx)))
    return lib.SAL_OK


@ffi.def_extern(error=lib.SAL_FAILED, onerror=_keep)
def saltus_publish(core, ctx, event, note):
    system = _system_of(core)
    stop = _call(system.events[event.index].publish, system.seen(ctx))
    return lib.SAL_TERMINATE if stop == "terminate" else lib.SAL_SUCCEEDED


@ffi.def_extern(error=lib.SAL_FAILED, onerror=_keep)
def saltus_update(core, ctx, event, next, note):
    system = _system_of(core)
    declared = system.events[event.index]
    handler = declared.on_zeno if event.zeno else declared.update
    stop = _call(handler, system.seen(ctx), system.written(next))
    return lib.SAL_TERMINATE if stop == "terminate" else lib.SAL_SUCCEEDED


_CLASS_NAME = ffi.new("char[]", b"python")
_behaviour = ffi.new("sal_system_class *", {
    "name": _CLASS_NAME, "derivatives": lib.saltus_derivatives, "witness": lib.saltus_witness,
    "when": lib.saltus_when, "holds": lib.saltus_holds, "publish": lib.saltus_publish, "update": lib.saltus_update})
