"""python -m unittest, with closed forms as judges. The tests of Lua scenarios need the command saltus: SALTUS."""
import contextlib
import gc
import io
import math
import os
import pathlib
import shutil
import unittest

import numpy as np

import saltus

G = 9.81
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def ball(restitution=0.8):
    system = saltus.System("ball", state={"height": 1.0, "speed": 0.0}, discrete={"touches": 0})

    @system.derivatives
    def fall(ctx, dot):
        dot.height, dot.speed = ctx.speed, -G

    @system.event(witness=lambda ctx: ctx.height, direction="falling")
    def touch(ctx, next):
        next.height, next.speed, next.touches = 0.0, -restitution * ctx.speed, ctx.touches + 1

    return system


def touches(count, restitution=0.8):
    first = math.sqrt(2 / G)
    return [first * (1 + 2 * sum(restitution ** k for k in range(1, n + 1))) for n in range(count)]


class Runs(unittest.TestCase):
    def test_events_are_at_their_times(self):
        sim = saltus.Simulator(ball(), accuracy=1e-10)
        log = sim.record()
        status = sim.advance_to(2)
        self.assertEqual(("reached_boundary_time", 2.0), status)
        times = [time for time, name in log.events if name == "touch"]
        np.testing.assert_allclose(times, touches(len(times)), atol=1e-9)
        self.assertEqual(len(times), sim.context.touches)
        self.assertGreater(min(log["height"]), -1e-8)

    def test_rows_at_an_interval_are_those_of_the_solution(self):
        system = saltus.System("turn", state={"x": [1.0, 0.0]}, params={"rate": 2.0})

        @system.derivatives
        def turn(ctx, dot):
            dot.x = [-ctx.rate * ctx.x[1], ctx.rate * ctx.x[0]]

        sim = saltus.Simulator(system, accuracy=1e-10)
        log = sim.record("x", every=0.1)
        sim.advance_to(3)
        self.assertEqual(31, len(log))
        np.testing.assert_allclose(log["x"], np.stack([np.cos(2 * log.time), np.sin(2 * log.time)], axis=1), atol=1e-8)
        view = log.view()
        self.assertEqual((31, 4), view.shape)
        with self.assertRaises(ValueError):
            view[0, 0] = 1

    def test_samples_steps_and_guards(self):
        system = saltus.System("plant", state={"x": 1.0}, discrete={"u": 0.0, "seen": 0})

        @system.derivatives
        def flow(ctx, dot):
            dot.x = ctx.u

        @system.event(every=0.5)
        def control(ctx, next):
            next.u = -ctx.x

        @system.event(becomes=lambda ctx: ctx.x < 0.3, when=lambda ctx: ctx.time > 0.1)
        def low(ctx, next):
            next.seen = ctx.time

        @system.event(at="demand")
        def push(ctx, next):
            next.x = 9

        sim = saltus.Simulator(system)
        sim.advance_to(1.5)
        self.assertAlmostEqual(0.125, sim.context.x, places=12)
        self.assertGreaterEqual(1.5, sim.context.seen)
        self.assertGreater(sim.context.seen, 0.5)
        sim.schedule("push", 1.75)
        sim.advance_to(1.75)
        sim.advance_to(1.8)
        self.assertGreater(sim.context.x, 8)

    def test_a_saved_run_goes_on_to_the_same_bits(self):
        system = ball()
        one = saltus.Simulator(system)
        one.advance_to(0.9)
        saved = one.save()
        one.advance_to(2)
        other = saltus.Simulator(system)
        other.load(saved)
        other.advance_to(2)
        self.assertEqual(one.hash(), other.hash())
        with self.assertRaises(saltus.Error):
            other.load(saved[:-1])

    def test_a_handler_ends_the_run(self):
        system = ball()

        @system.event(becomes=lambda ctx: ctx.touches >= 3, publish=True)
        def enough(ctx):
            return "terminate"

        status = saltus.Simulator(system, accuracy=1e-9).advance_to(10)
        self.assertEqual("reached_termination", status.reason)
        self.assertAlmostEqual(touches(3)[2], status.time, places=8)

    def test_on_zeno_says_what_holds_after_the_limit(self):
        system = saltus.System("ball", state={"height": 1.0, "speed": 0.0}, discrete={"resting": 0})

        @system.derivatives
        def fall(ctx, dot):
            dot.height, dot.speed = ctx.speed, 0 if ctx.resting else -9.81

        def rest(ctx, next):
            next.resting, next.height, next.speed = 1, 0.0, 0.0

        @system.event(witness=lambda ctx: ctx.height, direction="falling", on_zeno=rest)
        def touch(ctx, next):
            next.height, next.speed = 0.0, -0.8 * ctx.speed

        sim = saltus.Simulator(system)
        log = sim.record()
        sim.advance_to(6)
        self.assertEqual([1, 0, 0], [sim.context.resting, sim.context.height, sim.context.speed])
        self.assertAlmostEqual(9 * math.sqrt(2 / 9.81), log.events[-1][0], places=4)
        with self.assertRaisesRegex(saltus.Error, "give the event an on_zeno"):
            saltus.Simulator(ball()).advance_to(6)
        with self.assertRaisesRegex(saltus.Error, "accumulate"):
            saltus.Simulator(ball(), characteristic_time=1e-6).advance_to(6)


