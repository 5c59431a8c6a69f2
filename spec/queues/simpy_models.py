"""Five models of queues and workshops in SimPy, which examples/simpy/ has as stories.

simpy_models.py SEED MODEL RUNS [MODEL RUNS...] prints a line for each quantity: the model, the quantity, the number of
independent runs, their mean, and the standard error of the mean.
"""
import random
import statistics
import sys

import simpy


def bank(draw):
    """Five customers, one counter; each leaves after 1 to 3 minutes in the queue."""
    env = simpy.Environment()
    counter = simpy.Resource(env)
    served, waits = [], []

    def customer():
        came = env.now
        with counter.request() as turn:
            result = yield turn | env.timeout(draw.uniform(1, 3))
            waits.append(env.now - came)
            if turn in result:
                yield env.timeout(draw.expovariate(1 / 12))
                served.append(env.now)

    def door():
        for _ in range(5):
            env.process(customer())
            yield env.timeout(draw.expovariate(1 / 10))

    env.process(door())
    env.run()
    return {"served": len(served), "waited": sum(waits)}


def wash(draw):
    """Two machines wash for 5 minutes; four cars wait at first, then one comes every 5 to 9 minutes."""
    env = simpy.Environment()
    machines = simpy.Resource(env, 2)
    done, waits = [], []

    def car():
        came = env.now
        with machines.request() as turn:
            yield turn
            waits.append(env.now - came)
            yield env.timeout(5)
            done.append(env.now)

    def road():
        for _ in range(4):
            env.process(car())
        while True:
            yield env.timeout(draw.randint(5, 9))
            env.process(car())

    env.process(road())
    env.run(until=100.5)
    return {"washed": len(done), "waited": sum(waits)}


def shop(draw):
    """Ten machines that break, and one fitter whom repairs take away from other work; four weeks in minutes."""
    env = simpy.Environment()
    fitter = simpy.PreemptiveResource(env)
    parts, jobs = [0], [0]
    up = [True] * 10

    def part_time():
        while True:
            minutes = draw.normalvariate(10, 2)
            if minutes > 0:
                return minutes

    def produce(number):
        while True:
            left = part_time()
            while left > 0:
                began = env.now
                try:
                    yield env.timeout(left)
                    left = 0
                except simpy.Interrupt:
                    left -= env.now - began
                    with fitter.request(priority=1) as hands:
                        yield hands
                        yield env.timeout(30)
                    up[number] = True
            parts[0] += 1

    def wear(number, work):
        while True:
            yield env.timeout(draw.expovariate(1 / 300))
            if up[number]:
                up[number] = False
                work.interrupt()

    def other_work():
        while True:
            left = 30
            while left > 0:
                with fitter.request(priority=2) as hands:
                    yield hands
                    began = env.now
                    try:
                        yield env.timeout(left)
                        left = 0
                    except simpy.Interrupt:
                        left -= env.now - began
            jobs[0] += 1

    for number in range(10):
        env.process(wear(number, env.process(produce(number))))
    env.process(other_work())
    env.run(until=4 * 7 * 24 * 60)
    return {"parts": parts[0], "jobs": jobs[0]}


def station(draw):
    """Two pumps share a tank of 200 l; below 50 l a truck is called, which comes after 300 s and fills the tank."""
    env = simpy.Environment()
    pumps = simpy.Resource(env, 2)
    tank = simpy.Container(env, 200, init=200)
    trucks, stays = [], []

    def car():
        came = env.now
        with pumps.request() as turn:
            yield turn
            litres = 50 - draw.uniform(5, 25)
            yield tank.get(litres)
            yield env.timeout(litres / 2)
        stays.append(env.now - came)

    def attendant():
        while True:
            if tank.level < 50:
                trucks.append(env.now)
                yield env.timeout(300)
                yield tank.put(tank.capacity - tank.level)
            yield env.timeout(10)

    def road():
        while True:
            yield env.timeout(draw.uniform(30, 300))
            env.process(car())

    env.process(attendant())
    env.process(road())
    env.run(until=20000)
    return {"refuelled": len(stays), "trucks": len(trucks), "stay": statistics.mean(stays)}


def messages(draw):
    """A sender sends the time to two receivers every 6 to 10 s; each needs 4 to 8 s for a message."""
    env = simpy.Environment()
    boxes = [simpy.Store(env), simpy.Store(env)]
    late, handled = [], []

    def sender():
        while True:
            yield env.timeout(draw.uniform(6, 10))
            for box in boxes:
                yield box.put(env.now)

    def receiver(box):
        while True:
            sent = yield box.get()
            if sent < env.now:
                late.append(env.now - sent)
            handled.append(env.now - sent)
            yield env.timeout(draw.uniform(4, 8))

    env.process(sender())
    for box in boxes:
        env.process(receiver(box))
    env.run(until=2000)
    return {"handled": len(handled), "late": len(late), "delay": sum(late)}


MODELS = {
    "bank-renege": bank,
    "car-wash": wash,
    "machine-shop": shop,
    "gas-station": station,
    "process-communication": messages,
}


def report(model, runs, draw):
    results = [MODELS[model](draw) for _ in range(runs)]
    for name in results[0]:
        values = [result[name] for result in results]
        print(model, name, runs, repr(statistics.mean(values)), repr(statistics.stdev(values) / runs**0.5))


def main(seed, words):
    print("#", "SimPy", simpy.__version__, "seed", seed)
    draw = random.Random(seed)
    for model, runs in zip(words[::2], words[1::2]):
        report(model, int(runs), draw)


main(int(sys.argv[1]), sys.argv[2:])
