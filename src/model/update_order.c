/* The order of updates that follow inputs, such as those of blocks. Each runs after those upstream of it, so it reads
 * what the system upstream has for its output from then on.
 *
 * The level of an output is the number of such updates, one behind the other, that must have run before it is right. A
 * part with such an update has the greatest level of the outputs that its inputs read. In a loop of such parts none is
 * first, and the levels end at their greatest number. */
#include "model.h"

static bool follows(const sal__part *part) {
    int i = 0;
    while (i < part->system->events.count && !part->system->events.item[i].upstream_first)
        i++;
    return i < part->system->events.count;
}

static bool is_start(const sal__planned_event *e) {
    return e->config->upstream_first && e->trigger == SAL_ON_INITIALIZATION;
}

static bool raise(int *level, int to, int most) {
    if (to <= *level || *level >= most)
        return false;
    *level = to;
    return true;
}

/* One pass over all outputs and inputs. Returns whether a level has changed. */
static bool raise_all(sal__plan *plan, int *of_output, int most) {
    bool changed = false;
    for (int i = 0; i < plan->output_count; i++) {
        const sal__output_slot *s = &plan->output_slot[i];
        if (plan->level[s->part] >= 0)
            changed |= raise(&of_output[i], plan->level[s->part] + 1, most);
        for (int k = 0; k < s->need_count; k++)
            changed |= raise(&of_output[i], of_output[plan->need.item[s->need_at + k]], most);
    }
    for (int i = 0; i < plan->input_count; i++) {
        const sal__input_slot *in = &plan->input_slot[i];
        if (in->source >= 0 && plan->level[in->part] >= 0)
            changed |= raise(&plan->level[in->part], of_output[in->source], most);
    }
    return changed;
}

/* Lists the starts by level, with a count for each level and one more. */
static void sort_starts(sal__plan *plan, int *count, int levels) {
    for (int i = 0; i < plan->event_count; i++)
        if (is_start(&plan->event[i]))
            count[plan->level[plan->event[i].part] + 1]++;
    for (int level = 0; level < levels; level++)
        count[level + 1] += count[level];
    plan->start_count = count[levels];
    for (int i = 0; i < plan->event_count; i++)
        if (is_start(&plan->event[i]))
            plan->start[count[plan->level[plan->event[i].part]]++] = i;
}

sal_status sal__plan_levels(const sal_allocator *mem, sal__plan *plan) {
    int most = 0;
    for (int i = 0; i < plan->part_count; i++) {
        plan->level[i] = follows(&plan->part[i]) ? 0 : -1;
        most += plan->level[i] == 0;
    }
    plan->deepest_level = -1;
    if (most == 0)
        return SAL_OK;
    const size_t outputs = (size_t)plan->output_count * sizeof(int), levels = (size_t)(most + 2) * sizeof(int);
    int *of_output = sal__alloc(mem, outputs), *count = sal__alloc(mem, levels);
    if (of_output && count) {
        while (raise_all(plan, of_output, most)) {
        }
        sort_starts(plan, count, most + 1);
        for (int i = 0; i < plan->part_count; i++)
            plan->deepest_level = plan->level[i] > plan->deepest_level ? plan->level[i] : plan->deepest_level;
    }
    const sal_status status = of_output && count ? SAL_OK : SAL_ENOMEM;
    sal__free(mem, of_output, outputs);
    sal__free(mem, count, levels);
    return status;
}
