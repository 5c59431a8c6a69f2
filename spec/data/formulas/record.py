"""Records the robustness of random formulas by RTAMT 0.4.10 in rtamt.txt: python3 record.py > rtamt.txt

Each line has a formula in our words, a tab, and its robustness at time 0: by RTAMT's monitor of discrete time for
formulas with until, by the one of dense time for the others. Signals a, b and c are constant from each whole second to
the next, for 40 seconds; the values of formula k come from the generator below, started with k.
"""
import random
import warnings

import rtamt

warnings.filterwarnings("ignore")

FORMULAS, SAMPLES, NAMES = 2000, 40, "abc"


def values(k):
    """By name, SAMPLES values from -3 to 3 in steps of 0.001."""
    state, signals = k, {}
    for name in NAMES:
        signals[name] = []
        for _ in range(SAMPLES):
            state = (state * 1103515245 + 12345) % 2**31
            signals[name].append(((state >> 8) % 6001 - 3000) / 1000)
    return signals


def formula(depth):
    if depth == 0:
        return f"{random.choice(NAMES)} {random.choice(['>=', '<='])} {random.uniform(-2, 2):.3f}"
    op = random.choice(["and", "or", "not", "always", "eventually", "implies", "until"])
    if op == "not":
        return f"not ({formula(depth - 1)})"
    a = random.randint(0, 3)
    b = a + random.randint(0, 5)
    if op in ("always", "eventually"):
        return f"{op}[{a},{b}] ({formula(depth - 1)})"
    span = f"[{a},{b}]" if op == "until" else ""
    return f"(({formula(depth - 1)}) {op}{span} ({formula(depth - 1)}))"


def specification(kind, text):
    spec = kind()
    for name in NAMES:
        spec.declare_var(name, "float")
    spec.spec = text
    spec.parse()
    return spec


def robustness(text, signals):
    if "until" in text:
        spec = specification(rtamt.StlDiscreteTimeSpecification, text)
        return spec.evaluate({"time": list(range(SAMPLES)), **signals})[0][1]
    spec = specification(rtamt.StlDenseTimeSpecification, text)
    return spec.evaluate(*[[name, [[float(i), x] for i, x in enumerate(signals[name])]] for name in NAMES])[0][1]


random.seed(5)
for k in range(1, FORMULAS + 1):
    text = formula(random.randint(1, 3))
    print(text.replace("implies", "->"), robustness(text, values(k)), sep="\t")
