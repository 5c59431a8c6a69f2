// saltus.hpp against closed forms, and its exceptions. Prints the number of checks.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include <saltus/saltus.hpp>

static int passed = 0, failed = 0;

static void expect(bool holds, const char *what) {
    if (holds) {
        passed++;
    } else {
        failed++;
        std::printf("FAILED: %s\n", what);
    }
}

static bool near(double a, double b, double tolerance) {
    return std::fabs(a - b) <= tolerance;
}

static sal_simulator_config accurate() {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-9;
    return config;
}

// A ball dropped from 1 m keeps 80 % of its speed: it touches the floor at t1, then at t1 (1 + 2 0.8), ...
static void bounces() {
    double touches[3];
    int count = 0;
    saltus::system ball("ball");
    const auto height = ball.q("height", 1), speed = ball.v("speed"), gravity = ball.parameter("gravity", 9.81);
    ball.derivatives([=](const saltus::view &now, const saltus::rates &dot) {
        dot[height] = now[speed];
        dot[speed] = -now[gravity];
    });
    ball.event("touch")
        .falling([=](const saltus::view &now) { return now[height]; })
        .update([&](const saltus::view &now, const sal_event &, saltus::next &next) {
            touches[count++] = now.time();
            next[height] = 0;
            next[speed] = -0.8 * now[speed];
            return count < 3 ? saltus::outcome{} : saltus::terminate("three touches");
        });
    saltus::simulator run(ball, accurate());
    const sal_report report = run.advance_to(10);
    const double t1 = std::sqrt(2 / 9.81);
    expect(report.reason == SAL_AT_TERMINATION && !std::strcmp(report.note.text, "three touches"), "terminates");
    expect(near(touches[0], t1, 1e-8), "first touch");
    expect(near(touches[1], t1 * 2.6, 1e-8), "second touch");
    expect(near(touches[2], t1 * 3.88, 1e-8), "third touch");
}

struct stumble : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An exception of each kind of function comes out of the call that ran it, and the run goes on after it.
static void throws_through() {
    enum { NOWHERE, RATES, WITNESS, GUARD, UPDATE, OUTPUT, WATCH, MONITOR };
    int where = NOWHERE;
    const auto trip = [&](int here) {
        if (where == here)
            throw stumble("at " + std::to_string(here));
    };
    saltus::system sys("s");
    const auto x = sys.z("x", 1);
    sys.derivatives([&, x](const saltus::view &now, const saltus::rates &dot) {
        trip(RATES);
        dot[x] = -now[x];
    });
    sys.event("half")
        .falling([&, x](const saltus::view &now) { return trip(WITNESS), now[x] - 0.5; })
        .when([&](const saltus::view &) { return trip(GUARD), true; })
        .update([&, x](const saltus::view &, const sal_event &, saltus::next &next) {
            trip(UPDATE);
            next[x] = 1;
        });
    const auto y = sys.add_output("y", [&, x](const saltus::view &now) { return trip(OUTPUT), 2 * now[x]; });
    saltus::simulator run(sys, accurate());
    run.monitor([&](const saltus::view &) { trip(MONITOR); });
    run.watch([&, x](const saltus::view &now) { return trip(WATCH), -now[x] - 1; });
    for (const int here : {RATES, WITNESS, GUARD, UPDATE, WATCH, MONITOR}) {
        const auto saved = run.save();
        where = here;
        bool came = false;
        try {
            run.advance_to(run.time() + 1);
        } catch (const stumble &thrown) {
            came = thrown.what() == "at " + std::to_string(here);
        }
        expect(came, ("an exception comes out of " + std::to_string(here)).c_str());
        where = NOWHERE;
        run.load(saved);
        run.advance_to(run.time() + 1);
        expect(run.hash() != 0, "goes on");
    }
    where = OUTPUT;
    bool came = false;
    try {
        run.state()[y];
    } catch (const stumble &) {
        came = true;
    }
    expect(came, "an output");
    where = NOWHERE;
    expect(near(run.state()[y], 2 * run.state()[x], 0), "the output afterwards");
}

