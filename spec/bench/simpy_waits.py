"""Processes of SimPy that wait: simpy_waits.py COUNT WAITS prints ns a wait."""
import sys
import time

import simpy


def process(env, waits, seconds):
    for _ in range(waits):
        yield env.timeout(seconds)


count, waits = int(sys.argv[1]), int(sys.argv[2])
best = float("inf")
for _ in range(2 if count > 1000 else 5):
    env = simpy.Environment()
    for i in range(count):
        env.process(process(env, waits, 1 + (i + 1) * 1e-6))
    env.run(until=0.5)
    begin = time.process_time()
    env.run()
    best = min(best, (time.process_time() - begin) / (count * waits))
print("ns %.5g" % (best * 1e9))
