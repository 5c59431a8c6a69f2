/* A walker: MuJoCo moves its body, Saltus controls it.
 *
 *   make && ./mujoco_walker seconds=20 dead_time=0.005 push=300 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller.h"
#include "plant.h"
#include "strobe.h"

#ifndef WALKER
#define WALKER "walker.xml"
#endif

typedef struct options {
    double seconds, dead_time, push; /* s, s, N */
    const char *picture, *trace;
} options;

enum { SAMPLES_PER_SECOND = 1000 };

#define PUSH_AT 5.0    /* s */
#define PUSH_TIME 0.1  /* s */
#define AFTER_FALL 1.0 /* s that the plant goes on */

static bool read_number(const char *word, const char *name, double *value) {
    const size_t length = strlen(name);
    char *end;
    if (strncmp(word, name, length) != 0 || word[length] != '=')
        return false;
    const double number = strtod(word + length + 1, &end);
    if (*end != '\0' || end == word + length + 1)
        return false;
    *value = number;
    return true;
}

static bool read_options(int argc, char **argv, options *o) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "picture=", 8) == 0) {
            o->picture = argv[i] + 8;
        } else if (strncmp(argv[i], "trace=", 6) == 0) {
            o->trace = argv[i] + 6;
        } else if (!read_number(argv[i], "seconds", &o->seconds) && !read_number(argv[i], "dead_time", &o->dead_time) &&
                   !read_number(argv[i], "push", &o->push)) {
            fprintf(stderr,
                    "%s is not seconds=, dead_time= or push= with a number, or picture=FILE.svg, trace=FILE.csv\n",
                    argv[i]);
            return false;
        }
    }
    return true;
}

static bool are_possible(const options *o) {
    if (o->dead_time >= 0 && o->dead_time <= LONGEST_DEAD_TIME && o->seconds > 0 && o->seconds <= 3600)
        return true;
    fprintf(stderr, "dead_time is 0 to %g s, seconds more than 0 and at most 3600\n", LONGEST_DEAD_TIME);
    return false;
}

/* ---- a walk ---- */

typedef struct walk {
    options options;
    plant *body;
    controller *mind;
    double time, end, sensors[SENSORS], height_before; /* of the last sample, and of the one before */
    double commands[COMMANDS];
    int strikes;
    bool fell;
    strobe picture;
    FILE *trace; /* NULL: none */
} walk;

static double push_at(const options *o, double t) {
    return t >= PUSH_AT && t < PUSH_AT + PUSH_TIME ? o->push : 0;
}

/* The body moves for a millisecond with the commands, then the controller gets a sample. */
static sal_status sample(walk *w, int k) {
    const double push = push_at(&w->options, w->time);
    w->time = k / (double)SAMPLES_PER_SECOND;
    w->height_before = w->sensors[TORSO_HEIGHT];
    plant_advance_to(w->body, w->time, w->commands, push);
    plant_read(w->body, w->sensors);
    strobe_add(&w->picture, w->body);
    return controller_sample(w->mind, w->time, w->sensors, w->commands);
}

/* The torque of the left hip, before and after the dead time. */
static sal_status write_trace(const walk *w) {
    double wanted[COMMANDS];
    const sal_status status = w->trace ? controller_wanted(w->mind, wanted) : SAL_OK;
    if (w->trace && status == SAL_OK)
        fprintf(w->trace, "%.3f,%.17g,%.17g\n", w->time, wanted[HIP_TORQUE], w->commands[HIP_TORQUE]);
    return status;
}

static void print_fall(const walk *w, const controller_status *now) {
    printf("%s at %.6f s, between the samples at %.3f s (%.6f m) and %.3f s (%.6f m)\n", now->note, now->fell_at,
           w->time - 1.0 / SAMPLES_PER_SECOND, w->height_before, w->time, w->sensors[TORSO_HEIGHT]);
}

static void print_news(walk *w) {
    const controller_status now = controller_report(w->mind);
    if (now.strikes > w->strikes && now.strikes % 10 == 0)
        printf("%6.3f s  step %3d  %6.2f m  %.2f m/s\n", w->time, now.strikes, w->sensors[BODY],
               w->sensors[BODY_SPEED]);
    if (now.fell && !w->fell) {
        print_fall(w, &now);
        w->end = w->time + AFTER_FALL;
    }
    w->strikes = now.strikes;
    w->fell = now.fell;
}

static void print_end(const walk *w) {
    bool on = false;
    for (int i = 0; i < COMMANDS; i++)
        on = on || w->commands[i] != 0;
    printf("%s: %d steps, %.2f m in %.3f s, drives %s\n", w->fell ? "stopped" : "walked", w->strikes, w->sensors[BODY],
           w->time, on ? "on" : "off");
}

static sal_status run(walk *w) {
    sal_status status = controller_sample(w->mind, 0, w->sensors, w->commands);
    for (int k = 1; status == SAL_OK && k <= (int)(w->end * SAMPLES_PER_SECOND + 0.5); k++) {
        status = sample(w, k);
        if (status == SAL_OK)
            status = write_trace(w);
        if (status == SAL_OK)
            print_news(w);
    }
    if (status == SAL_OK)
        print_end(w);
    else
        fprintf(stderr, "%s: %s\n", sal_status_text(status), controller_report(w->mind).note);
    return status;
}

static bool start(walk *w) {
    w->end = w->options.seconds;
    w->body = plant_new(WALKER);
    if (!w->body)
        return false;
    plant_read(w->body, w->sensors);
    const sal_status status = controller_new(w->options.dead_time, w->sensors, &w->mind);
    if (status != SAL_OK)
        fprintf(stderr, "%s\n", sal_status_text(status));
    w->trace = w->options.trace ? fopen(w->options.trace, "w") : NULL;
    if (w->options.trace && !w->trace)
        perror(w->options.trace);
    return status == SAL_OK && (w->trace || !w->options.trace);
}

static void end(walk *w) {
    if (w->trace)
        fclose(w->trace);
    controller_free(w->mind);
    plant_free(w->body);
}

int main(int argc, char **argv) {
    walk w = {.options = {.seconds = 20, .dead_time = 0.005}};
    if (!read_options(argc, argv, &w.options) || !are_possible(&w.options))
        return 2;
    const char *picture = w.options.picture;
    const bool good = start(&w) && run(&w) == SAL_OK && (!picture || strobe_write(&w.picture, picture));
    end(&w);
    return !good;
}