// Whether what is thrown begins with these words.
template <class Body> static bool says(Body &&body, const std::string &words) {
    try {
        body();
    } catch (const saltus::error &thrown) {
        return std::string(thrown.what()).compare(0, words.size(), words) == 0;
    }
    return false;
}

// A read of what has no value: the engine's sentence names the function, also out of an output and a handler.
static void names_what_is_read() {
    saltus::system sys("tank");
    const auto level = sys.z("level");
    const auto flow = sys.add_input("flow");
    const auto twice = sys.add_output("twice", [=](const saltus::view &now) { return 2 * now[flow]; });
    sys.derivatives([=](const saltus::view &now, const saltus::rates &dot) { dot[level] = now[twice]; });
    saltus::simulator run(sys);
    expect(says([&] { run.advance_to(1); },
                "the input \"flow\" of \"tank\", which output \"twice\" reads, is not connected"),
           "an input without value");
    expect(says(
               [&] {
                   run.load({1, 2, 3});
               },
               "tank: the bytes are not a save of this system by this program"),
           "bytes that are no save");
    saltus::system other("clock");
    other.event("tick").every(1).update([=](const saltus::view &now, const sal_event &, saltus::next &) {
        (void)now[saltus::input{3, 1}];
    });
    saltus::simulator ticks(other);
    expect(says([&] { ticks.advance_to(1); }, "the handler of \"clock\" reads input 3, and \"clock\" has 0"),
           "an input that does not exist");
}

// Failures of the engine are saltus::error, with names.
static void reports_errors() {
    saltus::system sys("tank");
    sys.z("level", 1);
    bool refused = false;
    try {
        sys.z("level", 1);
    } catch (const saltus::error &thrown) {
        refused = thrown.status() == SAL_EINVAL &&
                  thrown.what() == std::string("tank: the name \"level\" is taken already; choose another for a value");
    }
    expect(refused, "a name that is used");
    expect(says([&] { sys.add(SAL_Z, "empty", std::vector<double>()); },
                "tank: \"empty\" has the size 0; it needs at least 1 number"),
           "the next refusal has its own sentence");
    expect(says([&] { sys.event("full").every(-1).publish([](const saltus::view &, const sal_event &) {}); },
                "tank: event \"full\": its period is -1; set a finite number of seconds greater than 0"),
           "an event");
    sys.derivatives([](const saltus::view &, const saltus::rates &) {}); // writes nothing
    saltus::simulator run(sys);
    refused = false;
    try {
        run.advance_to(1);
    } catch (const saltus::error &thrown) {
        refused = std::string(thrown.what()).find("tank") != std::string::npos && thrown.report().part == 0;
    }
    expect(refused, "a derivative that is not written names the system");
    refused = false;
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.max_step = 1;
    config.integrator.min_step = 2;
    try {
        saltus::simulator wrong(sys, config);
    } catch (const saltus::error &thrown) {
        refused = std::string(thrown.what()).find("step") != std::string::npos;
    }
    expect(refused, "a config that contradicts itself says why");
}

