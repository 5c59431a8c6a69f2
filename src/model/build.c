/* Build: makes flat lists of all that was declared. The plan of a leaf has one part. */
#include "model.h"

static sal__plan count(const sal_system *sys) {
    sal__plan plan = {.part_count = sal_diagram_parts(sys)};
    for (int i = 0; i < plan.part_count; i++) {
        const sal_system *part = sal_diagram_part(sys, i);
        for (int p = 0; p < SAL_PARTITIONS; p++)
            plan.size[p] += part->size[p];
        plan.output_count += part->outputs.count;
        plan.input_count += part->inputs.count;
        plan.slot_count += part->slots.count;
        plan.event_count += part->events.count;
        for (int k = 0; k < part->values.count; k++)
            plan.mode_count += part->values.item[k].mode_count > 0;
    }
    plan.nx = plan.size[SAL_Q] + plan.size[SAL_V] + plan.size[SAL_Z];
    plan.nd = plan.size[SAL_XD] + plan.part_count;
    return plan;
}

/* Returns where the parts' numbers of a partition begin: in x, or after it. */
static int base_of(const sal__plan *plan, sal_partition partition) {
    const int behind = plan->nx + plan->nd;
    return partition <= SAL_Z       ? 0
           : partition == SAL_XD    ? plan->nx
           : partition == SAL_PARAM ? behind
                                    : behind + plan->size[SAL_PARAM];
}

/* Ranges come in the order of the block; adjacent ones are merged, so that a single part has one. */
static void add_range(sal__part *part, sal__range range) {
    sal__range *last = part->range_count > 0 ? &part->range[part->range_count - 1] : NULL;
    if (last && last->at + last->size == range.at)
        last->size += range.size;
    else if (range.size > 0)
        part->range[part->range_count++] = range;
}

static void list_ranges(const sal__plan *plan, sal__part *part) {
    for (int p = SAL_Q; p < SAL_INPUT; p++) {
        const sal__range range = {base_of(plan, (sal_partition)p) + part->at[p], part->system->size[p] + (p == SAL_XD)};
        add_range(part, range);
        if (p == SAL_XD)
            part->discrete = range;
    }
}

/* Computes where each part begins, partition by partition: x is all q, all v, all z. */
static void lay_out_parts(const sal_system *sys, sal__plan *plan) {
    int at[SAL_PARTITIONS] = {0, plan->size[SAL_Q], plan->size[SAL_Q] + plan->size[SAL_V], 0, 0, 0};
    int output = 0, input = 0, slot = 0, event = 0;
    for (int i = 0; i < plan->part_count; i++) {
        sal__part *part = &plan->part[i];
        part->system = sal_diagram_part(sys, i);
        part->name = sal_diagram_part_name(sys, i);
        for (int p = 0; p < SAL_PARTITIONS; p++) {
            part->at[p] = at[p];
            part->size[p] = part->system->size[p];
            at[p] += part->system->size[p] + (p == SAL_XD); /* its draws */
        }
        list_ranges(plan, part);
        part->output_at = output;
        part->input_at = input;
        part->slot_at = slot;
        part->event_at = event;
        output += part->system->outputs.count;
        part->input_count = part->system->inputs.count;
        input += part->input_count;
        for (int k = 0; k < part->system->slots.count; k++)
            plan->slot_part[slot + k] = i;
        slot += part->system->slots.count;
        event += part->system->events.count;
    }
}

static sal__output_slot plan_source(sal__plan *plan, int part, int port) {
    const sal__part *p = &plan->part[part];
    const sal__output *o = &p->system->outputs.item[port];
    sal__output_slot s = {.system = p->system,
                          .output = p->system->behaviour->output,
                          .part = part,
                          .port = port,
                          .at = plan->cache_size,
                          .location = SAL__COMPUTED};
    if (o->is_alias) {
        s.location = (unsigned char)sal__location((int)o->partition);
        s.at = p->at[o->partition] + o->at;
    } else {
        plan->cache_size += o->size;
    }
    return s;
}

static void lay_out_ports(sal__plan *plan) {
    for (int i = 0; i < plan->part_count; i++) {
        const sal__part *part = &plan->part[i];
        const sal_system *sys = part->system;
        for (int k = 0; k < sys->outputs.count; k++)
            plan->output_slot[part->output_at + k] = plan_source(plan, i, k);
        for (int k = 0; k < part->input_count; k++) {
            const sal__value *value = &sys->values.item[sys->inputs.item[k]];
            plan->input_slot[part->input_at + k] = (sal__input_slot){
                .source = -1,
                .part = i,
                .at = part->at[SAL_INPUT] + value->at,
                .size = value->size,
                .version_index = plan->output_count,
                .location = SAL__COMPUTED,
            };
        }
    }
}

static void connect(const sal_system *sys, sal__plan *plan) {
    for (int i = 0; i < sys->wires.count; i++) {
        const sal__wire *wire = &sys->wires.item[i];
        plan->input_slot[plan->part[wire->to].input_at + wire->input].source =
            plan->part[wire->from].output_at + wire->output;
    }
}

/* Copies the often-read members of the source to each connected input. */
static void complete_inputs(sal__plan *plan) {
    for (int i = 0; i < plan->input_count; i++) {
        sal__input_slot *input = &plan->input_slot[i];
        if (input->source < 0)
            continue;
        input->output = &plan->output_slot[input->source];
        input->version_index = input->source;
        input->at = input->output->at;
        input->location = input->output->location;
        input->time_invariant = input->output->time_invariant;
    }
}

/* Counts the readers of each part, adds the counts up, and fills the lists from their ends, so that reader_at ends
 * at their beginnings. */
