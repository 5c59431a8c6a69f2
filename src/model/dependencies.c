/* What outputs need: as declared, or as found by asking once; and whether one needs itself. */
#include <string.h>

#include "model.h"

static sal_status push_new(const sal_allocator *mem, sal__ints *list, int value) {
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == value)
            return SAL_OK;
    if (SAL_PUSH(mem, *list) != SAL_OK)
        return SAL_ENOMEM;
    list->item[list->count++] = value;
    return SAL_OK;
}

static sal_status push_all(const sal_allocator *mem, sal__ints *list, const int *values, int count, int most) {
    sal_status status = SAL_OK;
    for (int i = 0; i < count && status == SAL_OK; i++)
        status = values[i] >= 0 && values[i] < most ? push_new(mem, list, values[i]) : SAL_EINVAL;
    return status;
}

sal_status sal_system_set_dependencies(sal_system *sys, int output, const int *inputs, int input_count,
                                       const int *outputs, int output_count) {
    if (!sys || !sys->behaviour || sys->is_frozen || output < 0 || output >= sys->outputs.count)
        return SAL_EINVAL;
    sal__output *o = &sys->outputs.item[output];
    o->inputs.count = o->outputs.count = 0;
    sal_status status = push_all(&sys->mem, &o->inputs, inputs, input_count, sys->inputs.count);
    if (status == SAL_OK)
        status = push_all(&sys->mem, &o->outputs, outputs, output_count, sys->outputs.count);
    if (status != SAL_OK)
        o->inputs.count = o->outputs.count = 0;
    o->needs_known = status == SAL_OK;
    return status;
}

sal_status sal_system_set_time_invariant(sal_system *sys, int output) {
    if (!sys || !sys->behaviour || sys->is_frozen || output < 0 || output >= sys->outputs.count)
        return SAL_EINVAL;
    sys->outputs.item[output].time_invariant = true;
    return SAL_OK;
}

sal_status sal_system_alias_output(sal_system *sys, int output, sal_partition partition, int at) {
    if (sal_system_set_dependencies(sys, output, NULL, 0, NULL, 0) != SAL_OK)
        return SAL_EINVAL;
    sal__output *o = &sys->outputs.item[output];
    if (partition < 0 || partition >= SAL_INPUT || at < 0 || at > sys->size[partition] - o->size)
        return SAL_EINVAL;
    o->is_alias = true;
    o->partition = partition;
    o->at = at;
    o->time_invariant = partition > SAL_Z;
    return SAL_OK;
}

/* ---- asking once ---- */

struct sal__tracer {
    sal_system *system;
    int output; /* that is being asked */
    bool *asked;
};

sal_status sal__trace_input(sal__context_data *data, int port) {
    sal__tracer *t = data->tracer;
    return push_new(&t->system->mem, &t->system->outputs.item[t->output].inputs, port);
}

/* Computes an output; a failure is found again when it matters. */
static sal_status compute_traced(sal__context_data *data, int port) {
    sal__tracer *t = data->tracer;
    if (t->asked[port])
        return SAL_OK;
    const int outer = t->output;
    t->output = port;
    t->asked[port] = true;
    const sal__output_slot *s = &data->plan->output_slot[port];
    const sal_status status = s->output(s->system, data->part_context, port, data->cache + s->at);
    t->output = outer;
    return status;
}

sal_status sal__trace_output(sal__context_data *data, int port, const double **value) {
    sal__tracer *t = data->tracer;
    sal_status status = push_new(&t->system->mem, &t->system->outputs.item[t->output].outputs, port);
    if (status == SAL_OK)
        status = compute_traced(data, port);
    *value = sal__value_address(data, data->plan->output_slot[port].location, data->plan->output_slot[port].at);
    return status;
}

static bool is_known(const sal_system *sys) {
    if (sys->inputs.count == 0)
        return true;
    for (int i = 0; i < sys->outputs.count; i++)
        if (!sys->outputs.item[i].needs_known)
            return false;
    return true;
}

/* Of a leaf that was built, in a context of its own. */
sal_status sal__trace(sal_system *sys) {
    if (is_known(sys))
        return SAL_OK;
    sal_context *ctx = NULL;
    sal_status status = sal_context_new(&sys->mem, sys, &ctx);
    if (status != SAL_OK)
        return status;
    const size_t bytes = (size_t)sys->outputs.count * sizeof(bool);
    sal__tracer tracer = {sys, 0, sal__alloc(&sys->mem, bytes)};
    status = tracer.asked ? SAL_OK : SAL_ENOMEM;
    ctx->data->tracer = &tracer;
    for (int i = 0; status == SAL_OK && i < sys->outputs.count; i++)
        tracer.asked[i] = sys->outputs.item[i].needs_known;
    for (int i = 0; status == SAL_OK && i < sys->outputs.count; i++) {
        if (compute_traced(ctx->data, i) == SAL_ENOMEM)
            status = SAL_ENOMEM;
        sys->outputs.item[i].needs_known = status == SAL_OK;
    }
    if (tracer.asked)
        sal__free(&sys->mem, tracer.asked, bytes);
    sal_context_free(ctx);
    return status;
}

