/* The order of updates that follow inputs, such as those of blocks. Each runs after the updates upstream of it, so it
 * reads their results.
 *
 * The level of a part with such an update is the length of the longest chain of such parts upstream of it. In a loop of
 * such parts none is first: all parts of the loop have the same level, and the parts downstream have the next one.
 *
 * At the start, reading a past gives the value at the start. So for updates at initialization, parts with a history
 * have a level too, and are upstream of the parts that read their outputs. In a loop through a past, all parts have one
 * level at the start: there, the usual level decides.
 *
 * The levels are found by a walk upstream along the signals that looks for loops: Tarjan's algorithm for strongly
 * connected components. Its nodes are the outputs, and the parts that have a level. */
#include <string.h>

#include "model.h"

static bool follows(const sal__part *part) {
    int i = 0;
    while (i < part->system->events.count && !part->system->events.item[i].upstream_first)
        i++;
    return i < part->system->events.count;
}

static bool has_history(const sal__part *part) {
    return part->system->history.columns.count > 0;
}

static bool is_start(const sal__planned_event *e) {
    return e->config->upstream_first && e->trigger == SAL_ON_INITIALIZATION;
}

/* ---- the walk ---- */

/* A node: an output, or a part that has a level, whose number is behind those of the outputs. */
typedef struct place {
    int number; /* in the order in which the walk comes to it; 0: not yet */
    int low;    /* the lowest number of an open node that it is known to lead to */
    int after;  /* the level of what reads it; -1: its loop is not closed */
} place;

typedef struct levels_walk {
    const sal__plan *plan;
    int *level, deepest; /* level: of each part; -1: it has none */
    place *at;
    sal__visit *path; /* from where the walk began to where it is */
    int *open;        /* nodes whose loop is not closed, in the order in which the walk came to them */
    int length, open_count, numbered;
} levels_walk;

static bool is_part(const levels_walk *w, int node) {
    return node >= w->plan->output_count;
}

static int count_upstream(const levels_walk *w, int node) {
    const sal__plan *plan = w->plan;
    if (is_part(w, node))
        return plan->part[node - plan->output_count].input_count;
    return plan->output_slot[node].need_count + (w->level[plan->output_slot[node].part] >= 0);
}

/* The kth node upstream; -1: none. */
static int upstream(const levels_walk *w, int node, int k) {
    const sal__plan *plan = w->plan;
    if (is_part(w, node))
        return plan->input_slot[plan->part[node - plan->output_count].input_at + k].source;
    const sal__output_slot *s = &plan->output_slot[node];
    return k < s->need_count ? plan->need.item[s->need_at + k] : plan->output_count + s->part;
}

static void enter(levels_walk *w, int node) {
    w->at[node] = (place){++w->numbered, w->numbered, -1};
    w->path[w->length++] = (sal__visit){node, 0};
    w->open[w->open_count++] = node;
}

/* The level of the loop whose nodes are open from `from` on, or of a node without a loop. */
static int level_behind_others(const levels_walk *w, int from) {
    int level = 0;
    for (int i = from; i < w->open_count; i++)
        for (int k = 0; k < count_upstream(w, w->open[i]); k++) {
            const int node = upstream(w, w->open[i], k);
            if (node >= 0 && w->at[node].after > level)
                level = w->at[node].after;
        }
    return level;
}

static void close_loop(levels_walk *w, int first) {
    int from = w->open_count - 1;
    bool any_part = is_part(w, w->open[from]);
    while (w->open[from] != first)
        any_part |= is_part(w, w->open[--from]);
    const int level = level_behind_others(w, from);
    for (int i = from; i < w->open_count; i++) {
        w->at[w->open[i]].after = level + any_part;
        if (is_part(w, w->open[i]))
            w->level[w->open[i] - w->plan->output_count] = level;
    }
    w->deepest = any_part && level > w->deepest ? level : w->deepest;
    w->open_count = from;
}

static void see(levels_walk *w, int from, int node) {
    if (w->at[node].number == 0)
        enter(w, node);
    else if (w->at[node].after < 0 && w->at[node].low < w->at[from].low)
        w->at[from].low = w->at[node].low;
}

static void leave(levels_walk *w, int node) {
    const place *p = &w->at[node];
    w->length--;
    if (p->low == p->number)
        close_loop(w, node);
    else if (p->low < w->at[w->path[w->length - 1].source].low)
        w->at[w->path[w->length - 1].source].low = p->low;
}