static void list_readers(sal__plan *plan) {
    for (int i = 0; i < plan->input_count; i++)
        if (plan->input_slot[i].source >= 0)
            plan->reader_at[plan->output_slot[plan->input_slot[i].source].part]++;
    for (int i = 0, sum = 0; i <= plan->part_count; i++) {
        sum += plan->reader_at[i];
        plan->reader_at[i] = sum;
    }
    for (int i = plan->input_count - 1; i >= 0; i--)
        if (plan->input_slot[i].source >= 0)
            plan->reader[--plan->reader_at[plan->output_slot[plan->input_slot[i].source].part]] =
                plan->input_slot[i].part;
}

static sal__planned_event plan_event(const sal_system *system, const sal_event_config *config, int part, int index) {
    return (sal__planned_event){
        .config = config,
        .system = system,
        .part = part,
        .index = index,
        .time_variable = config->time_variable,
        .trigger = (unsigned char)config->trigger,
        .kind = (unsigned char)config->kind,
        .has_guard = config->guarded,
        .on_zeno = config->on_zeno,
    };
}

/* Events by part, trigger, declaration: a pass per trigger keeps declaration order. */
static void rank_events(sal__plan *plan) {
    int next = 0;
    for (int i = 0; i < plan->part_count; i++) {
        const sal__part *part = &plan->part[i];
        for (int trigger = SAL_ON_INITIALIZATION; trigger <= SAL_ON_DEMAND; trigger++)
            for (int k = 0; k < part->system->events.count; k++) {
                const sal_event_config *config = &part->system->events.item[k];
                const sal_trigger t = config->trigger == SAL_ON_TIME ? SAL_ON_PERIOD : config->trigger;
                if ((int)t != trigger)
                    continue;
                plan->event[part->event_at + k] = plan_event(part->system, config, i, k);
                plan->rank[part->event_at + k] = next++;
            }
    }
}

static void list_modes(sal__plan *plan) {
    sal__mode *mode = plan->mode;
    for (int i = 0; i < plan->part_count; i++) {
        const sal__part *part = &plan->part[i];
        for (int k = 0; k < part->system->values.count; k++) {
            const sal__value *v = &part->system->values.item[k];
            const int at = base_of(plan, v->partition) + part->at[v->partition] + v->at;
            if (v->mode_count > 0)
                *mode++ = (sal__mode){at, v->mode_count, v->partition == SAL_INPUT};
        }
    }
}

/* The outputs of parts must be known before they are connected. From here on a part cannot change. */
static sal_status freeze_members(sal_system *sys) {
    for (int i = 0; i < sys->members.count; i++) {
        sal_system *part = sys->members.item[i].system;
        const sal_status status = sal__trace(part);
        if (status != SAL_OK)
            return sal__refuse_use(sys, status, SAL__PIECES(sal_system_trouble(part)));
        part->is_frozen = true;
    }
    return SAL_OK;
}

static sal_status fill(sal_system *sys, sal__plan *plan) {
    lay_out_parts(sys, plan);
    lay_out_ports(plan);
    connect(sys, plan);
    list_readers(plan);
    rank_events(plan);
    list_modes(plan);
    sal_status status = sal__check_lockstep(sys);
    if (status == SAL_OK)
        status = sal__plan_dependencies(sys, plan);
    if (status == SAL_OK)
        status = sal__plan_levels(&sys->mem, plan);
    complete_inputs(plan);
    plan->layout_hash = sal__layout_hash(plan);
    return status;
}

sal_status sal__system_build(sal_system *sys) {
    if (sys->plan)
        return SAL_OK;
    if (sal_diagram_parts(sys) == 0)
        return sal__refuse_use(sys, SAL_EINVAL, SAL__PIECES("the diagram has no parts; add some by sal_diagram_add"));
    sal_status status = freeze_members(sys);
    if (status != SAL_OK)
        return status;
    const sal__plan counts = count(sys);
    sal__plan *plan = sal__plan_new(&sys->mem, &counts);
    status = plan ? fill(sys, plan) : SAL_ENOMEM;
    if (status != SAL_OK) {
        sal__plan_free(&sys->mem, plan);
        return status;
    }
    sys->plan = plan;
    sys->is_frozen = true;
    return SAL_OK;
}

/* ---- built by its caller, with a note of what is wrong ---- */

static void copy_note(sal_note *to, const sal_system *sys, sal_status status) {
    if (!to)
        return;
    const char *text = sal_system_trouble(sys);
    sal_note_set(to, text[0] ? text : sal_status_text(status));
    sal_note_blame(to, sys ? sys->name : "");
}

static bool has_refused(const sal_system *sys) {
    const sal__refusal *refusal = sys->trouble.refusal;
    return refusal && refusal->of_declaration && refusal->note.text[0];
}

/* Parts may have their own refusals. */
static const sal_system *find_refusal(const sal_system *sys) {
    if (has_refused(sys))
        return sys;
    for (int i = 0; i < sys->members.count; i++)
        if (has_refused(sys->members.item[i].system))
            return sys->members.item[i].system;
    return NULL;
}

sal_status sal_system_build(sal_system *sys, sal_note *note) {
    const sal_system *refused = sys ? find_refusal(sys) : NULL;
    sal_status status = sys && !refused ? SAL_OK : SAL_EINVAL;
    if (status == SAL_OK)
        status = sal__check_complete(sys);
    if (status == SAL_OK)
        status = sal__system_build(sys);
    if (refused && refused != sys)
        sal__refuse_use(sys, status, SAL__PIECES(refused->trouble.refusal->note.text));
    if (status != SAL_OK)
        copy_note(note, refused ? refused : sys, status);
    return status;
}
