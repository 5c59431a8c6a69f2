/* Saltus in C++17: values that free themselves, lambdas as the functions of a model, exceptions for errors.
 *
 *   saltus::system ball("ball");
 *   const auto height = ball.q("height", 1.0), speed = ball.v("speed");
 *   ball.derivatives([=](const saltus::view &now, const saltus::rates &dot) {
 *       dot[height] = now[speed];
 *       dot[speed] = -9.81;
 *   });
 *   ball.event("touch").falling([=](const saltus::view &now) { return now[height]; })
 *       .update([=](const saltus::view &now, const sal_event &, saltus::next &next) {
 *           next[speed] = -0.8 * now[speed];
 *       });
 *   saltus::simulator run(ball);
 *   run.advance_to(2);
 *
 * A function that throws ends the step: no exception passes through the engine, and the call of the simulator throws it
 * again. Other failures are thrown as saltus::error, with the status, the report and the sentence of the engine. What
 * this header does not have is a call away: get() of each object is the pointer of the C functions.
 *
 * A system must live as long as the simulators and diagrams that use it. Several threads may run simulators of one
 * system, each its own. */
#ifndef SALTUS_HPP
#define SALTUS_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "saltus.h"

namespace saltus {

/* ---- errors ---- */

/* A call failed. `report` is that of a call that advances; otherwise its note is empty. */
class error : public std::runtime_error {
  public:
    error(sal_status status, const std::string &what) : std::runtime_error(what), status_(status) {
    }
    error(sal_status status, const std::string &what, const sal_report &report)
        : std::runtime_error(what), status_(status), report_(report) {
    }
    sal_status status() const noexcept {
        return status_;
    }
    const sal_report &report() const noexcept {
        return report_;
    }

  private:
    sal_status status_;
    sal_report report_{};
};

/* Thrown by a function of the model: the step is too long, try a smaller one. */
struct retry {};

/* An input or output that is read has no value. If it leaves a function of the model, the call of the simulator throws
 * an error that names the function, the port and the remedy. */
class read_refused : public error {
  public:
    using error::error;
};

namespace detail {

/* Where the exception of a callback waits until the engine has returned. Calls may be nested: a callback may run
 * another simulator. */
class frame {
  public:
    frame() noexcept : outer_(current()) {
        current() = this;
    }
    ~frame() {
        current() = outer_;
    }
    frame(const frame &) = delete;
    frame &operator=(const frame &) = delete;

