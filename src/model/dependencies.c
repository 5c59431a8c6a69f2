/* Dependencies of outputs: as declared, or found by computing the outputs once; and algebraic loops among them. */
#include "model.h"

static sal_status push(const sal_allocator *mem, sal__ints *list, int value) {
    if (SAL_RESERVE(mem, *list) != SAL_OK)
        return SAL_ENOMEM;
    list->item[list->count++] = value;
    return SAL_OK;
}

/* Adds the items that the list does not contain. */
static sal_status push_new(const sal_allocator *mem, sal__ints *list, int value) {
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == value)
            return SAL_OK;
    return push(mem, list, value);
}

/* Adds ports, which must be below `port_count`. `what`: "input" */
static sal_status push_ports(sal_system *sys, const char *what, sal__ints *list, const int *values, int count,
                             int port_count) {
    sal_status status = SAL_OK;
    if (count < 0 || (count > 0 && !values))
        return SAL__REFUSE(sys, "an output depends on ", sal__whole_number(count).text, " ", what,
                           "s, and they are not given; list as many, or NULL and 0 for none");
    for (int i = 0; i < count && status == SAL_OK; i++)
        status = values[i] >= 0 && values[i] < port_count
                     ? push_new(&sys->mem, list, values[i])
                     : SAL__REFUSE(sys, "an output depends on ", what, " ", sal__whole_number(values[i]).text,
                                   ", which does not exist: there are ", sal__whole_number(port_count).text,
                                   ", numbered from 0; declare them first");
    return status;
}

sal_status sal_system_set_dependencies(sal_system *sys, int output, const int *inputs, int input_count,
                                       const int *outputs, int output_count) {
    sal_status status = sal__check_output(sys, "dependencies", output);
    if (status != SAL_OK)
        return status;
    sal__output *o = &sys->outputs.item[output];
    o->inputs.count = o->outputs.count = 0;
    status = push_ports(sys, "input", &o->inputs, inputs, input_count, sys->inputs.count);
    if (status == SAL_OK)
        status = push_ports(sys, "output", &o->outputs, outputs, output_count, sys->outputs.count);
    if (status != SAL_OK)
        o->inputs.count = o->outputs.count = 0;
    o->needs_known = status == SAL_OK;
    return status;
}

sal_status sal_system_set_time_invariant(sal_system *sys, int output) {
    const sal_status status = sal__check_output(sys, "dependencies", output);
    if (status == SAL_OK)
        sys->outputs.item[output].time_invariant = true;
    return status;
}

sal_status sal_system_alias_output(sal_system *sys, int output, sal_partition partition, int at) {
    sal_status status = sal_system_set_dependencies(sys, output, NULL, 0, NULL, 0);
    if (status != SAL_OK)
        return status;
    sal__output *o = &sys->outputs.item[output];
    if ((unsigned)partition >= SAL_INPUT || at < 0 || at > sys->size[partition] - o->size)
        return SAL__REFUSE(sys, "output \"", o->name, "\" has ", sal__whole_number(o->size).text,
                           " numbers, and cannot be a copy of those from element ", sal__whole_number(at).text,
                           " of partition ", sal__whole_number((int)partition).text,
                           "; declare that many before it, and not inputs");
    o->is_alias = true;
    o->partition = partition;
    o->at = at;
    o->time_invariant = partition > SAL_Z;
    return SAL_OK;
}

/* ---- tracing: computing each output once ---- */

struct sal__tracer {
    sal_system *system;
    int output; /* that is being computed */
    bool *is_traced;
};

sal_status sal__trace_input(sal__context_data *data, int port) {
    sal__tracer *t = data->tracer;
    return push_new(&t->system->mem, &t->system->outputs.item[t->output].inputs, port);
}

