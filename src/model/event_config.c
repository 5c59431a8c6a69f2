/* Declaring events. */
#include <math.h>

#include "model.h"

sal_event_config sal_event_config_default(void) {
    return (sal_event_config){.size = sizeof(sal_event_config), .time_variable = -1};
}

enum { MAX_FINDERS = 10000 };

/* Refuses `what` of an event with this number. */
static sal_status refuse_number(sal_system *sys, const char *event, const char *what, double number,
                                const char *remedy) {
    return SAL__REFUSE(sys, "event \"", event, "\": ", what, " is ", sal__real_number(number, 6).text, "; ", remedy);
}

static sal_status check_times(sal_system *sys, const sal_event_config *e) {
    if (e->trigger == SAL_ON_PERIOD && !(e->period > 0 && isfinite(e->period)))
        return refuse_number(sys, e->name, "its period", e->period, "set a finite number of seconds greater than 0");
    if (e->trigger == SAL_ON_PERIOD && !isfinite(e->offset))
        return refuse_number(sys, e->name, "its offset", e->offset, "set a finite number of seconds");
    if (!(e->max_interval >= 0))
        return refuse_number(sys, e->name, "its max_interval", e->max_interval, "set seconds, or 0 for none");
    if (e->samples < 0)
        return refuse_number(sys, e->name, "its samples", e->samples, "set how many pieces a step has, or 0 for none");
    return SAL_OK;
}

static sal_status check_kind(sal_system *sys, const sal_event_config *e) {
    if (e->trigger == SAL_NO_TRIGGER)
        return SAL__REFUSE(sys, "event \"", e->name,
                           "\": nothing makes it fire; set its trigger to one of SAL_ON_..., such as SAL_ON_DEMAND for "
                           "one that the host schedules");
    if ((unsigned)e->trigger > SAL_ON_DEMAND)
        return refuse_number(sys, e->name, "its trigger", (int)e->trigger, "use one of SAL_ON_...");
    if (e->kind == SAL_NO_KIND)
        return SAL__REFUSE(sys, "event \"", e->name,
                           "\": its kind is not set; set SAL_PUBLISH, SAL_DISCRETE or SAL_UNRESTRICTED, or "
                           "SAL_NO_HANDLER for one that calls nothing");
    if ((unsigned)e->kind > SAL_UNRESTRICTED)
        return refuse_number(sys, e->name, "its kind", (int)e->kind,
                             "use SAL_NO_HANDLER, SAL_PUBLISH, SAL_DISCRETE or SAL_UNRESTRICTED");
#ifdef SAL_MINIMAL
    if (e->direction == SAL_TURNING)
        return SAL__REFUSE(sys, "event \"", e->name,
                           "\": SAL_TURNING is left out of the minimal profile (SAL_MINIMAL); use the whole library");
#endif
    if (e->on_zeno && e->trigger != SAL_ON_WITNESS && e->trigger != SAL_ON_CHANGE)
        return SAL__REFUSE(sys, "event \"", e->name,
                           "\": its on_zeno is set, and only firings of a witness or a condition accumulate; clear "
                           "on_zeno, or set its trigger to SAL_ON_WITNESS or SAL_ON_CHANGE");
    if (e->upstream_first && (e->kind < SAL_DISCRETE || (e->trigger != SAL_ON_INITIALIZATION &&
                                                         (e->trigger != SAL_ON_TIME || e->time_variable >= 0))))
        return SAL__REFUSE(sys, "event \"", e->name,
                           "\": its upstream_first is set, which orders updates that follow inputs; clear it, or make "
                           "it an update at SAL_ON_INITIALIZATION, or at SAL_ON_TIME with a next_time");
    if (e->trigger == SAL_ON_CHANGE && (e->finders < -1 || e->finders > MAX_FINDERS))
        return refuse_number(sys, e->name, "its number of finders", e->finders,
                             "set how many functions cross zero, or -1 for none");
    if (e->trigger == SAL_ON_TIME && e->time_variable >= sys->size[SAL_XD])
        return refuse_number(sys, e->name, "its time_variable", e->time_variable,
                             "declare that element of SAL_XD before the event, or set -1 to call next_time");
    return SAL_OK;
}

static sal_status check(sal_system *sys, const sal_event_config *e) {
    sal_status status = sal__check_open_leaf(sys, "events");
    if (status != SAL_OK)
        return status;
    if (!e)
        return SAL__REFUSE(sys, "the config of an event is NULL; begin with sal_event_config_default()");
    if (e->size != sizeof *e)
        return SAL__REFUSE(sys, "the config of an event does not begin with sal_event_config_default(), which sets its "
                                "size");
    status = sal__check_new_leaf_name(sys, "an event", e->name, &sys->names.events);
    if (status == SAL_OK && !sal__is_doc(e->doc))
        status = SAL__REFUSE(sys, "event \"", e->name, "\": its doc has a control character; use printable ones");
    if (status == SAL_OK)
        status = check_kind(sys, e);
    return status == SAL_OK ? check_times(sys, e) : status;
}

/* Copies of the texts of a config; false: out of memory. */
static bool copy_texts(const sal_allocator *mem, const sal_event_config *config, char **name, char **doc) {
    *name = sal__copy_text(mem, config->name);
    *doc = config->doc ? sal__copy_text(mem, config->doc) : NULL;
    if (*name && (*doc || !config->doc))
        return true;
    sal__free_text(mem, *name);
    sal__free_text(mem, *doc);
    return false;
}

sal_status sal_system_add_event(sal_system *sys, const sal_event_config *config, int *event) {
    const sal_status status = check(sys, config);
    if (status != SAL_OK)
        return status;
    char *name = NULL, *doc = NULL;
    if (SAL_RESERVE(&sys->mem, sys->events) != SAL_OK ||
        sal__name_table_reserve(&sys->mem, &sys->names.events) != SAL_OK || !copy_texts(&sys->mem, config, &name, &doc))
        return SAL_ENOMEM;
    const int index = sys->events.count++;
    sys->events.item[index] = *config;
    sys->events.item[index].name = name;
    sys->events.item[index].doc = doc;
    sal__name_table_add(&sys->names.events, name, index);
    if (event)
        *event = index;
    return SAL_OK;
}