    static void store() noexcept {
        if (current())
            current()->thrown_ = std::current_exception();
    }
    /* Throws what a callback threw, if the call failed because of a callback. */
    void rethrow(sal_status status) {
        if (thrown_ && (status == SAL_ECALLBACK || status == SAL_EHANDLER))
            std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    static frame *&current() noexcept {
        static thread_local frame *top = nullptr;
        return top;
    }
    frame *outer_;
    std::exception_ptr thrown_;
};

/* `sentence` says what was refused and why; "": nothing does. Outside of a step, SAL_RETRY is a failure too. */
inline void check(sal_status status, const std::string &what, const std::string &sentence = "") {
    if (status != SAL_OK)
        throw error(status, sentence.empty() ? what + ": " + sal_status_text(status) : sentence);
}

/* The sentence about a failed call; it has none if memory ran out. */
inline std::string trouble_of(const sal_simulator *sim, sal_status status) {
    return status == SAL_ENOMEM ? "" : sal_simulator_trouble(sim);
}

/* What the exception says is dealt with: the next refusal has a sentence of its own. */
inline void check_system(sal_status status, const std::string &what, sal_system *sys) {
    if (status >= 0)
        return;
    const std::string sentence = sal_system_trouble(sys);
    sal_system_forget_trouble(sys);
    check(status, what, sentence);
}

/* Calls a C function in whose course callbacks may throw. */
template <class Call> sal_status guarded(Call &&call) {
    frame here;
    const sal_status status = call();
    here.rethrow(status);
    return status;
}

template <class Call> void read(const std::string &what, Call &&call) {
    const sal_status status = guarded(call);
    if (status > 0)
        throw retry();
    if (status < 0)
        throw read_refused(status, what + ": " + sal_status_text(status));
}

/* Runs a function of the model: the only place where its exceptions are caught. */
template <class Body> sal_status caught(Body &&body) noexcept {
    try {
        body();
        return SAL_OK;
    } catch (const retry &) {
        return SAL_RETRY;
    } catch (const read_refused &thrown) {
        return thrown.status();
    } catch (...) {
        frame::store();
        return SAL_ECALLBACK;
    }
}

template <class T, void (*free)(T *)> struct deleter {
    void operator()(T *object) const noexcept {
        free(object);
    }
};
template <class T, void (*free)(T *)> using owner = std::unique_ptr<T, deleter<T, free>>;

} // namespace detail

/* ---- what a model declares, and how its functions read and write it ---- */

/* A number, or the first of several, in a partition of a system. Elements: value[1] is the second. */
struct value {
    sal_partition partition;
    int at, size;
    value operator[](int i) const noexcept {
        return {partition, at + i, 1};
    }
};

struct input {
    int port, size;
};

struct output {
    int port, size;
};

/* The recorded history of a value, an input or an output: system::add_past. */
struct past {
    int index, size;
};

/* The state of one system, to read. */
class view {
  public:
    explicit view(const sal_context *context) noexcept : context_(context) {
    }
    double time() const noexcept {
        return sal_context_time(context_);
    }
    double operator[](const value &v) const noexcept {
        return sal_context_get(context_, v.partition)[v.at];
    }
    const double *data(const value &v) const noexcept {
        return sal_context_get(context_, v.partition) + v.at;
    }
    double operator[](const input &in) const {
        return *data(in);
    }
    const double *data(const input &in) const {
        const double *numbers = nullptr;
        detail::read("input", [&] { return sal_context_input(context_, in.port, &numbers); });
        return numbers;
    }
    double operator[](const output &out) const {
        return *data(out);
    }
    const double *data(const output &out) const {
        const double *numbers = nullptr;
        detail::read("output", [&] { return sal_context_output(context_, out.port, &numbers); });
        return numbers;
    }
    /* The value `lag` seconds ago, or its derivative then. For one of several numbers, write all of them to `to`. */
    double past(const saltus::past &p, double lag) const {
        return first_of(p, [&](double *to) { past(p, lag, to); });
    }
    void past(const saltus::past &p, double lag, double *to) const {
        detail::read("past", [&] { return sal_context_past(context_, p.index, lag, to); });
    }
    double past_rate(const saltus::past &p, double lag) const {
        return first_of(p, [&](double *to) { past_rate(p, lag, to); });
    }
    void past_rate(const saltus::past &p, double lag, double *to) const {
        detail::read("past rate", [&] { return sal_context_past_rate(context_, p.index, lag, to); });
    }
    const sal_context *get() const noexcept {
        return context_;
    }

  private:
    template <class Read> static double first_of(const saltus::past &p, Read &&read) {
        double number = 0;
        if (p.size == 1) {
            read(&number);
            return number;
        }
        std::vector<double> numbers(static_cast<std::size_t>(p.size));
        read(numbers.data());
        return numbers[0];
    }
    const sal_context *context_;
};

/* The state of one system, to write: in a handler, or between two calls of a simulator. */
class next : public view {
  public:
    explicit next(sal_context *context) noexcept : view(context), context_(context) {
    }
    double &operator[](const value &v) const noexcept {
        return sal_context_edit(context_, v.partition)[v.at];
    }
    double *data(const value &v) const noexcept {
        return sal_context_edit(context_, v.partition) + v.at;
    }
    using view::data;
    using view::operator[];
    /* From the stream of this part: uniform in (0, 1), and other distributions. */
    double random() const noexcept {
        return sal_context_random(context_);
    }
    double random_normal(double mean, double sd) const noexcept {
        return sal_context_random_normal(context_, mean, sd);
    }
    double random_exponential(double mean) const noexcept {
        return sal_context_random_exponential(context_, mean);
    }
    double random_integer(double low, double high) const noexcept {
        return sal_context_random_integer(context_, low, high);
    }
    sal_context *get() const noexcept {
        return context_;
    }

  private:
    sal_context *context_;
};

/* Where derivatives are written. */
class rates {
  public:
    explicit rates(const sal_rates *dot) noexcept : dot_(dot) {
    }
    double &operator[](const value &v) const noexcept {
        return *data(v);
    }
    double *data(const value &v) const noexcept {
        return (v.partition == SAL_Q ? dot_->q : v.partition == SAL_V ? dot_->v : dot_->z) + v.at;
    }

