"""Prints src/base/math/tables.c: the tables of saltus.math, to 53 or 106 bits. Needs mpmath.

    python3 spec/support/math_tables.py >src/base/math/tables.c

`make math` compares its output with the file. Methods: Tang, ACM TOMS 15 (1989) and 16 (1990), for exp and log; Gal and
Bachelis, ACM TOMS 17 (1991), for the idea of tables with more bits than a double; Payne and Hanek, SIGNUM 18 (1983).
"""
from mpmath import mp, mpf, exp, log, pi, sin, atan, nint, floor

mp.prec = 2400


def hexadecimal(x):
    text = float(x).hex()
    if text.endswith("p+0") and "." in text:
        text = text[:-1] + "0"
    mantissa, power = text.split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return "0" if float(x) == 0 else mantissa + "p" + power.replace("+", "")


def cut(x, bits):
    """x to so many significant bits, to nearest."""
    if x == 0:
        return mpf(0)
    size = int(floor(log(abs(x), 2))) + 1 - bits
    return nint(x * mpf(2) ** -size) * mpf(2) ** size


def on_grid(x, power):
    """The multiple of 2^power nearest to x."""
    return nint(x * mpf(2) ** -power) * mpf(2) ** power


def pair(x):
    high = cut(x, 53)
    return [high, cut(x - high, 53)]


def row(values):
    return "{" + ", ".join(hexadecimal(v) for v in values) + "}"


def rows(declaration, list_of_rows, columns):
    print(declaration + " = {")
    for i in range(0, len(list_of_rows), columns):
        print("    " + ", ".join(list_of_rows[i:i + columns]) + ",")
    print("};")


def logarithms():
    """128 pieces of [11/16, 11/8). In each, c is near 1 / m with 12 bits, and -log(c) is a multiple of 2^-42 and a rest.
    Both pieces beside 1 have c = 1, so that log(m) is as exact as m - 1 there."""
    out = []
    for i in range(128):
        low = mpf(176 + i) / 256 if i < 80 else 1 + mpf(i - 80) / 128
        width = mpf(1) / 256 if i < 80 else mpf(1) / 128
        c = mpf(1) if i in (79, 80) else on_grid(1 / (low + width / 2), -11)
        high = on_grid(-log(c), -42)
        out.append(row([c, high, cut(-log(c) - high, 53)]))
    return out


def sines():
    """sin(i pi / 32): to 106 bits for the sum, and as a head of 26 bits with a rest for the product."""
    out = []
    for i in range(64):
        s = mpf(0) if i in (0, 32) else sin(pi * i / 32)
        head = cut(s, 26)
        out.append(row(pair(s) + [head, cut(s - head, 53)]))
    return out


def turns():
    """The bits of 1 / (2 pi), after 64 zeros."""
    words, count = [], 22
    bits = int(floor(mpf(2) ** (64 * (count - 1)) / (2 * pi)))
    for i in range(count):
        words.append("0x%016x" % (bits >> 64 * (count - 1 - i) & (2 ** 64 - 1)))
    return words


def parts(x, sizes):
    """x as a sum of numbers of so many bits."""
    out = []
    for bits in sizes:
        out.append(cut(x, bits))
        x -= out[-1]
    return out


ln2, step = log(mpf(2)), pi / 32
head = on_grid(ln2, -42)
print("/* Made by spec/support/math_tables.py, which says what each number is. */")
print('#include "math_parts.h"')
print("\n/* clang-format off */")
rows("const sal__pair sal__exp_table[128]", [row(pair(exp(ln2 * i / 128))) for i in range(128)], 2)
print("\nconst double sal__exp_step[2] = %s;" % row(parts(ln2 / 128, [34, 53])))
rows("\nconst sal__log_piece sal__log_table[128]", logarithms(), 1)
print("\nconst double sal__log_2[2] = %s;" % row([head, cut(ln2 - head, 53)]))
rows("\nconst sal__sine sal__sine_table[64]", sines(), 1)
print("\nconst double sal__sine_step[3] = %s;" % row(parts(step, [33, 33, 53])))
print("\nconst sal__pair sal__full_turn = %s;" % row(pair(2 * pi)))
rows("\nconst uint64_t sal__turn_bits[22]", turns(), 4)
rows("\nconst sal__pair sal__arctangent_table[65]", [row(pair(atan(mpf(i) / 64))) for i in range(65)], 2)
rows("\nconst sal__pair sal__right_angles[3]", [row(pair(pi * i / 2)) for i in range(3)], 1)