/* Computes an output. If its function fails here, the failure is reported when the output is used. */
static sal_status compute_traced(sal__context_data *data, int port) {
    sal__tracer *t = data->tracer;
    if (t->is_traced[port])
        return SAL_OK;
    const int outer = t->output;
    t->output = port;
    t->is_traced[port] = true;
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
    *value = data->source[data->plan->output_slot[port].location] + data->plan->output_slot[port].at;
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

sal_status sal__trace(sal_system *sys) {
    if (is_known(sys))
        return SAL_OK;
    sal_context *ctx = NULL;
    sal_status status = sal_context_new(&sys->mem, sys, &ctx);
    if (status != SAL_OK)
        return status;
    const size_t bytes = (size_t)sys->outputs.count * sizeof(bool);
    sal__tracer tracer = {sys, 0, sal__alloc(&sys->mem, bytes)};
    status = tracer.is_traced ? SAL_OK : SAL_ENOMEM;
    ctx->data->tracer = &tracer;
    for (int i = 0; status == SAL_OK && i < sys->outputs.count; i++)
        tracer.is_traced[i] = sys->outputs.item[i].needs_known;
    for (int i = 0; status == SAL_OK && i < sys->outputs.count; i++) {
        if (compute_traced(ctx->data, i) == SAL_ENOMEM)
            status = SAL_ENOMEM;
        sys->outputs.item[i].needs_known = status == SAL_OK;
    }
    sal__free(&sys->mem, tracer.is_traced, bytes);
    sal_context_free(ctx);
    return status;
}

/* ---- in a plan ---- */

/* Makes the lists of the outputs contiguous. */
static sal_status list_needs(const sal_allocator *mem, sal__plan *plan) {
    for (int i = 0; i < plan->output_count; i++) {
        sal__output_slot *s = &plan->output_slot[i];
        const sal__part *part = &plan->part[s->part];
        const sal__output *o = &s->system->outputs.item[s->port];
        s->need_at = plan->need.count;
        sal_status status = SAL_OK;
        for (int k = 0; k < o->outputs.count && status == SAL_OK; k++)
            status = push(mem, &plan->need, part->output_at + o->outputs.item[k]);
        for (int k = 0; k < o->inputs.count && status == SAL_OK; k++) {
            const int source = plan->input_slot[part->input_at + o->inputs.item[k]].source;
            if (source >= 0)
                status = push(mem, &plan->need, source);
            s->may_be_fed = s->may_be_fed || source < 0;
        }
        s->need_count = plan->need.count - s->need_at;
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

enum { UNSEEN, ON_PATH, DONE };

/* "a.y to b.y to a.y": the first outputs of the loop. */
static sal_status refuse_loop(sal_system *sys) {
    char text[160] = "";
    sal_port port[8];
    const int count = sal_diagram_loop(sys, port, 8), shown = count < 8 ? count : 8;
    size_t at = 0;
    for (int i = 0; i <= shown && at < sizeof text; i++) {
        const sal_port p = port[i % shown];
        const char *path = sal_diagram_part_name(sys, p.part);
        at += sal__write_pieces(text + at, sizeof text - at,
                                SAL__PIECES(i > 0 ? " to " : "", i == shown && count > shown ? "... to " : "", path,
                                            path[0] ? "." : "",
                                            sal_diagram_part(sys, p.part)->outputs.item[p.port].name));
    }
    return sal__refuse_use(
        sys, SAL_ELOOP,
        SAL__PIECES("an algebraic loop: ", text,
                    "; each is needed by the next at the same instant, so put a state, a delay or a sampled "
                    "value between them"));
}

/* Lists the sources on the path from `source` on, in the direction of the signals: dependencies come last on a path. */
static sal_status list_loop(sal_system *sys, const sal__visit *path, int length, int source) {
    sys->trouble.loop_outputs.count = 0;
    do {
        if (push(&sys->mem, &sys->trouble.loop_outputs, path[--length].source) != SAL_OK)
            return SAL_ENOMEM;
    } while (path[length].source != source);
    return refuse_loop(sys);
}

/* Marks a source after its dependencies. Outputs of a part without continuous state depend on time, discrete state,
 * parameters and their dependencies. */
static void mark_invariance(const sal__plan *plan, sal__output_slot *s) {
    const sal__output *o = &s->system->outputs.item[s->port];
    s->time_invariant = o->time_invariant && o->needs_known;
    s->time_only = s->time_invariant || sal__continuous_size(s->system) == 0;
    for (int k = 0; k < s->need_count; k++) {
        const sal__output_slot *need = &plan->output_slot[plan->need.item[s->need_at + k]];
        s->time_invariant = s->time_invariant && need->time_invariant;
        s->time_only = s->time_only && need->time_only;
        s->may_be_fed = s->may_be_fed || need->may_be_fed;
    }
}

/* A depth-first walk from one source; a dependency that is already on the path closes a loop. */
static sal_status walk(sal_system *sys, sal__plan *plan, int from, char *seen, sal__visit *path) {
    int length = 0;
    path[length++] = (sal__visit){from, 0};
    seen[from] = ON_PATH;
    while (length > 0) {
        sal__visit *top = &path[length - 1];
        sal__output_slot *s = &plan->output_slot[top->source];
        if (top->need == s->need_count) {
            mark_invariance(plan, s);
            seen[top->source] = DONE;
            length--;
            continue;
        }
        const int next = plan->need.item[s->need_at + top->need++];
        if (seen[next] == ON_PATH)
            return list_loop(sys, path, length, next);
        if (seen[next] == UNSEEN) {
            seen[next] = ON_PATH;
            path[length++] = (sal__visit){next, 0};
        }
    }
    return SAL_OK;
}

static sal_status find_loop(sal_system *sys, sal__plan *plan) {
    const size_t seen_bytes = (size_t)plan->output_count, path_bytes = (size_t)plan->output_count * sizeof(sal__visit);
    char *seen = sal__alloc(&sys->mem, seen_bytes);
    sal__visit *path = sal__alloc(&sys->mem, path_bytes);
    sal_status status = seen && path ? SAL_OK : SAL_ENOMEM;
    for (int i = 0; i < plan->output_count && status == SAL_OK; i++)
        if (seen[i] == UNSEEN)
            status = walk(sys, plan, i, seen, path);
    sal__free(&sys->mem, seen, seen_bytes);
    sal__free(&sys->mem, path, path_bytes);
    return status;
}

sal_status sal__plan_dependencies(sal_system *sys, sal__plan *plan) {
    const sal_status status = list_needs(&sys->mem, plan);
    return status == SAL_OK ? find_loop(sys, plan) : status;
}

bool sal__depends_on_time_only(const sal__plan *plan, const sal__part *part) {
    bool timed = sal__continuous_size(part->system) == 0;
    for (int k = 0; timed && k < part->input_count; k++) {
        const int source = plan->input_slot[part->input_at + k].source;
        timed = source < 0 || plan->output_slot[source].time_only;
    }
    return timed;
}

bool sal__has_varying_inputs(const sal__plan *plan, const sal__part *part) {
    bool moved = part->input_count == 0;
    for (int k = 0; !moved && k < part->input_count; k++) {
        const sal__input_slot *input = &plan->input_slot[part->input_at + k];
        moved = input->source >= 0 && !input->time_invariant;
    }
    return moved;
}

int sal_diagram_loop(const sal_system *diagram, sal_port *outputs, int room) {
    const sal__ints *loop = &diagram->trouble.loop_outputs;
    for (int i = 0; i < loop->count && i < room; i++) {
        int part = 0, port = loop->item[i];
        while (port >= sal_diagram_part(diagram, part)->outputs.count)
            port -= sal_diagram_part(diagram, part++)->outputs.count;
        outputs[i] = (sal_port){part, port};
    }
    return loop->count;
}