  private:
    const sal_rates *dot_;
};

/* What an update may return: how the run goes on. Without a result it succeeded. */
struct outcome {
    sal_outcome kind = SAL_SUCCEEDED;
    std::string reason;
};
inline outcome terminate(std::string reason) {
    return {SAL_TERMINATE, std::move(reason)};
}

namespace detail {

struct event_functions {
    std::function<double(const view &)> witness;
    std::function<bool(const view &)> when, holds;
    std::function<double(const view &)> next_time;
    std::function<outcome(const view &, const sal_event &, next &)> update;
    std::function<outcome(const view &, const sal_event &)> publish;
};

struct model {
    std::function<void(const view &, const rates &)> derivatives;
    std::vector<std::function<void(const view &, double *)>> outputs;
    std::vector<std::unique_ptr<event_functions>> events;
    sal_system_class functions{};
};

inline model &of(const sal_system *self) {
    return *static_cast<model *>(sal_system_data(self));
}
inline event_functions &event_of(const sal_system *self, int event) {
    return *of(self).events[static_cast<std::size_t>(event)];
}

inline sal_status call_derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    return caught([&] { of(self).derivatives(view(ctx), rates(dot)); });
}
inline sal_status call_output(const sal_system *self, const sal_context *ctx, int port, double *to) {
    return caught([&] { of(self).outputs[static_cast<std::size_t>(port)](view(ctx), to); });
}
inline sal_status call_witness(const sal_system *self, const sal_context *ctx, int event, double *to) {
    return caught([&] { *to = event_of(self, event).witness(view(ctx)); });
}
inline sal_status call_when(const sal_system *self, const sal_context *ctx, int event, bool *to) {
    return caught([&] { *to = event_of(self, event).when(view(ctx)); });
}
inline sal_status call_holds(const sal_system *self, const sal_context *ctx, int event, bool *to) {
    return caught([&] { *to = event_of(self, event).holds(view(ctx)); });
}
inline sal_status call_next_time(const sal_system *self, const sal_context *ctx, int event, double *to) {
    return caught([&] { *to = event_of(self, event).next_time(view(ctx)); });
}

template <class Handler> sal_outcome handled(sal_note *note, Handler &&handler) noexcept {
    outcome result;
    try {
        result = handler();
        sal_note_set(note, result.reason.c_str());
    } catch (const read_refused &) {
        return SAL_FAILED;
    } catch (const std::exception &thrown) {
        frame::store();
        sal_note_set(note, thrown.what());
        return SAL_FAILED;
    } catch (...) {
        frame::store();
        sal_note_set(note, "an exception that is no std::exception");
        return SAL_FAILED;
    }
    return result.kind;
}
inline sal_outcome call_update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *to,
                               sal_note *note) {
    return handled(note, [&] {
        next written(to);
        return event_of(self, event->index).update(view(ctx), *event, written);
    });
}
inline sal_outcome call_publish(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_note *note) {
    return handled(note, [&] { return event_of(self, event->index).publish(view(ctx), *event); });
}
inline sal_outcome call_monitor(void *user, const sal_context *ctx, sal_note *note) {
    return handled(note, [&] { return (*static_cast<std::function<outcome(const view &)> *>(user))(view(ctx)); });
}
inline sal_status call_watch(void *user, const sal_context *ctx, double *margin) {
    return caught([&] { *margin = (*static_cast<std::function<double(const view &)> *>(user))(view(ctx)); });
}

/* A function that returns nothing succeeded. */
template <class Function, class... Arguments> outcome result_of(Function &function, Arguments &&...arguments) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function &, Arguments...>>) {
        function(std::forward<Arguments>(arguments)...);
        return {};
    } else {
        return function(std::forward<Arguments>(arguments)...);
    }
}

} // namespace detail

/* ---- systems ---- */

/* An event while it is declared: its last call, update, discrete_update or publish, adds it to the system. */
class event_declaration {
  public:
    event_declaration(sal_system *sys, detail::model *model, const std::string &name)
        : sys_(sys), model_(model), name_(name), config_(sal_event_config_default()),
          functions_(std::make_unique<detail::event_functions>()) {
    }

