/* Whether a class has the functions that the declarations of its system call. */
#include "model.h"

typedef struct lack {
    const char *what, *name; /* "event" and its name */
    const char *function;    /* the member of sal_system_class that is NULL */
    const char *instead;     /* "", or another remedy */
} lack;

static bool has_handler(const sal_system_class *c, sal_kind kind) {
    return kind == SAL_NO_HANDLER || (kind == SAL_PUBLISH ? c->publish != NULL : c->update != NULL);
}

/* The function that an event calls and the class does not have; NULL: none. */
static const char *lack_of_event(const sal_system_class *c, const sal_event_config *e) {
    const struct {
        bool is_needed, is_there;
        const char *name;
    } functions[] = {
        {true, has_handler(c, e->kind), e->kind == SAL_PUBLISH ? "publish" : "update"},
        {e->trigger == SAL_ON_WITNESS, c->witness != NULL, "witness"},
        {e->guarded, c->when != NULL, "when"},
        {e->trigger == SAL_ON_CHANGE, c->holds != NULL, "holds"},
        {e->trigger == SAL_ON_CHANGE && e->finders > 0, c->finder != NULL, "finder"},
        {e->trigger == SAL_ON_TIME && e->time_variable < 0, c->next_time != NULL, "next_time"},
        {e->on_zeno, c->update != NULL, "update"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].is_needed && !functions[i].is_there)
            return functions[i].name;
    return NULL;
}

/* The name of a value that flows. */
static const char *flowing(const sal_system *sys) {
    for (int i = 0; i < sys->values.count; i++)
        if (sys->values.item[i].partition <= SAL_Z)
            return sys->values.item[i].name;
    return NULL;
}

static bool find_lack(const sal_system *sys, lack *out) {
    const sal_system_class *c = sys->behaviour;
    const char *name = flowing(sys);
    if (name && !c->derivatives) {
        *out = (lack){"state", name, "derivatives", ""};
        return true;
    }
    for (int i = 0; i < sys->outputs.count; i++)
        if (!sys->outputs.item[i].is_alias && !c->output) {
            *out = (lack){"output", sys->outputs.item[i].name, "output",
                          ", or make it a copy of a state by sal_system_alias_output"};
            return true;
        }
    for (int i = 0; i < sys->events.count; i++) {
        const sal_event_config *e = &sys->events.item[i];
        const char *function = lack_of_event(c, e);
        if (function) {
            *out = (lack){"event", e->name, function, ""};
            return true;
        }
    }
    return false;
}

sal_status sal__check_complete(sal_system *sys) {
    for (int i = 0; i < sal_diagram_parts(sys); i++) {
        const sal_system *part = sal_diagram_part(sys, i);
        const char *path = sal_diagram_part_name(sys, i);
        lack l;
        if (find_lack(part, &l))
            return sal__refuse_use(sys, SAL_EINVAL,
                                   SAL__PIECES(path, path[0] ? ": " : "", l.what, " \"", l.name,
                                               "\" needs the function ", l.function, ", which the class \"",
                                               part->behaviour->name ? part->behaviour->name : "",
                                               "\" does not have; set .", l.function, l.instead));
    }
    return SAL_OK;
}