class Documents(unittest.TestCase):
    def test_the_first_sample_of_the_readme_runs(self):
        text = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()
        sample = text.split("```python\n")[1].split("```")[0]
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(sample, names)
        times = [time for time, _ in names["log"].events]
        np.testing.assert_allclose(times, touches(len(times)), atol=1e-8)


class Errors(unittest.TestCase):
    def test_an_exception_of_the_model_is_raised_from_the_call(self):
        system = saltus.System("broken", state={"x": 1.0})

        @system.derivatives
        def flow(ctx, dot):
            if ctx.time > 0.5:
                raise ZeroDivisionError("the pipe is broken")
            dot.x = 1

        sim = saltus.Simulator(system, max_step=0.1)
        with self.assertRaisesRegex(ZeroDivisionError, "the pipe is broken"):
            sim.advance_to(1)
        self.assertLessEqual(sim.time, 0.6)

    def test_mistakes_are_named(self):
        cases = [
            (lambda: saltus.System("a b", state={"x y": 1}), "an identifier"),
            (lambda: saltus.Simulator(saltus.System("s", state={"x": 1.0})), "decorate a function"),
            (lambda: saltus.Simulator(ball(), integrator="euler"), "known: .*tsitouras5"),
            (lambda: saltus.Simulator(ball(), accuracy=-1), "accuracy"),
            (lambda: saltus.Simulator(ball()).record("hight"), "unknown name 'hight'; known: height"),
            (lambda: saltus.Simulator(ball()).demand("bounce"), "no event 'bounce'; known: touch"),
            (lambda: ball().event()(print), "needs one of witness"),
            (lambda: ball().event(every=1, on_zeno=print)(print), "on_zeno belongs to a witness"),
            (lambda: saltus.Simulator(ball()).record(["height"]), r"write record\('height', 'speed'\)"),
            (lambda: saltus.Simulator(ball()).record(every=-1), "every must be greater than 0, got -1"),
            (lambda: saltus.Simulator(ball()).load(b"x"), "load what sal_simulator_save wrote$"),
            (lambda: saltus.System("s", state={"x": "a"}), "'x' of system 's' must be a number or a list, got 'a'"),
            (lambda: saltus.Simulator(ball()).advance_to(float("nan")), "ball"),
        ]
        for make, text in cases:
            with self.assertRaisesRegex(saltus.Error, text):
                make()
        with self.assertRaisesRegex(AttributeError, "unknown name 'hight'; known: height, speed, touches"):
            saltus.Simulator(ball()).context.hight

    def test_a_witness_is_a_number(self):
        system = ball()

        @system.event(witness=lambda ctx: ctx.height < 0.5)
        def low(ctx, next):
            next.touches = 9

        with self.assertRaisesRegex(TypeError, "the witness of event 'low' of system 'ball' returned False; it must "
                                    "return a number; a condition belongs in `becomes`"):
            saltus.Simulator(system).advance_to(1)

    def test_what_a_function_may_only_read_cannot_be_written(self):
        system = saltus.System("s", state={"x": 1.0})

        @system.derivatives
        def flow(ctx, dot):
            ctx.x = 2

        with self.assertRaisesRegex(AttributeError, "'x' can only be read here"):
            saltus.Simulator(system).advance_to(1)

    def test_what_a_function_is_given_ends_when_it_returns(self):
        kept = []
        system = saltus.System("s", state={"x": 1.0})

        @system.derivatives
        def flow(ctx, dot):
            kept.append((ctx, dot))
            dot.x = -ctx.x

        saltus.Simulator(system).advance_to(1)
        for use in (lambda: kept[0][0].x, lambda: kept[0][1].x, lambda: setattr(kept[0][1], "x", 1.0)):
            with self.assertRaisesRegex(saltus.Error, "valid until it returns"):
                use()
        with self.assertRaisesRegex(AttributeError, "'x' can only be read here"):
            kept[0][0].x = 1.0

    def test_a_context_and_a_view_outlive_the_names_of_their_run(self):
        def ended():
            sim = saltus.Simulator(ball())
            log = sim.record(every=0.1)
            sim.advance_to(0.3)
            return sim.context, log.view()

        context, view = ended()
        gc.collect()
        junk = [bytearray(1 << 12) for _ in range(100)]
        self.assertAlmostEqual(1 - G * 0.3 ** 2 / 2, context.height, 6)
        self.assertAlmostEqual(1 - G * 0.2 ** 2 / 2, view[2, 2], 6)
        del junk

    def test_what_a_handler_may_not_call_says_why(self):
        system, said = ball(), []

        @system.event(every=1, publish=True)
        def pry(ctx):
            for call in (sim.save, sim.record, lambda: sim.load(b"")):
                try:
                    call()
                except saltus.Error as error:
                    said.append(str(error))

        sim = saltus.Simulator(system)
        sim.advance_to(0.1)
        self.assertEqual(3, len(said))
        for sentence in said:
            self.assertIn("called from inside of the run", sentence)


