/* Mistakes that a C programmer makes. Each is refused, and a sentence names the system, the thing and the remedy. Only
 * public headers are used. */
#ifndef SAL_TEST_MISTAKES_H
#define SAL_TEST_MISTAKES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

/* What a mistake has made: `clear` frees it. */
static sal_system *made[8];
static int made_count;
static sal_simulator *sim, *other;
static sal_report report;
static sal_note note;
static char text[512];

static inline sal_system *keep(sal_system *sys) {
    return made[made_count++] = sys;
}

static inline void clear(void) {
    sal_simulator_free(sim);
    sal_simulator_free(other);
    sim = other = NULL;
    for (int i = 0; i < made_count; i++) /* diagrams were made before their parts, and end first */
        sal_system_free(made[i]);
    made_count = 0;
    note = (sal_note){.text = ""};
}

/* The sentence of the last report. */
static inline const char *reported(void) {
    sal_report_text(sim, &report, text, sizeof text);
    return text;
}

typedef struct mistake {
    const char *(*make)(sal_status *status); /* returns the sentence, and what the call returned */
    sal_status status;
    const char *system, *thing, *remedy; /* what the sentence must name */
} mistake;

/* A system with a colon begins the sentence. */
static inline bool names_system(const char *sentence, const char *system) {
    const char *at = strstr(sentence, system);
    return at && (at == sentence || !strstr(system, ": "));
}

static inline void each_is_named_in_words(int count, const mistake *mistakes) {
    for (int i = 0; i < count; i++) {
        const mistake *m = &mistakes[i];
        sal_status status = SAL_OK;
        const char *sentence = m->make(&status);
        const bool names_all =
            names_system(sentence, m->system) && strstr(sentence, m->thing) && strstr(sentence, m->remedy);
        if (!names_all || status != m->status)
            printf("%d (%d): %s\n", i, status, sentence);
        CHECK(names_all && status == m->status && strlen(sentence) < 250);
        CHECK(m->system[0] || strcmp(note.blame, "tank") == 0);
        if (getenv("SALTUS_SHOW"))
            printf("%s\n", sentence);
        clear();
    }
}

#endif
