/* The nozzle of a printer, held between 195 and 205 degrees Celsius by a relay with hysteresis: on at 195, off at 205.
 * Its temperature approaches `hot` with the heater and `room` without it, with the time constant tau. So the way from
 * one temperature to another takes tau log((end - from) / (end - to)). The program fails if a switch comes at another
 * time.
 *
 * The relay wears out: the handler of a switch throws. The exception leaves advance_to with its own type, and the
 * switch is undone. The host replaces the relay, and the run goes on at the same instant.
 *
 * `make check` builds and runs it against the library that pkg-config finds; `make check AMALGAMATION=folder`, with the
 * library as one file, folder/saltus/saltus.c. CMakeLists.txt is the same for CMake. */
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace {

constexpr double cold = 195, warm = 205;         /* degrees Celsius, where the relay switches */
constexpr double room = 20, hot = 320, tau = 30; /* the ends without and with the heater; s */
constexpr double duration = 120;                 /* s */
constexpr int life = 10;                         /* switches of a relay */

/* An exception of the host, with data of its own. */
class worn_relay : public std::runtime_error {
  public:
    explicit worn_relay(double temperature) : std::runtime_error("the relay is worn"), temperature_(temperature) {
    }
    double temperature() const noexcept {
        return temperature_;
    }

  private:
    double temperature_;
};

/* Knows when it switched, and for how many more times it can. */
class relay {
  public:
    void toggle(double time, double temperature) {
        if (left_ == 0)
            throw worn_relay(temperature);
        --left_;
        times_.push_back(time);
    }
    void replace() noexcept {
        left_ = life;
    }
    const std::vector<double> &times() const noexcept {
        return times_;
    }

  private:
    int left_ = life;
    std::vector<double> times_;
};

/* The model and its run, which free themselves. The lambdas refer to the relay, which outlives both. */
class thermostat {
  public:
    explicit thermostat(relay &used) : nozzle_("nozzle"), run_(declare(used), accurate()) {
    }
    saltus::simulator &run() noexcept {
        return run_;
    }

  private:
    const saltus::system &declare(relay &used) {
        const auto temperature = nozzle_.z("temperature", room), heater = nozzle_.discrete("heater", 1);
        nozzle_.derivatives([=](const saltus::view &now, const saltus::rates &dot) {
            dot[temperature] = ((now[heater] != 0 ? hot : room) - now[temperature]) / tau;
        });
        nozzle_.event("off")
            .rising([=](const saltus::view &now) { return now[temperature] - warm; })
            .update([=, &used](const saltus::view &now, const sal_event &, saltus::next &next) {
                used.toggle(now.time(), now[temperature]);
                next[heater] = 0;
            });
        nozzle_.event("on")
            .falling([=](const saltus::view &now) { return now[temperature] - cold; })
            .update([=, &used](const saltus::view &now, const sal_event &, saltus::next &next) {
                used.toggle(now.time(), now[temperature]);
                next[heater] = 1;
            });
        return nozzle_;
    }
    static sal_simulator_config accurate() noexcept {
        sal_simulator_config config = sal_simulator_config_default();
        config.integrator.accuracy = 1e-12;
        return config;
    }

    saltus::system nozzle_; /* before the simulator, which reads it */
    saltus::simulator run_;
};

double way(double from, double to, double end) {
    return tau * std::log((end - from) / (end - to));
}

/* All switches until `duration`, in closed form. */
std::vector<double> expected_switches() {
    std::vector<double> times;
    bool heats = true;
    for (double t = way(room, warm, hot); t < duration; heats = !heats) {
        times.push_back(t);
        t += heats ? way(warm, cold, room) : way(cold, warm, hot);
    }
    return times;
}

/* In s; infinite where the numbers of switches differ. */
double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
    double largest = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++)
        largest = std::max(largest, std::fabs(a[i] - b[i]));
    return largest;
}

/* Runs to `duration`. Returns how many relays wore out on the way. */
int run_with_repairs(saltus::simulator &run, relay &used) {
    for (int worn = 0;; worn++) {
        try {
            run.advance_to(duration);
            return worn;
        } catch (const worn_relay &thrown) {
            std::printf("%s at %.3f s and %.3f degrees, after %zu switches\n", thrown.what(), run.time(),
                        thrown.temperature(), used.times().size());
            used.replace();
        }
    }
}

} // namespace

int main() {
    try {
        relay used;
        thermostat nozzle(used);
        const std::vector<double> expected = expected_switches();
        const int worn = run_with_repairs(nozzle.run(), used);
        const double difference = largest_difference(used.times(), expected);
        std::printf("host: %zu switches, at most %.1e s from the closed form, %d relays worn, hash %016" PRIx64 "\n",
                    used.times().size(), difference, worn, nozzle.run().hash());
        return difference < 1e-9 && worn == (static_cast<int>(expected.size()) - 1) / life ? 0 : 1;
    } catch (const std::exception &thrown) {
        std::fprintf(stderr, "thermostat: %s\n", thrown.what());
        return 1;
    }
}
