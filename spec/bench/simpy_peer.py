"""Clocks as SimPy processes: simpy_peer.py COUNT prints ns an event."""
import sys
import time

import simpy

count = int(sys.argv[1])
ticks = 0


def clock(env, period):
    global ticks
    while True:
        ticks += 1
        yield env.timeout(period)


env = simpy.Environment()
for i in range(count):
    env.process(clock(env, 0.001 * (1 + (i + 1) / count)))
env.run(0.01)
t, best = 0.01, float("inf")
for _ in range(4):
    t += 0.0015 * max(1, 50000 / count)
    before, begin = ticks, time.perf_counter()
    env.run(t)
    best = min(best, (time.perf_counter() - begin) / (ticks - before))
print("ns %.5g" % (best * 1e9))