    /* The trigger: zero crossings of a function, in one direction or in both. */
    template <class F> event_declaration &crossing(F f) {
        return on_witness(SAL_CROSSING, std::move(f));
    }
    template <class F> event_declaration &falling(F f) {
        return on_witness(SAL_FALLING, std::move(f));
    }
    template <class F> event_declaration &rising(F f) {
        return on_witness(SAL_RISING, std::move(f));
    }
    /* Or: a condition turns true. */
    template <class F> event_declaration &becomes(F f) {
        config_.trigger = SAL_ON_CHANGE;
        functions_->holds = std::move(f);
        model_->functions.holds = detail::call_holds;
        return *this;
    }
    /* Or: each `period` s, from `offset` on; at the time that a function returns; each step; the start; on demand. */
    event_declaration &every(double period, double offset = 0) {
        config_.trigger = SAL_ON_PERIOD;
        config_.period = period;
        config_.offset = offset;
        return *this;
    }
    template <class F> event_declaration &at(F f) {
        config_.trigger = SAL_ON_TIME;
        config_.time_variable = -1;
        functions_->next_time = std::move(f);
        model_->functions.next_time = detail::call_next_time;
        return *this;
    }
    event_declaration &on(sal_trigger trigger) {
        config_.trigger = trigger;
        return *this;
    }
    /* The guard. */
    template <class F> event_declaration &when(F f) {
        config_.guarded = true;
        functions_->when = std::move(f);
        model_->functions.when = detail::call_when;
        return *this;
    }
    /* All other settings. */
    sal_event_config &config() noexcept {
        return config_;
    }

    /* The handler, f(view, event, next), and the end of the declaration: returns the index of the event. `update` may
     * write everything, `discrete_update` the discrete state; `publish`, f(view, event), only reads. */
    template <class F> int update(F f) {
        return with_update(SAL_UNRESTRICTED, std::move(f));
    }
    template <class F> int discrete_update(F f) {
        return with_update(SAL_DISCRETE, std::move(f));
    }
    template <class F> int publish(F f) {
        functions_->publish = [f = std::move(f)](const view &now, const sal_event &event) mutable {
            return detail::result_of(f, now, event);
        };
        model_->functions.publish = detail::call_publish;
        return add(SAL_PUBLISH);
    }

  private:
    template <class F> event_declaration &on_witness(sal_direction direction, F f) {
        config_.trigger = SAL_ON_WITNESS;
        config_.direction = direction;
        functions_->witness = std::move(f);
        model_->functions.witness = detail::call_witness;
        return *this;
    }
    template <class F> int with_update(sal_kind kind, F f) {
        functions_->update = [f = std::move(f)](const view &now, const sal_event &event, next &to) mutable {
            return detail::result_of(f, now, event, to);
        };
        model_->functions.update = detail::call_update;
        return add(kind);
    }
    int add(sal_kind kind) {
        int index = -1;
        config_.name = name_.c_str();
        config_.kind = kind;
        model_->events.push_back(std::move(functions_));
        const sal_status status = sal_system_add_event(sys_, &config_, &index);
        if (status != SAL_OK)
            model_->events.pop_back();
        detail::check_system(status, "event " + name_ + " of " + sal_system_name(sys_), sys_);
        return index;
    }

    sal_system *sys_;
    detail::model *model_;
    std::string name_;
    sal_event_config config_;
    std::unique_ptr<detail::event_functions> functions_;
};

/* A system, a block or a diagram, as part of a diagram and for a simulator. Owns it. */
class any_system {
  public:
    /* Takes over a system of the C functions, such as a block. */
    explicit any_system(sal_system *owned) : sys_(owned) {
    }
    sal_system *get() const noexcept {
        return sys_.get();
    }
    std::string name() const {
        return sal_system_name(get());
    }

  protected:
    detail::owner<sal_system, sal_system_free> sys_;
};