// x' = u with u = 2 - x of a controller: x = 2 - exp(-t).
static void connects() {
    saltus::system plant("plant"), controller("controller");
    const auto x = plant.z("x", 1);
    const auto u = plant.add_input("u");
    const auto y = plant.add_output("y", [=](const saltus::view &now) { return now[x]; });
    plant.derivatives([=](const saltus::view &now, const saltus::rates &dot) { dot[x] = now[u]; });
    const auto measured = controller.add_input("measured");
    const auto command = controller.add_output("u", [=](const saltus::view &now) { return 2 - now[measured]; });
    saltus::diagram loop("loop");
    const int p = loop.add(plant, "plant"), c = loop.add(controller, "controller");
    loop.connect(p, y, c, measured);
    loop.connect(c, command, p, u);
    saltus::simulator run(loop, accurate());
    saltus::recorder log(run, {x}, 0.5, p);
    run.advance_to(2);
    bool all = log.rows() == 5;
    for (std::int64_t i = 0; all && i < log.rows(); i++)
        all = near(log.row(i)[2], 2 - std::exp(-log.row(i)[0]), 1e-8);
    expect(all, "rows of a loop");
    expect(near(run.state(p)[x], 2 - std::exp(-2.0), 1e-8), "end of a loop");

    sal_system *made = nullptr;
    const double two = 2;
    sal_block_gain(nullptr, "k", 1, two, &made);
    const saltus::any_system gain(made);
    saltus::system source("source");
    source.add_output("one", [](const saltus::view &) { return 1.0; });
    saltus::diagram line("line");
    const int from = line.add(source, "source"), to = line.add(gain, "gain");
    line.connect(from, "one", to, "input");
    bool refused = false;
    try {
        line.connect(from, "none", to, "input");
    } catch (const saltus::error &) {
        refused = true;
    }
    expect(refused, "a port that does not exist");
}

// A run inside of a callback of another one: each exception goes to its own call.
static void nests() {
    saltus::system inner("inner"), outer("outer");
    const auto a = inner.z("a", 1), b = outer.z("b", 1);
    inner.derivatives([](const saltus::view &, const saltus::rates &) { throw stumble("inner"); });
    int inside = 0;
    outer.derivatives([&](const saltus::view &, const saltus::rates &dot) {
        try {
            saltus::simulator(inner).advance_to(1);
        } catch (const stumble &) {
            inside++;
        }
        if (inside > 2)
            throw std::logic_error("outer");
        dot[b] = 0;
    });
    (void)a;
    saltus::simulator run(outer);
    bool came = false;
    try {
        run.advance_to(1);
    } catch (const std::logic_error &thrown) {
        came = !std::strcmp(thrown.what(), "outer");
    }
    expect(came && inside == 3, "nested runs");
}

// Simulators of one system in two threads: each gets its own exception.
static void threads() {
    saltus::system sys("s");
    const auto x = sys.z("x", 1), id = sys.parameter("id", 0);
    sys.derivatives([=](const saltus::view &now, const saltus::rates &dot) {
        if (now.time() > 0.5)
            throw stumble(std::to_string(static_cast<int>(now[id])));
        dot[x] = -now[x];
    });
    saltus::simulator first(sys), second(sys);
    second.state()[id] = 1;
    std::string said[2];
    const auto drive = [&](saltus::simulator &run, std::string &to) {
        try {
            run.advance_to(1);
        } catch (const stumble &thrown) {
            to = thrown.what();
        }
    };
    std::thread other([&] { drive(second, said[1]); });
    drive(first, said[0]);
    other.join();
    expect(said[0] == "0" && said[1] == "1", "threads");
}

// Smaller steps on request; moved objects still work.
static void moves_and_retries() {
    int retries = 0;
    saltus::system sys("s");
    const auto x = sys.z("x", 1);
    sys.derivatives([&, x](const saltus::view &now, const saltus::rates &dot) {
        if (now[x] < 0.9 && retries < 2)
            retries++, throw saltus::retry();
        dot[x] = -now[x];
    });
    saltus::system moved = std::move(sys);
    saltus::simulator run(moved, accurate());
    saltus::simulator other = std::move(run);
    other.advance_to(1);
    expect(retries == 2 && near(other.state()[x], std::exp(-1.0), 1e-8), "retries");
    sys = saltus::system("again");
    expect(sys.name() == "again", "assignment");
}

