"""Saltus simulates hybrid systems: state that flows by differential equations, and state that jumps at events.

    import saltus

    ball = saltus.System("ball", state={"height": 1.0, "speed": 0.0})

    @ball.derivatives
    def fall(ctx, dot):
        dot.height, dot.speed = ctx.speed, -9.81

    @ball.event(witness=lambda ctx: ctx.height, direction="falling")
    def touch(ctx, next):
        next.height, next.speed = 0.0, -0.8 * ctx.speed

    sim = saltus.Simulator(ball, accuracy=1e-9)
    log = sim.record()
    sim.advance_to(2)
    print(log.time[-1], log["height"][-1], log.events)
"""
from ._command import Result, run
from ._simulator import Log, Simulator, Status
from ._system import Error, System

__all__ = ["Error", "Log", "Result", "Simulator", "Status", "System", "run"]
__version__ = "0.1.0"