class system : public any_system {
  public:
    explicit system(const std::string &name) : any_system(nullptr), model_(std::make_unique<detail::model>()) {
        sal_system *made = nullptr;
        model_->functions.name = "saltus::system";
        detail::check(sal_system_new(nullptr, &model_->functions, name.c_str(), model_.get(), &made), "system " + name);
        sys_.reset(made);
    }
    /* Moves in the order that the members of a new system have: first the system goes, then its functions. */
    system(system &&) = default;
    system &operator=(system &&other) noexcept {
        sys_ = std::move(other.sys_);
        model_ = std::move(other.model_);
        return *this;
    }
    ~system() {
        sys_.reset();
    }

    value q(const std::string &name, double start = 0) {
        return add(SAL_Q, name, {start});
    }
    value v(const std::string &name, double start = 0) {
        return add(SAL_V, name, {start});
    }
    value z(const std::string &name, double start = 0) {
        return add(SAL_Z, name, {start});
    }
    value discrete(const std::string &name, double start = 0) {
        return add(SAL_XD, name, {start});
    }
    value parameter(const std::string &name, double number) {
        return add(SAL_PARAM, name, {number});
    }
    /* Several numbers under one name. */
    value add(sal_partition partition, const std::string &name, std::initializer_list<double> defaults) {
        return add(partition, name, std::vector<double>(defaults));
    }
    value add(sal_partition partition, const std::string &name, const std::vector<double> &defaults) {
        const int size = static_cast<int>(defaults.size());
        detail::check_system(sal_system_add_values(get(), partition, name.c_str(), size, defaults.data()), what(name),
                             get());
        return {partition, sal_system_find_value(get(), partition, name.c_str()), size};
    }
    /* An input must be connected, or have a value. */
    input add_input(const std::string &name, int size = 1) {
        return add_input(name, std::vector<double>(static_cast<std::size_t>(size), sal_no_value()));
    }
    input add_input(const std::string &name, const std::vector<double> &defaults) {
        add(SAL_INPUT, name, defaults);
        return {sal_system_find_input(get(), name.c_str()), static_cast<int>(defaults.size())};
    }
    /* f(view) returns the number. */
    template <class F> output add_output(const std::string &name, F f) {
        return add_output(name, 1, [f = std::move(f)](const view &now, double *to) mutable { *to = f(now); });
    }
    /* f(view, to) writes `size` numbers. */
    template <class F> output add_output(const std::string &name, int size, F f) {
        int port = -1;
        model_->outputs.emplace_back(std::move(f));
        model_->functions.output = detail::call_output;
        const sal_status status = sal_system_add_output(get(), name.c_str(), size, &port);
        if (status != SAL_OK)
            model_->outputs.pop_back();
        detail::check_system(status, what(name), get());
        return {port, size};
    }
    /* Records a value, an input or an output, `depth` seconds back, for view::past. */
    past add_past(const std::string &name, double depth) {
        int index = -1;
        detail::check_system(sal_system_add_past(get(), name.c_str(), depth, &index), what(name), get());
        return {index, size_of(name)};
    }
    /* f(view, rates) writes all derivatives. */
    template <class F> void derivatives(F f) {
        model_->derivatives = std::move(f);
        model_->functions.derivatives = detail::call_derivatives;
    }
    event_declaration event(const std::string &name) {
        return {get(), model_.get(), name};
    }

  private:
    std::string what(const std::string &of) const {
        return of + " of " + name();
    }
    int size_of(const std::string &name) const {
        sal_declared declared = {};
        for (int p = SAL_Q; p < SAL_PARTITIONS; p++)
            for (int i = 0; sal_system_value_at(get(), static_cast<sal_partition>(p), i, &declared); i++)
                if (name == declared.name)
                    return declared.size;
        sal_system_output_at(get(), sal_system_find_output(get(), name.c_str()), &declared);
        return declared.size;
    }
    std::unique_ptr<detail::model> model_;
};

