/* What a run noticed that is probably a mistake. A warning is given once and changes nothing, so it is not saved. */
#include <string.h>

#include "simulator.h"

void sal__warnings_new(sal_simulator *sim) {
    sim->warnings.item = sal__pool_alloc(&sim->pool, SAL_WARNINGS, sizeof *sim->warnings.item);
}

static bool is_same(const sal_warning *w, int part, int event, int variable, const char *key) {
    return w->part == part && w->event == event && w->variable == variable && strcmp(w->key, key) == 0;
}

static void warn_of(sal_simulator *sim, double time, int part, int event, int variable, const char *key,
                    const char *text) {
    for (int i = 0; i < sim->warnings.count; i++)
        if (is_same(&sim->warnings.item[i], part, event, variable, key))
            return;
    if (sim->warnings.count == SAL_WARNINGS)
        return;
    sal_warning *w = &sim->warnings.item[sim->warnings.count++];
    *w = (sal_warning){time, part, event, variable, key, {{0}, {0}}};
    sal_note_set(&w->note, text);
    if (!sim->config.log)
        return;
    char sentence[512];
    sal_warning_text(sim, w, sentence, sizeof sentence);
    sal__log(sim, sentence);
}

void sal__warn(sal_simulator *sim, int part, int event, int variable, const char *key, const char *text) {
    warn_of(sim, sim->contexts.current->time, part, event, variable, key, text);
}

void sal__warn_about_steps(sal_simulator *sim) {
    const sal_accuracy_warning jumps = sal_integrator_jumps(sim->integrator),
                               growth = sal_integrator_growth(sim->integrator);
    if (jumps.found)
        warn_of(sim, jumps.time, -1, -1, jumps.variable, "jumps",
                "has a derivative that jumps step after step, as where the state slides along a surface, and the "
                "errors add up; make the jump an event, with hysteresis or with a mode that holds the state there");
    if (growth.found)
        warn_of(sim, growth.time, -1, -1, growth.variable, "unseen",
                "grows from a value below the accuracy, which the steps do not follow; give it a weight, about "
                "1 / its value, or a smaller accuracy");
}

int sal_simulator_warnings(const sal_simulator *sim, const sal_warning **first) {
    *first = sim->warnings.item;
    return sim->warnings.count;
}
