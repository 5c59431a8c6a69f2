# sweep_peer.py SECONDS RUNS: the bouncing ball by SciPy's solve_ivp in a loop, each run with its own restitution; its
# height and speed at the end are written to a CSV file. Prints microseconds of processor time for a run.
import csv, os, sys, tempfile, time
from scipy.integrate import solve_ivp

seconds, runs = float(sys.argv[1]), int(sys.argv[2])


def flow(t, x):
    return [x[1], -9.81]


def touch(t, x):
    return x[0]


touch.terminal, touch.direction = True, -1


def run(restitution):
    t, x = 0.0, [1.0, 0.0]
    while t < seconds:
        s = solve_ivp(flow, (t, seconds), x, method="RK45", rtol=1e-6, atol=1e-6, events=touch)
        t, x = s.t[-1], [s.y[0, -1], s.y[1, -1]]
        if s.status == 1:
            x = [0.0, -restitution * x[1]]
    return x


path = os.path.join(tempfile.mkdtemp(), "out.csv")
began = time.process_time()
with open(path, "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["run", "seed", "restitution", "height", "speed"])
    for k in range(runs):
        restitution = 0.75 + 0.2 * (k + 0.5) / runs
        rows.writerow([k, k, restitution, *run(restitution)])
print("us", (time.process_time() - began) / runs * 1e6)
