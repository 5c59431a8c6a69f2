"""x' = 1.8 x (1 - x(t - 1)) to t = 40 with jitcdde (its compiled right-hand side): microseconds a run, with the
loosest tolerance whose error at t = 1, 2, ... 40 is below the target. Reference values on stdin; compiling is not
timed, nor is making the object."""
import sys
import time
import warnings

warnings.filterwarnings("ignore")
from jitcdde import jitcdde, t, y  # noqa: E402

target = float(sys.argv[1])
reference = [float(word) for word in sys.stdin.read().split()]
compiled = jitcdde([1.8 * y(0) * (1 - y(0, t - 1))], verbose=False)
compiled.compile_C()


def run(tolerance):
    dde = compiled
    dde.purge_past()
    dde.constant_past([0.1])
    dde.set_integration_parameters(atol=tolerance, rtol=tolerance, first_step=1e-3, max_step=1)
    start = time.perf_counter()
    dde.step_on_discontinuities()
    worst = 0.0
    for i, want in enumerate(reference):
        got = dde.integrate(i + 1.0)[0] if i + 1 > dde.t else dde.get_state().get_recent_state(i + 1.0)[0]
        worst = max(worst, abs(got - want))
    return worst, time.perf_counter() - start


tolerance = 1e-5
worst, _ = run(tolerance)
while worst > target and tolerance > 1e-13:
    tolerance /= 2
    worst, _ = run(tolerance)
# Three evaluations an attempt: the pair of Bogacki and Shampine.
attempts = 0
single_step = compiled.try_single_step


def counted(*arguments):
    global attempts
    attempts += 1
    return single_step(*arguments)


compiled.try_single_step = counted
run(tolerance)
compiled.try_single_step = single_step
print("evaluations", 3 * attempts)
print("us", 1e6 * min(run(tolerance)[1] for _ in range(5)))
print("error", worst)
print("tolerance", tolerance)
