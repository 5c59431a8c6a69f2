"""Prints spec/data/math.txt: values of the functions of saltus.math, computed by mpmath with 300 digits or more.

    python3 spec/support/math_values.py >spec/data/math.txt

A line has the function, its arguments, the double nearest to the value, and how far the value is from it, in ulp.
"""
import random
from math import ldexp, isfinite, ulp
from mpmath import mp, mpf, sin, cos, tan, exp, log, power, atan2, hypot, pi

mp.prec = 2400
draw = random.Random(1)


def wide(low, high):
    return draw.choice((-1, 1)) * ldexp(draw.uniform(1, 2), draw.randint(low, high))


def near_multiple():
    return float(pi / 32 * draw.randint(-2 ** 21, 2 ** 21))


def angle():
    return draw.choice((lambda: draw.uniform(-10, 10), lambda: wide(-40, 40), lambda: wide(41, 1023), near_multiple))()


# 6381956970095103 2^797 is the double nearest to a multiple of pi / 2 (Muller, Elementary Functions, 2006).
worst = [(ldexp(6381956970095103, 797),), (float(pi),), (float(pi / 2),)]


def powers():
    x = draw.choice((lambda: draw.uniform(0, 20), lambda: abs(wide(-1022, 1023)), lambda: 1 + wide(-40, -3)))()
    return x, float(mpf(draw.uniform(-1070, 1020)) * log(mpf(2)) / log(mpf(x)))


cases = {
    "sin": (sin, lambda: (angle(),), worst),
    "cos": (cos, lambda: (angle(),), worst),
    "tan": (tan, lambda: (angle(),), worst),
    "exp": (exp, lambda: (draw.choice((draw.uniform(-745, 709), wide(-40, 8))),), []),
    "log": (log, lambda: (draw.choice((draw.uniform(0, 4), abs(wide(-1070, 1023)), 1 + wide(-40, -2))),), []),
    "pow": (power, powers, [(2.0, 0.5), (-3.0, 5.0), (1.5, -2.0)]),
    "atan2": (atan2, lambda: (wide(-30, 30), wide(-30, 30)), [(1.0, -1e300), (3.0, 4.0)]),
    "hypot": (hypot, lambda: (wide(-30, 30), wide(-30, 30)), [(1e300, 1e300), (3e-320, 1e-310)]),
}

print("# function, arguments, nearest double, exact value minus it in ulp: spec/support/math_values.py")
for name, (function, arguments, first) in cases.items():
    for i in range(150):
        given = first[i] if i < len(first) else arguments()
        value = function(*(mpf(x) for x in given))
        nearest = float(value)
        if isfinite(nearest):
            rest = (value - mpf(nearest)) / mpf(ulp(nearest))
            print(name, *(x.hex() for x in given), nearest.hex(), "%.6f" % float(rest))