@unittest.skipUnless(shutil.which(os.environ.get("SALTUS", "saltus")), "the command saltus is not there")
class Scenarios(unittest.TestCase):
    def test_a_lua_file_runs(self):
        result = saltus.run(EXAMPLES / "02-bouncing-ball.lua", {"restitution": 0.5}, accuracy=1e-9, duration=1)
        self.assertEqual(1.0, result.time[-1])
        self.assertGreater(min(result["height"]), -1e-7)
        self.assertIn("seed", str(result.report))

    def test_a_mistake_is_an_error(self):
        with self.assertRaisesRegex(saltus.Error, "restitution"):
            saltus.run(EXAMPLES / "02-bouncing-ball.lua", {"restituton": 0.5})
        with self.assertRaisesRegex(saltus.Error, "no program"):
            saltus.run("x.lua", command="/no/such/saltus")

    def test_a_sweep_in_processes_has_the_rows_of_one(self):
        from concurrent.futures import ProcessPoolExecutor
        values = [0.5, 0.6, 0.7, 0.8]
        with ProcessPoolExecutor(2) as pool:
            rows = list(pool.map(last_height, values))
        self.assertEqual([last_height(value) for value in values], rows)


def last_height(restitution):
    return float(saltus.run(EXAMPLES / "02-bouncing-ball.lua", {"restitution": restitution}, duration=1)["height"][-1])


if __name__ == "__main__":
    unittest.main()
