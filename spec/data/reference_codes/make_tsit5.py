"""Records tsit5.csv: python3 spec/data/reference_codes/make_tsit5.py > spec/data/reference_codes/tsit5.csv"""
import re

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def lorenz(t, x, _):
    return jnp.array([10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])


def vdp5(t, x, _):
    return jnp.array([x[1], 5 * (1 - x[0] * x[0]) * x[1] - x[0]])


def arenstorf(t, x, _):
    moon = 0.012277471
    earth = 1 - moon
    a, b = x[0] + moon, x[0] - earth
    d1, d2 = (a * a + x[1] * x[1]) ** 1.5, (b * b + x[1] * x[1]) ** 1.5
    return jnp.array([x[2], x[3], x[0] + 2 * x[3] - earth * a / d1 - moon * b / d2,
                      x[1] - 2 * x[2] - earth * x[1] / d1 - moon * x[1] / d2])


def pleiades(t, x, _):
    rx, ry = x[None, 0:7] - x[0:7, None], x[None, 7:14] - x[7:14, None]
    r2 = rx * rx + ry * ry + jnp.eye(7)
    pull = jnp.arange(1, 8.0)[None, :] / (r2 * jnp.sqrt(r2))
    return jnp.concatenate([x[14:], (pull * rx).sum(1), (pull * ry).sum(1)])


def numbers(text):
    return np.array([float(word) for word in text.split(",")])


header = " ".join(open("spec/support/flows.h").read().split("static const flow flows")[1].split())
entry = re.compile(r'\{"(\w+)", \d+, ([0-9.]+), \{([^}]*)\}, \{([^}]*)\}')
gains = {"tsit5": {}, "tsit5_pi": {"pcoeff": 0.4, "icoeff": 0.3}}

print("problem,code,tolerance,error,evaluations")
for name, t1, x0, x1 in entry.findall(header):
    for code in gains:

        @jax.jit
        def run(tolerance):
            controller = diffrax.PIDController(rtol=tolerance, atol=tolerance, **gains[code])
            solution = diffrax.diffeqsolve(diffrax.ODETerm(globals()[name]), diffrax.Tsit5(), 0.0, float(t1), None,
                                           jnp.array(numbers(x0)), stepsize_controller=controller,
                                           max_steps=10**5, saveat=diffrax.SaveAt(t1=True),
                                           adjoint=diffrax.ForwardMode())
            return solution.ys[0], solution.stats["num_steps"]

        for digits in range(4, 13):
            tolerance = 10.0 ** -digits
            end, steps = run(tolerance)
            wanted = numbers(x1)
            error = np.abs(np.asarray(end) - wanted).max() / np.abs(wanted).max()
            print(f"{name},{code},{tolerance:.0e},{error:.3e},{2 + 6 * int(steps)}", flush=True)
