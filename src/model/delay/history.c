/* The histories of a part: the values that its system records, and the slot with their buffer. */
#include "model/model.h"

/* ---- declaring ---- */

/* Finds the state, discrete value, input or output with that name. */
static bool find_value(const sal_system *sys, const char *name, sal__history *history) {
    const int i = sal__name_table_find(&sys->names.values, name), port = sal_system_find_output(sys, name);
    if (i >= 0 && i < sys->values.count) {
        const sal__value *v = &sys->values.item[i];
        *history = (sal__history){.partition = v->partition, .at = v->at, .size = v->size};
        history->kind = v->partition <= SAL_Z ? SAL__HISTORY_STATE : SAL__HISTORY_DISCRETE;
        if (v->partition == SAL_INPUT)
            *history =
                (sal__history){.at = sal_system_find_input(sys, name), .size = v->size, .kind = SAL__HISTORY_INPUT};
        return v->partition != SAL_PARAM;
    }
    if (port >= 0)
        *history = (sal__history){.at = port, .size = sys->outputs.item[port].size, .kind = SAL__HISTORY_OUTPUT};
    return port >= 0;
}

static sal_status check_past(sal_system *sys, const char *name, double depth, sal__history *history) {
    const sal_status status = sal__check_open_leaf(sys, "past");
    if (status != SAL_OK)
        return status;
    if (!name || !find_value(sys, name, history))
        return SAL__REFUSE(sys, "there is no state, input or output \"", name ? name : "NULL",
                           "\" whose past could be recorded; declare it first",
                           name ? sal__hint_of(&sys->names.values, name).text : "");
    if (!(depth >= 0))
        return SAL__REFUSE(sys, "the past of \"", name, "\" is ", sal__real_number(depth, 6).text,
                           " s deep; set 0 or more seconds, or INFINITY");
    for (int i = 0; i < sys->history.columns.count; i++)
        if (strcmp(sys->history.columns.item[i].name, name) == 0)
            return SAL__REFUSE(sys, "the past of \"", name,
                               "\" is recorded already; declare it once, with the greatest "
                               "depth");
    return SAL_OK;
}

sal_status sal_system_add_past(sal_system *sys, const char *name, double depth, int *past) {
    sal__history history;
    const sal_status checked = check_past(sys, name, depth, &history);
    if (checked != SAL_OK)
        return checked;
    if (sys->history.columns.count == 0) {
        const sal_status status = sal_system_add_slot(sys, "past", &sal__history_slot_type, &sys->history.slot);
        if (status != SAL_OK)
            return status;
    }
    if (SAL_RESERVE(&sys->mem, sys->history.columns) != SAL_OK || !(history.name = sal__copy_text(&sys->mem, name)))
        return SAL_ENOMEM;
    history.depth = depth;
    history.column = sys->history.width;
    sys->history.width += history.size;
    if (past)
        *past = sys->history.columns.count;
    sys->history.columns.item[sys->history.columns.count++] = history;
    return SAL_OK;
}

sal_past_config sal_past_config_default(void) {
    return (sal_past_config){.size = sizeof(sal_past_config)};
}

sal_status sal_system_set_past(sal_system *sys, int past, const sal_past_config *config) {
    const sal_status status = sal__check_open(sys, "how a past is read");
    if (status != SAL_OK)
        return status;
    if (past < 0 || past >= sys->history.columns.count)
        return SAL__REFUSE(sys, "there is no past ", sal__whole_number(past).text,
                           "; use the number of sal_system_add_past, which comes first");
    if (!config || config->size != sizeof *config)
        return SAL__REFUSE(sys, "the config of a past does not begin with sal_past_config_default(), which sets its "
                                "size");
    sal__history *history = &sys->history.columns.item[past];
    const size_t bytes = (size_t)history->size * sizeof(double);
    if (config->history && !history->initial_history && !(history->initial_history = sal__alloc(&sys->mem, bytes)))
        return SAL_ENOMEM;
    if (config->history)
        memcpy(history->initial_history, config->history, bytes);
    history->linear_only = config->linear_only;
    history->can_use_current = config->can_use_current;
    return SAL_OK;
}