// x = t, a pair (t, -t), and an output, read late: exactly, before the start too, and deeper than is recorded.
static void remembers() {
    saltus::system sys("s");
    const auto x = sys.z("x"), pair = sys.add(SAL_Z, "pair", {0.0, 0.0});
    const auto twice = sys.add_output("twice", [=](const saltus::view &now) { return 2 * now[x]; });
    const auto was_x = sys.add_past("x", 0.5), was_pair = sys.add_past("pair", 0.5),
               was_twice = sys.add_past("twice", 1);
    const auto late = sys.add_output("late", 5, [=](const saltus::view &now, double *to) {
        to[0] = now.past(was_x, 0.25);
        now.past(was_pair, 0.5, to + 1);
        to[3] = now.past(was_twice, 1);
        to[4] = now.past_rate(was_x, 0.25) + now.past(was_pair, 0.25);
    });
    const auto deep = sys.add_output("deep", [=](const saltus::view &now) { return now.past(was_x, 0.6); });
    sys.derivatives([=](const saltus::view &, const saltus::rates &dot) {
        dot[x] = 1;
        dot[pair] = 1;
        dot[pair[1]] = -1;
    });
    (void)twice;
    saltus::simulator run(sys, accurate());
    run.advance_to(2);
    const double *seen = run.state().data(late), expected[] = {1.75, 1.5, -1.5, 2, 2.75};
    for (int i = 0; i < 5; i++)
        expect(near(seen[i], expected[i], 1e-12), "a late value");
    try {
        (void)run.state()[deep];
        expect(false, "deeper than is recorded");
    } catch (const saltus::error &thrown) {
        expect(thrown.status() == SAL_ETIME || thrown.status() == SAL_EPAST, "deeper than is recorded");
    }
    try {
        sys.add_past("y", 1);
        expect(false, "a past of nothing");
    } catch (const saltus::error &thrown) {
        expect(thrown.status() == SAL_EINVAL, "a past of nothing");
    }
}

// What a host does between advances: feeds, schedules, writes by path, goes back to a copy, reads warnings.
static void hosts() {
    saltus::system sys("s");
    const auto x = sys.z("x"), n = sys.discrete("n");
    const auto u = sys.add_input("u", std::vector<double>{0.0});
    sys.derivatives([=](const saltus::view &now, const saltus::rates &dot) { dot[x] = now[u]; });
    const int bell = sys.event("bell")
                         .on(SAL_ON_DEMAND)
                         .discrete_update([=](const saltus::view &now, const sal_event &, saltus::next &next) {
                             next[n] = now[n] + 1;
                         });
    saltus::simulator run(sys, accurate()), earlier(sys, accurate());
    run.initialize();
    run.feed(u, 1, 2);
    run.schedule(bell, 0.5);
    const auto never = run.schedule(bell, 0.75);
    run.cancel(never);
    earlier.copy_from(run);
    run.demand(bell);
    run.advance_to(1);
    expect(near(run.value("x"), 1, 1e-12) && run.value("n") == 2, "fed and scheduled");
    run.copy_from(earlier);
    run.advance_to(1);
    expect(run.value("n") == 1 && run.warnings().empty(), "a copy");
    run.set_value("x", 7);
    expect(run.state()[x] == 7, "a path");
    const auto refuses = [](const char *what, sal_status status, auto &&call) {
        try {
            call();
            expect(false, what);
        } catch (const saltus::error &thrown) {
            expect(thrown.status() == status && thrown.what()[0] != 0, what);
        }
    };
    refuses("no such path", SAL_EINVAL, [&] { run.value("y"); });
    refuses("two numbers for one", SAL_EINVAL, [&] { run.feed(u, 2, std::vector<double>{1, 2}); });
    refuses("a feed into the past", SAL_ETIME, [&] { run.feed(u, 0.5, 1); });
    refuses("a cancelled event", SAL_ETIME, [&] { run.cancel(never); });
    refuses("a watch that wants a smaller step", SAL_RETRY,
            [&] { run.watch([](const saltus::view &) -> double { throw saltus::retry(); }); });
}

int main() {
    remembers();
    hosts();
    bounces();
    throws_through();
    reports_errors();
    names_what_is_read();
    connects();
    nests();
    threads();
    moves_and_retries();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
