-- Words of other tools and the corresponding names in Saltus. Of several names, the first that is valid where the wrong
-- word was used is suggested. The table is loaded when a name is wrong.
local synonyms = {}

local function add(ours, words)
  for word in words:gmatch "%S+" do
    synonyms[word] = synonyms[word] or {}
    table.insert(synonyms[word], ours)
  end
end

-- options of a simulator
add("max_step", "dt step step_size stepsize timestep time_step h delta_t max_dt")
add("initial_step", "first_step h0")
add("accuracy", "tolerance tol rtol atol reltol abstol relative_tolerance eps precision")
add("integrator", "method solver scheme stepper")
add("start_time", "t0 tstart t_start start begin")
add("seed", "random_seed rng")
add("target_realtime_rate", "realtime real_time speed_factor rate")
add("rate", "realtime real_time speed speed_factor")
add("set", "param parameter override")
add("duration", "time t_end tend t_final stop stop_time until end_time t_max length")

-- integrators
add("explicit_euler", "euler forward_euler")
add("implicit_euler", "backward_euler")
add("semi_explicit_euler", "symplectic_euler semi_implicit_euler")
add("runge_kutta2", "midpoint heun rk2")
add("bogacki_shampine3", "rk23 ode23 bs3 bs23")
add("dormand_prince5", "ode45 rk45 dopri5 dp5 dormand_prince")
add("runge_kutta5", "rk45 rkf45")
add("dormand_prince8", "dop853 dopri8 dopri853 rk8 ode89")
add("tsitouras5", "tsit5")
add("radau5", "radau")
add("rodas4", "rosenbrock ode23s")
add("velocity_verlet", "verlet leapfrog stormer_verlet")
add("cvode_bdf", "bdf cvode lsoda vode ode15s ida")
add("cvode_adams", "adams ode113")
add("auto", "automatic default bdf cvode lsoda vode ode15s")

-- systems
add("params", "parameters parameter constants")
add("z", "state states continuous")
add("discrete", "modes mode")
add("derivatives", "ode rhs dynamics f flow derivative equations")
add("outputs", "y output")
add("inputs", "u input")
add("past", "delays delay memory")
add("constraints", "algebraic constraint")

-- events
add("every", "period interval sample_time dt output_interval reporting_interval saveat t_eval")
add("offset", "phase delay")
add("witness", "guard condition trigger zero_crossing root crossing")
add("rising", "positive up upward increasing negative_then_non_negative knegativethennonnegative")
add("falling", "negative down downward decreasing positive_then_non_positive kpositivethennonpositive")
add("crossing", "both either any crosses_zero kcrosseszero")
add("initialization", "init start initialize initial")
add("becomes", "condition predicate edge on_change changes turns")
add("when", "enabled active if_ enable")
add("next_time", "time at_time times schedule")
add("unrestricted_update", "update action handler effect reset jump affect")
add("discrete_update", "sample")
add("publish", "print output callback")

-- blocks and their options
add("integral", "integrator integrate")
add("differentiate", "differentiator")
add("sum", "adder add subtract difference")
add("product", "multiply multiplier divide")
add("saturation", "limiter limit clamp clip saturate")
add("zero_order_hold", "zoh hold")
add("relay", "hysteresis schmitt bang_bang thermostat")
add("lag", "low_pass lowpass first_order filter")
add("noise", "white_noise gaussian")
add("lookup_table", "interpolation interp lookup")
add("time_table", "from_workspace signal_from_file")
add("transport_delay", "pipe")
add("map", "fcn expression function_block")
add("function_of_time", "source signal_generator")
add("rate_limit", "slew slew_rate rate_limiter")
add("dead_zone", "backlash")
add("kp", "p proportional")
add("ki", "i")
add("kd", "d")
add("frequency", "omega w")
add("delay", "lag_time time dead_time")
add("after", "amplitude final height")

-- words of formulas
add("always", "g globally henceforth")
add("eventually", "f finally sometimes")
add("until", "u")
add("->", "implies imply then")

-- simulators, logs, diagrams
add("advance_to", "run simulate advance integrate go run_to")
add("run", "simulate advance_to advance start execute")
add("steps", "step")
add("save", "snapshot checkpoint serialize")
add("load", "reset restore restart rewind rollback")
add("monitor", "set_monitor")
add("context", "state states values get_context get_mutable_context getcontext getmutablecontext")
add("target_realtime_rate", "set_target_realtime_rate")
add("actual_realtime_rate", "get_actual_realtime_rate")
add("status", "result reason")
add("failure", "error errors")
add("stats", "statistics counters get_num_steps_taken num_steps")
add("integrator", "get_integrator get_mutable_integrator reset_integrator")
add("add", "add_system addsystem add_part insert append")
add("connect", "wire link")
add("time", "t now get_time gettime sample_times")
add("columns", "data")
add("csv", "write save export")
add("plot", "draw show chart")
add("simulator", "run simulate sim")

return synonyms
