// Boost's odeint as a peer of nonstiff.c: its controlled fehlberg78 and dopri5.
#include <chrono>
#include <cstdint>
#include <vector>

#include <boost/numeric/odeint.hpp>

using namespace boost::numeric::odeint;
typedef std::vector<double> state;
typedef int (*rates)(void *user, double t, const double *x, double *dx);

namespace {
struct counted {
    rates eval;
    int64_t *calls;
    void operator()(const state &x, state &dx, double t) const {
        ++*calls;
        eval(nullptr, t, x.data(), dx.data());
    }
};
} // namespace

extern "C" void odeint_run(int dopri5, int n, double t1, double accuracy, double *x, rates eval, int64_t *calls,
                           double *seconds) {
    state at(x, x + n);
    *calls = 0;
    const counted f = {eval, calls};
    const auto begin = std::chrono::steady_clock::now();
    if (dopri5)
        integrate_adaptive(make_controlled<runge_kutta_dopri5<state>>(accuracy, accuracy), f, at, 0.0, t1, 1e-6);
    else
        integrate_adaptive(make_controlled<runge_kutta_fehlberg78<state>>(accuracy, accuracy), f, at, 0.0, t1, 1e-6);
    *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::copy(at.begin(), at.end(), x);
}