void sal__delay_whole_input(sal_system *sys, int past) {
    sys->history.columns.item[past].is_only_way = true;
}

int sal_system_pasts(const sal_system *sys) {
    return sys->history.columns.count;
}

/* ---- the slot ---- */

static double depth_of(const sal_system *sys) {
    double depth = 0;
    for (int i = 0; i < sys->history.columns.count; i++)
        depth = sal__max(sys->history.columns.item[i].depth, depth);
    return depth;
}

static size_t past_bytes(const sal_system *sys) {
    return sizeof(sal__history_buffer) + (size_t)sys->history.width * sizeof(double);
}

static sal_status past_new(const sal_system *sys, sal_delay_buffer *ring, void **out) {
    sal__history_buffer *history = ring ? sal__alloc(&sys->mem, past_bytes(sys)) : NULL;
    if (!history) {
        sal_delay_buffer_free(ring);
        return SAL_ENOMEM;
    }
    history->system = sys;
    history->ring = ring;
    *out = history;
    return SAL_OK;
}

static sal_status make(const sal_system *sys, int slot, void **out) {
    (void)slot;
    sal_delay_config config = sal_delay_config_default();
    config.width = sys->history.width;
    config.delay = depth_of(sys) * (1 + 1e-12);
    config.degree = 4;
    config.points = isinf(config.delay) ? 256 : 32;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_new(&sys->mem, &config, &ring);
    return status == SAL_OK ? past_new(sys, ring, out) : status;
}

static sal_status clone(const void *from, void **out) {
    const sal__history_buffer *history = from;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_clone(history->ring, &ring);
    return status == SAL_OK ? past_new(history->system, ring, out) : status;
}

static sal_status assign(void *to, const void *from) {
    return sal_delay_buffer_assign(((sal__history_buffer *)to)->ring, ((const sal__history_buffer *)from)->ring);
}

static void drop(void *value) {
    sal__history_buffer *history = value;
    const sal_allocator mem = history->system->mem;
    sal_delay_buffer_free(history->ring);
    sal__free(&mem, history, past_bytes(history->system));
}

static size_t size_of(const void *value) {
    return sal_delay_buffer_save_size(((const sal__history_buffer *)value)->ring);
}

static void save(const void *value, void *bytes) {
    sal_delay_buffer_save(((const sal__history_buffer *)value)->ring, bytes);
}

void sal__history_write(sal__archive *a, const sal__history_buffer *history) {
    sal__delay_write(a, history->ring);
}

/* The depth is declared by the system: bytes with another depth are refused. */
sal_status sal__history_load(sal__archive *a, sal__history_buffer *history, size_t size) {
    sal_delay_buffer *ring = history->ring;
    const double delay = ring->config.delay;
    const sal_status status = sal__delay_load(a, ring, size);
    const bool is_other = ring->config.delay != delay;
    ring->config.delay = delay;
    return status == SAL_OK && is_other ? SAL_EINVAL : status;
}

static sal_status load(void *value, const void *bytes, size_t size) {
    sal__archive a = sal__archive_from(bytes, size);
    return sal__history_load(&a, value, size);
}

static uint64_t hash(const void *value, uint64_t seed) {
    return sal_delay_buffer_hash(((const sal__history_buffer *)value)->ring, seed);
}

static size_t bound(const void *value) {
    return sal__delay_save_bound(((const sal__history_buffer *)value)->ring);
}

const sal_slot_type sal__history_slot_type = {make, clone, assign, drop, size_of, save, load, hash, bound};

/* ---- the present ---- */

sal_status sal__present_value(const sal_context *ctx, const sal__history *history, double *value) {
    const double *from = NULL;
    sal_status status = SAL_OK;
    if (history->kind == SAL__HISTORY_OUTPUT)
        status = sal_context_output(ctx, history->at, &from);
    else if (history->kind == SAL__HISTORY_INPUT)
        status = sal_context_input(ctx, history->at, &from);
    else
        from = sal_context_get(ctx, history->partition) + history->at;
    for (int i = 0; status == SAL_OK && i < history->size; i++)
        value[i] = from[i];
    return status;
}
