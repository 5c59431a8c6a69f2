"""Evaluations that jitcdde takes at tolerance 1e-6 for delay equations. Prints `key value` lines; what it cannot do is
left out."""
import warnings

warnings.filterwarnings("ignore")
from jitcdde import jitcdde, t, y  # noqa: E402

problems = {
    "linear_unit_lag": (1, 20, 1, [-y(0, t - 1)]),
    "hutchinson": (0.1, 40, 1, [1.8 * y(0) * (1 - y(0, t - 1))]),
    "mackey_glass_a1": (0.5, 500, 14, [0.2 * y(0, t - 14) / (1 + y(0, t - 14) ** 10) - 0.1 * y(0)]),
    "state_dependent_c1": (0.5, 30, 3, [-2 * y(0, t - 1 - abs(y(0))) * (1 - y(0) ** 2)]),
}
for name, (start, end, longest, rate) in problems.items():
    try:
        dde = jitcdde(rate, max_delay=longest, verbose=False)
        dde.constant_past([start])
        dde.set_integration_parameters(atol=1e-6, rtol=1e-6, first_step=1e-3, max_step=1)
        attempts = 0
        single_step = dde.try_single_step

        def counted(*arguments):
            global attempts
            attempts += 1
            return single_step(*arguments)

        dde.try_single_step = counted  # three evaluations an attempt: the pair of Bogacki and Shampine
        dde.step_on_discontinuities()
        while dde.t < end:
            dde.integrate(dde.t + 0.5)
        print(name + "_evaluations", 3 * attempts)
    except Exception:
        continue