/* ---- in a plan ---- */

static sal_status add_need(const sal_allocator *mem, sal__ints *all, sal__output_slot *s, int source) {
    if (SAL_PUSH(mem, *all) != SAL_OK)
        return SAL_ENOMEM;
    all->item[all->count++] = source;
    s->need_count++;
    return SAL_OK;
}

/* Sources that each source needs, one list after the other. */
sal_status sal__plan_dependencies(const sal_allocator *mem, sal__plan *plan) {
    for (int i = 0; i < plan->output_count; i++) {
        sal__output_slot *s = &plan->output_slot[i];
        const sal__part *part = &plan->part[s->part];
        const sal__output *o = &s->system->outputs.item[s->port];
        s->need_at = plan->need.count;
        sal_status status = SAL_OK;
        for (int k = 0; k < o->outputs.count && status == SAL_OK; k++)
            status = add_need(mem, &plan->need, s, part->output_at + o->outputs.item[k]);
        for (int k = 0; k < o->inputs.count && status == SAL_OK; k++) {
            const int feeder = plan->input_slot[part->input_at + o->inputs.item[k]].source;
            if (feeder >= 0)
                status = add_need(mem, &plan->need, s, feeder);
        }
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

enum { UNSEEN, ON_PATH, DONE };

/* Keeps what is on the path from `source` on. */
static sal_status keep_loop(sal_system *sys, const sal__visit *path, int length, int source) {
    int first = length - 1;
    while (path[first].source != source)
        first--;
    sys->loop_outputs.count = 0;
    for (int i = length - 1; i >= first; i--) { /* in the direction of the signals: needs stand behind */
        if (SAL_PUSH(&sys->mem, sys->loop_outputs) != SAL_OK)
            return SAL_ENOMEM;
        sys->loop_outputs.item[sys->loop_outputs.count++] = path[i].source;
    }
    return SAL_ELOOP;
}

/* All that it needs was looked at before. What a part without continuous state does is a function of time, of what
 * is written and of what it needs. */
static void look_at_needs(const sal__plan *plan, sal__output_slot *s) {
    const sal__output *o = &s->system->outputs.item[s->port];
    s->time_invariant = o->time_invariant && o->needs_known;
    s->time_only = s->time_invariant || sal__continuous_size(s->system) == 0;
    for (int k = 0; k < s->need_count; k++) {
        const sal__output_slot *need = &plan->output_slot[plan->need.item[s->need_at + k]];
        s->time_invariant = s->time_invariant && need->time_invariant;
        s->time_only = s->time_only && need->time_only;
    }
}

/* A depth-first walk from one source; a need that is on the path closes a loop. */
static sal_status walk(sal_system *sys, sal__plan *plan, int from, char *seen, sal__visit *path) {
    int length = 0;
    path[length++] = (sal__visit){from, 0};
    seen[from] = ON_PATH;
    while (length > 0) {
        sal__visit *top = &path[length - 1];
        sal__output_slot *s = &plan->output_slot[top->source];
        if (top->need == s->need_count) {
            look_at_needs(plan, s);
            seen[top->source] = DONE;
            length--;
            continue;
        }
        const int next = plan->need.item[s->need_at + top->need++];
        if (seen[next] == ON_PATH)
            return keep_loop(sys, path, length, next);
        if (seen[next] == UNSEEN) {
            seen[next] = ON_PATH;
            path[length++] = (sal__visit){next, 0};
        }
    }
    return SAL_OK;
}

sal_status sal__plan_find_loop(sal_system *sys, sal__plan *plan) {
    const size_t seen_bytes = (size_t)plan->output_count, path_bytes = (size_t)plan->output_count * sizeof(sal__visit);
    char *seen = sal__alloc(&sys->mem, seen_bytes);
    sal__visit *path = sal__alloc(&sys->mem, path_bytes);
    sal_status status = seen && path ? SAL_OK : SAL_ENOMEM;
    for (int i = 0; i < plan->output_count && status == SAL_OK; i++)
        if (seen[i] == UNSEEN)
            status = walk(sys, plan, i, seen, path);
    if (seen)
        sal__free(&sys->mem, seen, seen_bytes);
    if (path)
        sal__free(&sys->mem, path, path_bytes);
    return status;
}

int sal_diagram_loop(const sal_system *diagram, sal_port *outputs, int room) {
    for (int i = 0; i < diagram->loop_outputs.count && i < room; i++) {
        int part = 0, port = diagram->loop_outputs.item[i];
        while (port >= diagram->members.item[part].system->outputs.count)
            port -= diagram->members.item[part++].system->outputs.count;
        outputs[i] = (sal_port){part, port};
    }
    return diagram->loop_outputs.count;
}
