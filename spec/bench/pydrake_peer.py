"""The same jobs in pydrake: `first_step`, `ball BOUNCES` (prints microseconds a bounce), `holds COUNT`
(a Diagram of zero-order holds; prints nanoseconds a sample), `gains COUNT` (a chain of gains around an integrator;
prints nanoseconds a block and evaluation), or `cart_pole SECONDS` (prints microseconds a sample)."""
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


def gains(count):
    import time
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import Gain, Integrator
    builder = DiagramBuilder()
    integrator = builder.AddSystem(Integrator(1))
    signal = integrator.get_output_port()
    for _ in range(count - 1):
        gain = builder.AddSystem(Gain(1.0, 1))
        builder.Connect(signal, gain.get_input_port())
        signal = gain.get_output_port()
    builder.Connect(signal, integrator.get_input_port())
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    best, rounds = 1e9, max(1, 100000 // count)
    for _ in range(5):
        begin = time.perf_counter()
        for k in range(rounds):
            context.SetContinuousState([float(k)])
            diagram.EvalTimeDerivatives(context)
        best = min(best, (time.perf_counter() - begin) / rounds / count)
    print("ns", best * 1e9)


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


class CartPole(LeafSystem):
    cart, pole, length, gravity = 1.0, 0.1, 0.5, 9.81

    def __init__(self):
        super().__init__()
        self.DeclareContinuousState(2, 2, 0)
        self.force = self.DeclareVectorInputPort("force", 1)
        for index, name in enumerate(["position", "angle"]):
            self.DeclareVectorOutputPort(
                name, 1, lambda context, output, index=index: output.SetAtIndex(
                    0, context.get_continuous_state_vector()[index]), {self.all_state_ticket()})

    def DoCalcTimeDerivatives(self, context, derivatives):
        import math
        x = context.get_continuous_state_vector()
        angle, speed, rate = x[1], x[2], x[3]
        force = self.force.Eval(context)[0]
        s, c = math.sin(angle), math.cos(angle)
        m, l, g = self.pole, self.length, self.gravity
        a = (force + m * s * (l * rate * rate - g * c)) / (self.cart + m * s * s)
        derivatives.SetFromVector([speed, rate, a, (g * s - a * c) / l])


class Encoder(LeafSystem):
    def __init__(self, interval):
        super().__init__()
        self.interval = interval
        self.value = self.DeclareVectorInputPort("input", 1)
        self.DeclareVectorOutputPort("output", 1, self.read)

    def read(self, context, output):
        import math
        output.SetAtIndex(0, self.interval * math.floor(self.value.Eval(context)[0] / self.interval + 0.5))


class SampledPid(LeafSystem):
    """Discrete state: output, integral, last error, whether there was one."""

    def __init__(self, kp, ki, kd, period):
        super().__init__()
        self.gains, self.period = (kp, ki, kd), period
        self.DeclareDiscreteState(4)
        self.target = self.DeclareVectorInputPort("target", 1)
        self.measured = self.DeclareVectorInputPort("measured", 1)
        self.DeclareVectorOutputPort(
            "output", 1, lambda context, output: output.SetAtIndex(0, context.get_discrete_state_vector()[0]),
            {self.all_state_ticket()})
        self.DeclarePeriodicDiscreteUpdateEvent(period, 0, self.sample)

    def sample(self, context, state):
        kp, ki, kd = self.gains
        before = context.get_discrete_state_vector()
        error = self.target.Eval(context)[0] - self.measured.Eval(context)[0]
        slope = (error - before[2]) / self.period if before[3] else 0
        integral = before[1]
        state.get_mutable_vector().SetFromVector(
            [kp * error + integral + kd * slope, integral + ki * self.period * error, error, 1])


def cart_pole(seconds):
    import time
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import Adder, ConstantVectorSource
    builder = DiagramBuilder()
    plant = builder.AddSystem(CartPole())
    upright = builder.AddSystem(ConstantVectorSource([0.0]))
    balance = builder.AddSystem(SampledPid(-60, -20, -12, 0.001))
    centre = builder.AddSystem(SampledPid(-2, 0, -4, 0.001))
    force = builder.AddSystem(Adder(2, 1))
    for index, pid in enumerate([balance, centre]):
        encoder = builder.AddSystem(Encoder([0.001, 0.0001][index]))
        builder.Connect(upright.get_output_port(), pid.target)
        builder.Connect(plant.get_output_port(1 - index), encoder.value)
        builder.Connect(encoder.get_output_port(), pid.measured)
        builder.Connect(pid.get_output_port(), force.get_input_port(index))
    builder.Connect(force.get_output_port(), plant.force)
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = simulator.get_mutable_context()
    plant.GetMyMutableContextFromRoot(context).SetContinuousState([0.0, 0.1, 0.0, 0.0])
    simulator.Initialize()
    begin = time.process_time()
    simulator.AdvanceTo(seconds)
    print("us", (time.process_time() - begin) / (seconds * 1000) * 1e6)
    print("angle", context.get_continuous_state_vector()[1])


if sys.argv[1] == "cart_pole":
    cart_pole(float(sys.argv[2]))
elif sys.argv[1] == "ball":
    ball(int(sys.argv[2]))
elif sys.argv[1] == "gains":
    gains(int(sys.argv[2]))
elif sys.argv[1] == "holds":
    holds(int(sys.argv[2]))
else:
    Simulator(Decay()).AdvanceTo(0.1)
