"""The problems of spec/support/flows.h with right-hand sides in Python: microseconds to an error of 1e-6.

    flows_peer.py pydrake lorenz | vdp5 | arenstorf        runge_kutta5 of a LeafSystem
    flows_peer.py scipy lorenz                             the best method (`best`), and DOP853 (`dop853`)
"""
import math
import re
import sys
import time
import warnings


def lorenz(t, x):
    a, b, c = x
    return [10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c]


def vdp5(t, x):
    return [x[1], 5 * (1 - x[0] * x[0]) * x[1] - x[0]]


def arenstorf(t, x):
    x, y, u, v = x
    a, b = x + 0.012277471, x - (1 - 0.012277471)
    d1, d2 = (a * a + y * y) ** 1.5, (b * b + y * y) ** 1.5
    earth, moon = (1 - 0.012277471) / d1, 0.012277471 / d2
    return [u, v, x + 2 * v - earth * a - moon * b, y - 2 * u - earth * y - moon * y]


def problem(name):
    header = " ".join(open("spec/support/flows.h").read().split("static const flow flows")[1].split())
    t1, x0, x1 = re.search(r'\{"%s", \d+, ([0-9.]+), \{([^}]*)\}, \{([^}]*)\}' % name, header).groups()
    numbers = lambda text: [float(word) for word in text.split(",")]
    return globals()[name], float(t1), numbers(x0), numbers(x1)


def time_to(error, runs):
    best = min((s for e, s in runs if e <= error), default=math.inf)
    for e1, s1 in runs:
        for e2, s2 in runs:
            if e1 > error >= e2:
                share = math.log(e1 / error) / math.log(e1 / e2)
                best = min(best, math.exp(math.log(s1) * (1 - share) + math.log(s2) * share))
    return best


def measure(go, x1, digits):
    best, spent = math.inf, time.perf_counter()
    while best == math.inf or (time.perf_counter() - spent < 0.15 and best < 0.1):
        begin = time.perf_counter()
        x = go(10.0 ** -digits)
        best = min(best, time.perf_counter() - begin)
    return max(abs(a - b) for a, b in zip(x, x1)) / max(map(abs, x1)), best


def pydrake(name):
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
    from pydrake.systems.framework import LeafSystem
    f, t1, x0, x1 = problem(name)

    class Flow(LeafSystem):
        def __init__(self):
            super().__init__()
            self.DeclareContinuousState(len(x0))

        def DoCalcTimeDerivatives(self, context, derivatives):
            derivatives.SetFromVector(f(0, context.get_continuous_state_vector().CopyToVector()))

    def go(accuracy):
        simulator = Simulator(Flow())
        ResetIntegratorFromFlags(simulator, "runge_kutta5", 100.0)
        simulator.get_mutable_integrator().set_target_accuracy(accuracy)
        simulator.get_mutable_context().SetContinuousState(x0)
        simulator.Initialize()
        simulator.AdvanceTo(t1)
        return simulator.get_context().get_continuous_state_vector().CopyToVector()

    runs = [measure(go, x1, digits) for digits in (5, 6, 7, 8, 9, 10)]
    print("us", time_to(1e-6, runs) * 1e6)


def scipy(name):
    from scipy.integrate import odeint, solve_ivp
    warnings.filterwarnings("ignore")
    f, t1, x0, x1 = problem(name)

    def ivp(method):
        return lambda tol: solve_ivp(f, (0, t1), x0, method=method, rtol=max(tol, 1e-13), atol=tol).y[:, -1]

    def best(go):
        return time_to(1e-6, [measure(go, x1, digits) for digits in (4, 5, 6, 7, 8, 9, 10, 11)])

    dop853 = best(ivp("DOP853"))
    lsoda = best(lambda tol: odeint(f, x0, [0, t1], rtol=tol, atol=tol, tfirst=True, mxstep=10**6)[-1])
    print("best", min(dop853, lsoda, best(ivp("RK45")), best(ivp("LSODA"))) * 1e6)
    print("dop853", dop853 * 1e6)


{"pydrake": pydrake, "scipy": scipy}[sys.argv[1]](sys.argv[2])