/* Systems connected by ports. They are borrowed: they must live as long as the diagram. */
class diagram : public any_system {
  public:
    explicit diagram(const std::string &name) : any_system(nullptr) {
        sal_system *made = nullptr;
        detail::check(sal_diagram_new(nullptr, name.c_str(), &made), "diagram " + name);
        sys_.reset(made);
    }
    /* Returns the index of the part. */
    int add(const any_system &part, const std::string &name) {
        int index = -1;
        detail::check_system(sal_diagram_add(get(), part.get(), name.c_str(), &index), "part " + name, get());
        return index;
    }
    void connect(int from_part, const output &out, int to_part, const input &in) {
        detail::check_system(sal_diagram_connect(get(), from_part, out.port, to_part, in.port), "connection", get());
    }
    /* By the names of ports, also of blocks. */
    void connect(int from_part, const std::string &out, int to_part, const std::string &in) {
        const sal_system *from = sal_diagram_part(get(), from_part), *to = sal_diagram_part(get(), to_part);
        const int port = from ? sal_system_find_output(from, out.c_str()) : -1;
        const int other = to ? sal_system_find_input(to, in.c_str()) : -1;
        const std::string what = "from " + out + " to " + in;
        detail::check_system(sal_diagram_connect(get(), from_part, port, to_part, other), what, get());
    }
};

/* ---- simulators ---- */

class simulator {
  public:
    explicit simulator(const any_system &sys, const sal_simulator_config &config = sal_simulator_config_default())
        : functions_(std::make_unique<functions>()) {
        sal_simulator *made = nullptr;
        const sal_status status =
            detail::guarded([&] { return sal_simulator_new(nullptr, sys.get(), nullptr, &config, &made); });
        detail::check_system(status, "simulator of " + sys.name(), sys.get());
        sim_.reset(made);
    }
    simulator(simulator &&) = default;
    simulator &operator=(simulator &&other) noexcept {
        sim_ = std::move(other.sim_);
        functions_ = std::move(other.functions_);
        return *this;
    }
    ~simulator() {
        sim_.reset();
    }

    /* These throw what a function of the model threw, and saltus::error for other failures. A termination is none. */
    sal_report initialize() {
        return run([&](sal_report *report) { return sal_simulator_initialize(get(), false, report); });
    }
    sal_report advance_to(double t) {
        return run([&](sal_report *report) { return sal_simulator_advance_to(get(), t, report); });
    }
    sal_report step(double t) {
        return run([&](sal_report *report) { return sal_simulator_step(get(), t, report); });
    }
    /* Returns the leftover fraction of a step. */
    double advance_frame(double dt, double step, int max_steps) {
        double alpha = 0;
        run([&](sal_report *report) {
            return sal_simulator_advance_frame(get(), dt, step, max_steps, &alpha, report);
        });
        return alpha;
    }
    double time() const noexcept {
        return sal_context_time(sal_simulator_context(get()));
    }

    /* The state of a part, to read and, between two calls, to write. */
    next state(int part = 0) const {
        return next(sal_context_part(sal_simulator_context(get()), part));
    }

    /* f(view) after each step; it may return saltus::terminate(...). */
    template <class F> void monitor(F f) {
        functions_->monitor = [f = std::move(f)](const view &now) mutable { return detail::result_of(f, now); };
        sal_simulator_set_monitor(get(), detail::call_monitor, &functions_->monitor);
    }
    /* An advance ends where f(view) reaches zero from below. Returns the handle, 0 if it is not below zero now. */
    template <class F> std::int64_t watch(F f, double max_interval = 0) {
        functions_->watches.push_back(std::make_unique<std::function<double(const view &)>>(std::move(f)));
        const sal_watch watch = {detail::call_watch, functions_->watches.back().get(), max_interval};
        std::int64_t handle = 0;
        checked("watch", [&] { return sal_simulator_watch(get(), &watch, &handle); });
        return handle;
    }

    /* One number by its path, "tank.level". */
    double value(const std::string &path) const {
        double number = 0;
        checked("value", [&] { return sal_simulator_value(get(), path.c_str(), &number); });
        return number;
    }
    void set_value(const std::string &path, double number) {
        checked("value", [&] { return sal_simulator_set_value(get(), path.c_str(), number); });
    }
    /* Moves an input on a straight line from now to `number` at t1. */
    void feed(const input &in, double t1, double number, int part = 0) {
        feed(in, t1, std::vector<double>{number}, part);
    }
    void feed(const input &in, double t1, const std::vector<double> &numbers, int part = 0) {
        if (numbers.size() != static_cast<std::size_t>(in.size))
            throw error(SAL_EINVAL, "feed: the input has another number of elements");
        checked("feed", [&] { return sal_simulator_feed(get(), part, in.port, t1, numbers.data()); });
    }
    /* An event on demand, at t or in the next advance. `schedule` returns the handle for `cancel`. */
    std::int64_t schedule(int event, double t, int part = 0) {
        std::int64_t handle = 0;
        checked("schedule", [&] { return sal_simulator_schedule(get(), part, event, t, &handle); });
        return handle;
    }
    void demand(int event, int part = 0) {
        checked("demand", [&] { return sal_simulator_demand(get(), part, event); });
    }
    void cancel(std::int64_t handle) {
        checked("cancel", [&] { return sal_simulator_cancel(get(), handle); });
    }

