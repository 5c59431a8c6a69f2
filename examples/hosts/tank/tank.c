/* A tank runs out through a hole, by Torricelli's law: level' = -k sqrt(level). A valve closes when the level falls to
 * a quarter. The time of that is known in closed form, and the program fails if the run has another one.
 *
 * `make check` builds and runs it against the library that pkg-config finds; `make check AMALGAMATION=folder`, with the
 * library as one file, folder/saltus/saltus.c. CMakeLists.txt is the same for CMake. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <saltus/saltus.h>

enum { OPEN };                     /* of the discrete state: 1 while the valve is open */
static const double outflow = 0.1; /* k, sqrt(m) / s */

static sal_status drain(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double level = sal_context_get(ctx, SAL_Z)[0];
    (void)self;
    dot->z[0] = sal_context_get(ctx, SAL_XD)[OPEN] != 0 ? -outflow * sqrt(level) : 0;
    return SAL_OK;
}

static sal_status above_quarter(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Z)[0] - 0.25;
    return SAL_OK;
}

static sal_outcome close_valve(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    double *closed_at = sal_system_data(self);
    (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[OPEN] = 0;
    *closed_at = sal_context_time(ctx);
    return SAL_SUCCEEDED;
}

static const sal_system_class tank_class = {
    .name = "tank", .derivatives = drain, .witness = above_quarter, .update = close_valve};

static sal_status make_tank(double *closed_at, sal_system **tank) {
    const double one = 1;
    sal_event_config low = sal_event_config_default();
    sal_status status = sal_system_new(NULL, &tank_class, "tank", closed_at, tank);
    if (status == SAL_OK)
        status = sal_system_add_values(*tank, SAL_Z, "level", 1, &one);
    if (status == SAL_OK)
        status = sal_system_add_values(*tank, SAL_XD, "open", 1, &one);
    low.name = "low";
    low.trigger = SAL_ON_WITNESS;
    low.kind = SAL_UNRESTRICTED;
    low.direction = SAL_FALLING;
    return status == SAL_OK ? sal_system_add_event(*tank, &low, NULL) : status;
}

int main(void) {
    const double expected = 2 * (1 - sqrt(0.25)) / outflow;
    double closed_at = NAN;
    sal_system *tank = NULL;
    sal_simulator *sim = NULL;
    sal_report report = {0};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-9;

    sal_status status = make_tank(&closed_at, &tank);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, tank, NULL, &config, &sim);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 20, &report);
    if (status != SAL_OK) {
        fprintf(stderr, "tank: %s %s\n", sal_status_text(status), report.note.text);
        return 1;
    }
    const double level = sal_context_get(sal_simulator_context(sim), SAL_Z)[0];
    printf("host: the valve closed at %.6f s, level %.6f m, hash %016" PRIx64 "\n", closed_at, level,
           sal_simulator_hash(sim));
    sal_simulator_free(sim);
    sal_system_free(tank);
    return !(fabs(closed_at - expected) < 1e-6 && fabs(level - 0.25) < 1e-6);
}
