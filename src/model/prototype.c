/* Leaves that share the declarations of another leaf, their prototype, and which leaves may share them. */
#include "model.h"

/* ---- copies ---- */

/* A copy is one block of memory: the system, its numbers, its name. */
static size_t bytes_of(const sal_system *sys, const char *name) {
    size_t numbers = 0;
    for (int p = 0; p < SAL_PARTITIONS; p++)
        numbers += (size_t)sys->size[p];
    return sizeof *sys + numbers * sizeof(double) + strlen(name) + 1;
}

sal_status sal__system_from_prototype(sal_system *like, const char *name, void *data, sal_system **out) {
    sal_system *copy = sal__alloc(&like->mem, bytes_of(like, name));
    if (!copy)
        return SAL_ENOMEM;
    like->is_frozen = true;
    *copy = *like;
    double *numbers = (double *)(copy + 1);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        copy->defaults[p].item = numbers;
        sal__copy(numbers, like->defaults[p].item, like->size[p]);
        numbers += like->size[p];
    }
    copy->name = (char *)numbers;
    strcpy(copy->name, name);
    copy->data = data;
    copy->doc = NULL;
    copy->plan = NULL;
    copy->trouble = (sal__trouble){.refusal = NULL};
    copy->keeping = SAL__COPY;
    copy->outputs.cap = 0; /* borrowed */
    *out = copy;
    return SAL_OK;
}

/* The list of outputs, not what its items have, becomes the copy's own. */
static sal_status own_outputs(sal_system *copy) {
    if (copy->outputs.cap > 0)
        return SAL_OK;
    const int room = copy->outputs.count + 1;
    sal__output *own = sal__alloc(&copy->mem, (size_t)room * sizeof *own);
    if (!own)
        return SAL_ENOMEM;
    if (copy->outputs.count > 0)
        memcpy(own, copy->outputs.item, (size_t)copy->outputs.count * sizeof *own);
    copy->outputs.item = own;
    copy->outputs.cap = room;
    return SAL_OK;
}

sal_status sal__copy_add_state_port(sal_system *copy, sal_partition partition, int at, int size, int *port) {
    static char name[] = "state";
    if (own_outputs(copy) != SAL_OK || SAL_RESERVE(&copy->mem, copy->outputs) != SAL_OK)
        return SAL_ENOMEM;
    *port = copy->outputs.count;
    copy->outputs.item[copy->outputs.count++] = (sal__output){.name = name,
                                                              .size = size,
                                                              .time_invariant = partition > SAL_Z,
                                                              .needs_known = true,
                                                              .is_alias = true,
                                                              .partition = partition,
                                                              .at = at};
    return SAL_OK;
}

void sal__free_copy_of_prototype(sal_system *copy) {
    const sal_allocator mem = copy->mem;
    sal__plan_free(&mem, copy->plan);
    sal__trouble_free(&mem, copy->trouble.refusal);
    SAL_FREE_LIST(&mem, copy->trouble.loop_outputs);
    if (copy->outputs.cap > 0)
        SAL_FREE_LIST(&mem, copy->outputs);
    sal__free(&mem, copy, bytes_of(copy, copy->name));
}

/* ---- comparison: do two leaves declare the same, but for the defaults of states and parameters? ---- */

static bool same_text(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* Zeros of different sign differ; all NaN are equal, since they mean no value. */
static bool same_numbers(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (isnan(a[i]) ? !isnan(b[i]) : a[i] != b[i] || signbit(a[i]) != signbit(b[i]))
            return false;
    return true;
}

static bool same_ints(const sal__ints *a, const sal__ints *b) {
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->item[i] == b->item[i];
    return same;
}

static bool same_values(const sal_system *a, const sal_system *b) {
    bool same = a->values.count == b->values.count;
    for (int i = 0; same && i < a->values.count; i++) {
        const sal__value *v = &a->values.item[i], *w = &b->values.item[i];
        same = v->partition == w->partition && v->size == w->size && v->mode_count == w->mode_count &&
               v->mode_hash == w->mode_hash && same_text(v->name, w->name) &&
               (v->partition != SAL_INPUT ||
                same_numbers(a->defaults[SAL_INPUT].item + v->at, b->defaults[SAL_INPUT].item + w->at, v->size));
    }
    return same;
}

static bool same_outputs(const sal_system *a, const sal_system *b) {
    bool same = a->outputs.count == b->outputs.count;
    for (int i = 0; same && i < a->outputs.count; i++) {
        const sal__output *o = &a->outputs.item[i], *p = &b->outputs.item[i];
        same = o->size == p->size && o->needs_known == p->needs_known && same_ints(&o->inputs, &p->inputs) &&
               same_ints(&o->outputs, &p->outputs) && same_text(o->name, p->name);
    }
    return same;
}

static bool same_event(const sal_event_config *e, const sal_event_config *f) {
    return e->trigger == f->trigger && e->kind == f->kind && e->period == f->period && e->offset == f->offset &&
           e->direction == f->direction && e->time_variable == f->time_variable && e->guarded == f->guarded &&
           e->on_zeno == f->on_zeno && e->max_interval == f->max_interval && e->samples == f->samples &&
           e->at_start == f->at_start && e->finders == f->finders && e->when_flows == f->when_flows &&
           e->finders_suffice == f->finders_suffice && e->upstream_first == f->upstream_first &&
           same_text(e->name, f->name);
}

static bool same_events(const sal_system *a, const sal_system *b) {
    bool same = a->events.count == b->events.count;
    for (int i = 0; same && i < a->events.count; i++)
        same = same_event(&a->events.item[i], &b->events.item[i]);
    return same;
}

static bool same_history(const sal__history *k, const sal__history *l) {
    return k->depth == l->depth && k->size == l->size && k->linear_only == l->linear_only &&
           k->can_use_current == l->can_use_current && k->is_only_way == l->is_only_way &&
           same_text(k->name, l->name) && !k->initial_history == !l->initial_history &&
           (!k->initial_history || same_numbers(k->initial_history, l->initial_history, k->size));
}

static bool same_histories(const sal_system *a, const sal_system *b) {
    bool same = a->history.columns.count == b->history.columns.count;
    for (int i = 0; same && i < a->history.columns.count; i++)
        same = same_history(&a->history.columns.item[i], &b->history.columns.item[i]);
    return same;
}

bool sal__system_is_like(const sal_system *a, const sal_system *b) {
    return a->behaviour == b->behaviour && same_values(a, b) && same_outputs(a, b) && same_events(a, b) &&
           same_histories(a, b);
}