static void walk_from(levels_walk *w, int node) {
    enter(w, node);
    while (w->length > 0) {
        sal__visit *top = &w->path[w->length - 1];
        const int next = top->need < count_upstream(w, top->source) ? upstream(w, top->source, top->need++) : -1;
        if (next >= 0)
            see(w, top->source, next);
        else if (top->need == count_upstream(w, top->source))
            leave(w, top->source);
    }
}

/* Finds the levels of the parts that have one, and returns the deepest; -1: none has. */
static int find_levels(levels_walk *w, int *level) {
    const sal__plan *plan = w->plan;
    w->level = level;
    w->deepest = -1;
    w->numbered = 0;
    memset(w->at, 0, (size_t)(plan->output_count + plan->part_count) * sizeof *w->at);
    for (int i = 0; i < plan->part_count; i++)
        if (level[i] >= 0 && w->at[plan->output_count + i].number == 0)
            walk_from(w, plan->output_count + i);
    return w->deepest;
}

/* ---- the start ---- */

/* Sorts a list of parts, or of events, by the levels of their parts. Those of one level keep their order. `room`: for
 * as many, and then for a count of each level and one more. */
static void sort(const sal__plan *plan, int *list, int size, bool are_events, const int *level, int *room) {
    int *count = room + size, deepest = 0;
#define LEVEL_OF(k) level[are_events ? plan->event[list[k]].part : list[k]]
    for (int k = 0; k < size; k++)
        deepest = LEVEL_OF(k) > deepest ? LEVEL_OF(k) : deepest;
    memset(count, 0, (size_t)(deepest + 2) * sizeof *count);
    for (int k = 0; k < size; k++)
        count[LEVEL_OF(k) + 1]++;
    for (int i = 0; i < deepest; i++)
        count[i + 1] += count[i];
    for (int k = 0; k < size; k++)
        room[count[LEVEL_OF(k)]++] = list[k];
    memcpy(list, room, (size_t)size * sizeof *list);
#undef LEVEL_OF
}

static void list_starts(sal__plan *plan, int *room) {
    for (int i = 0; i < plan->event_count; i++)
        if (is_start(&plan->event[i]))
            plan->order.start[plan->order.start_count++] = i;
    for (int i = 0; i < plan->part_count; i++)
        if (has_history(&plan->part[i]))
            plan->order.history_part[plan->order.history_count++] = i;
    sort(plan, plan->order.start, plan->order.start_count, true, plan->order.level, room);
    sort(plan, plan->order.start, plan->order.start_count, true, plan->order.start_level, room);
    sort(plan, plan->order.history_part, plan->order.history_count, false, plan->order.start_level, room);
}

sal_status sal__plan_levels(const sal_allocator *mem, sal__plan *plan) {
    const int nodes = plan->output_count + plan->part_count;
    bool any = false;
    plan->order.deepest_level = -1;
    for (int i = 0; i < plan->part_count; i++) {
        plan->order.level[i] = follows(&plan->part[i]) ? 0 : -1;
        plan->order.start_level[i] = plan->order.level[i] == 0 || has_history(&plan->part[i]) ? 0 : -1;
        any |= plan->order.start_level[i] == 0;
    }
    if (!any)
        return SAL_OK;
    const size_t places = (size_t)nodes * sizeof(place), visits = (size_t)nodes * sizeof(sal__visit);
    const size_t opens = (size_t)nodes * sizeof(int);
    const size_t rooms = (size_t)(plan->event_count + 2 * plan->part_count + 2) * sizeof(int);
    levels_walk w = {
        .plan = plan, .at = sal__alloc(mem, places), .path = sal__alloc(mem, visits), .open = sal__alloc(mem, opens)};
    int *room = sal__alloc(mem, rooms);
    const sal_status status = w.at && w.path && w.open && room ? SAL_OK : SAL_ENOMEM;
    if (status == SAL_OK) {
        plan->order.deepest_level = find_levels(&w, plan->order.level);
        find_levels(&w, plan->order.start_level);
        list_starts(plan, room);
    }
    sal__free(mem, w.at, places);
    sal__free(mem, w.path, visits);
    sal__free(mem, w.open, opens);
    sal__free(mem, room, rooms);
    return status;
}
