"""The same jobs in pydrake: `first_step`, `ball BOUNCES` (prints microseconds a bounce), or `holds COUNT`
(a Diagram of zero-order holds; prints nanoseconds a sample)."""
import sys

from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import EventStatus, LeafSystem, UnrestrictedUpdateEvent, WitnessFunctionDirection


class Decay(LeafSystem):
    def __init__(self):
        super().__init__()
        self.DeclareContinuousState(1)

    def DoCalcTimeDerivatives(self, context, derivatives):
        derivatives.SetFromVector(-context.get_continuous_state_vector().CopyToVector())


class Ball(LeafSystem):
    def __init__(self):
        super().__init__()
        self.DeclareContinuousState(2)
        self.bounces = 0
        self.witness = self.MakeWitnessFunction(
            "bounce", WitnessFunctionDirection.kPositiveThenNonPositive, self.height,
            UnrestrictedUpdateEvent(system_callback=self.bounce))

    def height(self, context):
        return context.get_continuous_state_vector()[0]

    def bounce(self, system, context, event, state):
        self.bounces += 1
        x = state.get_mutable_continuous_state().get_mutable_vector()
        x[0] = 0
        x[1] = -0.999 * x[1]
        return EventStatus.Succeeded()

    def DoGetWitnessFunctions(self, context):
        return [self.witness]

    def DoCalcTimeDerivatives(self, context, derivatives):
        x = context.get_continuous_state_vector()
        derivatives.SetFromVector([x[1], -9.81])


def ball(bounces):
    import math
    import time
    first, e = math.sqrt(20 / 9.81), 0.999
    limit = first + 2 * first * e * (1 - e ** (bounces - 1)) / (1 - e) + 0.01
    best = 1e9
    for _ in range(2):
        system = Ball()
        simulator = Simulator(system)
        ResetIntegratorFromFlags(simulator, "runge_kutta3", 0.1)
        simulator.get_mutable_integrator().set_target_accuracy(1e-6)
        simulator.get_mutable_context().SetAccuracy(1e-6)
        simulator.get_mutable_context().SetContinuousState([10.0, 0.0])
        simulator.Initialize()
        begin = time.perf_counter()
        simulator.AdvanceTo(limit)
        best = min(best, (time.perf_counter() - begin) / system.bounces)
    print("us", best * 1e6)


def holds(count):
    import time
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import ConstantVectorSource, ZeroOrderHold
    builder = DiagramBuilder()
    source = builder.AddSystem(ConstantVectorSource([1.0]))
    periods = [0.001 * (1 + i / count) for i in range(count)]
    for period in periods:
        hold = builder.AddSystem(ZeroOrderHold(period, 1))
        builder.Connect(source.get_output_port(), hold.get_input_port())
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    t, begin = 0.0, time.perf_counter()
    while time.perf_counter() - begin < 2:
        t += 0.0002
        simulator.AdvanceTo(t)
    spent = time.perf_counter() - begin
    print("ns", spent / sum(int(t / period) for period in periods) * 1e9)


if sys.argv[1] == "ball":
    ball(int(sys.argv[2]))
elif sys.argv[1] == "holds":
    holds(int(sys.argv[2]))
else:
    Simulator(Decay()).AdvanceTo(0.1)
