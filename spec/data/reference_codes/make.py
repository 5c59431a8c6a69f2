"""Records nonstiff.csv:   python3 spec/data/reference_codes/make.py > spec/data/reference_codes/nonstiff.csv
and around_1e-4.csv:      python3 spec/data/reference_codes/make.py around > spec/data/reference_codes/around_1e-4.csv"""
import re
import sys

import numpy as np
from scipy.integrate import ode


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


def vdp5(t, x):
    return [x[1], 5 * (1 - x[0] * x[0]) * x[1] - x[0]]


def arenstorf(t, x):
    moon = 0.012277471
    earth = 1 - moon
    a, b = x[0] + moon, x[0] - earth
    d1, d2 = (a * a + x[1] * x[1]) ** 1.5, (b * b + x[1] * x[1]) ** 1.5
    return [x[2], x[3], x[0] + 2 * x[3] - earth * a / d1 - moon * b / d2,
            x[1] - 2 * x[2] - earth * x[1] / d1 - moon * x[1] / d2]


def pleiades(t, x):
    rx, ry = x[None, 0:7] - x[0:7, None], x[None, 7:14] - x[7:14, None]
    r2 = rx * rx + ry * ry
    np.fill_diagonal(r2, 1)
    pull = np.arange(1, 8.0)[None, :] / (r2 * np.sqrt(r2))
    return np.concatenate([x[14:], (pull * rx).sum(1), (pull * ry).sum(1)])


def numbers(text):
    return np.array([float(word) for word in text.split(",")])


header = " ".join(open("spec/support/flows.h").read().split("static const flow flows")[1].split())
entry = re.compile(r'\{"(\w+)", \d+, ([0-9.]+), \{([^}]*)\}, \{([^}]*)\}')

around = sys.argv[1:] == ["around"]
codes = ["dopri5"] if around else ["dopri5", "dop853"]
tolerances = [10.0 ** -digits for digits in range(4, 13)]
if around:
    tolerances = [float(f"{10 ** (-3.5 - k / 40):.5e}") for k in range(41)]

print("problem,code,tolerance,error,evaluations")
for name, t1, x0, x1 in entry.findall(header):
    for code in codes:
        for tolerance in tolerances:
            calls = 0

            def counted(t, x):
                global calls
                calls += 1
                return globals()[name](t, x)

            run = ode(counted).set_integrator(code, rtol=tolerance, atol=tolerance, nsteps=10**6)
            run.set_initial_value(numbers(x0), 0)
            wanted = numbers(x1)
            error = np.abs(run.integrate(float(t1)) - wanted).max() / np.abs(wanted).max()
            print(f"{name},{code},{tolerance:.{5 if around else 0}e},{error:.3e},{calls}")
