/* What a run noticed that is probably not meant. Told once, it changes nothing; so it is no part of a save. */
#include <string.h>

#include "engine.h"

static bool is_same(const sal_warning *w, int part, int event, int variable, const char *key) {
    return w->part == part && w->event == event && w->variable == variable && strcmp(w->key, key) == 0;
}

void sal__warn(sal_simulator *sim, int part, int event, int variable, const char *key, const char *text) {
    for (int i = 0; i < sim->warnings; i++)
        if (is_same(&sim->warning[i], part, event, variable, key))
            return;
    if (sim->warnings == SAL_WARNINGS)
        return;
    sal_warning *w = &sim->warning[sim->warnings++];
    *w = (sal_warning){sim->run->time, part, event, variable, key, {{0}, {0}}};
    sal_note_set(&w->note, text);
}

int sal_simulator_warnings(const sal_simulator *sim, const sal_warning **first) {
    *first = sim->warning;
    return sim->warnings;
}
