/* Names a closure as lua/saltus/closure/adapter.lua does, without Lua: this runs inside of a call of the engine. */
#include <string.h>

#include "engine/simulator.h"
#include "failure_text.h"

/* The part of closure k, which has closures. */
static const l_part *part_of(const l_simulator *self, int k) {
    int i = self->part_count - 1;
    while (i > 0 && (self->part[i].first_closure > k || self->part[i].kind || self->part[i].keeper))
        i--;
    return &self->part[i];
}

static void append_event(const l_part *part, int event, int what, sal_note *note) {
    static const char *const functions[PER_EVENT] = {[OF_WITNESS] = "witness of ",
                                                     [OF_WHEN] = "`when` of ",
                                                     [OF_NEXT_TIME] = "next_time of ",
                                                     [OF_ZENO] = "on_zeno of "};
    const sal_event_config *config = sal_system_event(part->system, event);
    const bool condition = what == OF_CONDITION && config->trigger == SAL_ON_CHANGE;
    sal__append_text(condition ? "`becomes` of " : functions[what] ? functions[what] : "", note);
    sal__append_text(config->name, note);
}

static void append_closure(const l_part *part, int number, sal_note *note) {
    static const char *const of_part[PER_PART] = {"constraints", "constraint_rates", "project", "velocity_map"};
    sal_declared output = {0};
    const int first_event = 1 + part->output_count, in_events = number - first_event;
    const int last = in_events - PER_EVENT * part->event_count;
    if (number == 0) {
        sal__append_text("derivatives", note);
    } else if (number < first_event) {
        sal_system_output_at(part->system, number - 1, &output);
        sal__append_text(output.name, note);
    } else if (last < 0) {
        append_event(part, in_events / PER_EVENT, in_events % PER_EVENT, note);
    } else {
        sal__append_text(last < PER_PART ? of_part[last] : "a condition", note);
    }
}

static void append_path(const l_simulator *self, const l_part *part, sal_note *note) {
    const char *path = sal_diagram_part_name(self->system, part->index);
    sal__append_text(" of ", note);
    sal__append_text(path && path[0] ? path : sal_system_name(part->system), note);
}

static void append_caller(const l_simulator *self, int k, sal_note *note) {
    static const char *const callers[] = {[-L_IN_MONITOR] = "the monitor",
                                          [-L_IN_PROGRESS] = "the progress function",
                                          [-L_IN_LOG] = "a log",
                                          [-L_IN_JACOBIAN] = "the jacobian",
                                          [-L_IN_WATCH] = "a watch"};
    if (k > 0) {
        const l_part *part = part_of(self, k);
        append_closure(part, k - part->first_closure, note);
        append_path(self, part, note);
    } else if (k <= L_IN_HISTORY) {
        sal__append_text("the history", note);
        append_path(self, &self->part[L_IN_HISTORY - k], note);
    } else {
        sal__append_text(callers[-k] ? callers[-k] : "a function", note);
    }
}

void l_describe_failure(l_simulator *self, sal_note *note) {
    lua_State *L = self->frame.L;
    char text[sizeof note->text] = "an error object that is not a text";
    if (lua_getiuservalue(L, self->frame.self, UV_ERROR) == LUA_TSTRING) {
        text[0] = 0;
        strncat(text, lua_tostring(L, -1), sizeof text - 1);
    }
    lua_pop(L, 1);
    append_caller(self, self->failed_closure, note);
    sal__append_text(": ", note);
    sal__append_text(text, note);
}