    /* The run of another simulator of the same system. Its armed watches come with it: the other must exist as long. */
    void copy_from(const simulator &other) {
        checked("copy", [&] { return sal_simulator_copy(get(), other.get()); });
    }
    std::vector<unsigned char> save() const {
        std::vector<unsigned char> bytes(sal_simulator_save_size(get()));
        checked("save", [&] { return sal_simulator_save(get(), bytes.data(), bytes.size()); });
        return bytes;
    }
    void load(const std::vector<unsigned char> &bytes) {
        checked("load", [&] { return sal_simulator_load(get(), bytes.data(), bytes.size()); });
    }
    std::uint64_t hash() const noexcept {
        return sal_simulator_hash(get());
    }
    void interrupt() noexcept {
        sal_simulator_interrupt(get());
    }
    void halt() noexcept {
        sal_simulator_halt(get());
    }
    double next_time() const noexcept {
        return sal_simulator_next_time(get());
    }
    std::vector<std::string> warnings() const {
        const sal_warning *first = nullptr;
        const int count = sal_simulator_warnings(get(), &first);
        std::vector<std::string> sentences;
        for (int i = 0; i < count; i++)
            sentences.push_back(
                sentence([&](char *text, std::size_t room) { return sal_warning_text(get(), &first[i], text, room); }));
        return sentences;
    }
    sal_simulator *get() const noexcept {
        return sim_.get();
    }

  private:
    template <class Call> sal_report run(Call &&call) {
        sal_report report = {};
        detail::frame here;
        const sal_status status = call(&report);
        here.rethrow(status);
        if (status < 0)
            throw error(status, text_of(report), report);
        return report;
    }
    template <class Call> void checked(const char *what, Call &&call) const {
        const sal_status status = detail::guarded(call);
        detail::check(status, what, detail::trouble_of(get(), status));
    }
    template <class Write> static std::string sentence(Write &&write) {
        std::vector<char> text(write(nullptr, 0) + 1);
        write(text.data(), text.size());
        return text.data();
    }
    std::string text_of(const sal_report &report) const {
        return sentence([&](char *text, std::size_t room) { return sal_report_text(get(), &report, text, room); });
    }

    struct functions {
        std::function<outcome(const view &)> monitor;
        std::vector<std::unique_ptr<std::function<double(const view &)>>> watches;
    };
    std::unique_ptr<functions> functions_;
    detail::owner<sal_simulator, sal_simulator_free> sim_;
};

/* ---- recorders ---- */

/* Signals of a run. It must go before its simulator. */
class recorder {
  public:
    /* A channel for each value of part `part`. `interval` in s; NaN: every step. */
    recorder(const simulator &run, const std::vector<value> &values, double interval, int part = 0) {
        std::vector<sal_channel> channels;
        for (const value &v : values) {
            sal_channel channel = {};
            channel.part = part;
            channel.size = v.size;
            channel.partition = v.partition;
            channel.at = v.at;
            channel.output = -1;
            channels.push_back(channel);
        }
        sal_recorder *made = nullptr;
        const int count = static_cast<int>(channels.size());
        const sal_status status = sal_recorder_new(run.get(), channels.data(), count, interval, &made);
        detail::check(status, "recorder", detail::trouble_of(run.get(), status));
        rec_.reset(made);
    }
    std::int64_t rows() const noexcept {
        return sal_recorder_rows(get());
    }
    /* Time, mark, then the numbers; valid until the run continues. */
    const double *row(std::int64_t i) const noexcept {
        return sal_recorder_row(get(), i);
    }
    sal_recorder *get() const noexcept {
        return rec_.get();
    }

  private:
    detail::owner<sal_recorder, sal_recorder_free> rec_;
};

} // namespace saltus

#endif
