/* Saved runs, forged: the input says which run, and what becomes of its fields: extremes, bits, fields and sections of
 * other runs, cuts and more; size and checksum are put right. Each is refused, and nothing has changed, or it is a run
 * that goes on, and that can be saved. No load takes more memory than twice what the simulator has. */
#include <stdio.h>

#include "../support/models.h"
#include "base/archive.h"

typedef struct sal_simulator simulator;
void sal__snapshot_fields(const simulator *sim, void (*list)(void *user, sal__field field, size_t at, size_t bytes),
                          void *user);

enum { SAVES = 12, HEAD = 24, TAIL = 8, MOST_FIELDS = 1 << 14, MOST_BYTES = 1 << 18 };

typedef struct field {
    sal__field kind;
    size_t at, bytes;
} field;

typedef struct saved {
    unsigned char *bytes;
    size_t size, own; /* own: what the simulator had then */
    field *fields;
    int count;
} saved;

typedef struct world {
    sal_simulator *sim, *copy;
    saved saves[SAVES];
    double end, levels[SAVES];
} world;

static world worlds[MODELS];
static size_t live, most_live;

static void fail(const char *what, const char *model) {
    fprintf(stderr, "save_fuzz: %s, %s\n", what, model);
    abort();
}

static void *lend(void *user, void *block, size_t old, size_t bytes) {
    (void)user;
    live -= block ? old : 0;
    live += bytes;
    most_live = live > most_live ? live : most_live;
    if (bytes > 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

static const sal_allocator memory = {lend, NULL};

/* ---- the runs that are forged ---- */

static void note_field(void *user, sal__field kind, size_t at, size_t bytes) {
    saved *s = user;
    if (bytes > 0 && s->count < MOST_FIELDS)
        s->fields[s->count++] = (field){kind, at, bytes};
}

static saved save(sal_simulator *sim) {
    saved s = {NULL, sal_simulator_save_size(sim), live, NULL, 0};
    s.own = live + s.size;
    s.bytes = malloc(s.size);
    s.fields = malloc(MOST_FIELDS * sizeof *s.fields);
    if (sal_simulator_save(sim, s.bytes, s.size) != SAL_OK)
        fail("cannot be saved", "");
    sal__snapshot_fields(sim, note_field, &s);
    s.fields = realloc(s.fields, (size_t)s.count * sizeof *s.fields + 1);
    return s;
}

/* Margins of watches: of the time, and of what flows. */
static sal_status since(void *user, const sal_context *ctx, double *value) {
    *value = sal_context_time(ctx) - *(const double *)user;
    return SAL_OK;
}

static sal_status height(void *user, const sal_context *ctx, double *value) {
    const bool flows = sal_context_size(ctx, SAL_Q) > 0;
    *value = flows ? *sal_context_get(ctx, SAL_Q) - *(const double *)user : -1;
    return SAL_OK;
}

/* Each is armed in some of the saves: some fire soon, others never. */
static void add_watch(world *w, int i) {
    int64_t handle = 0;
    w->levels[i] = i % 2 ? 0.3 * i : w->end + 0.3;
    const sal_watch watch = {i % 2 ? height : since, &w->levels[i], i % 4 == 3 ? 0.05 : 0};
    sal_simulator_watch(w->sim, &watch, &handle);
}

/* Near its start, then ever farther; the first is not initialized, some wait for handlers, some have scheduled
 * events. */
static void make_world(world *w, const model *m) {
    model_memory = &memory;
    sal_system *sys = m->make();
    if (make_simulator(&memory, m, sys, &w->sim) != SAL_OK || make_simulator(&memory, m, sys, &w->copy) != SAL_OK)
        fail("cannot be made", m->name);
    for (int i = 0; i < SAVES; i++) {
        w->saves[i] = save(w->sim);
        w->end += 0.11 + 0.13 * i;
        for (int k = 0; k < 3; k++)
            if (i % 3 == 2)
                sal_simulator_schedule(w->sim, 0, 4 + k % 2, w->end + 0.2 * k, NULL);
        const double hand[] = {0.1 * i, i % 3};
        if (i % 2)
            sal_simulator_feed(w->sim, 0, 0, w->end + 0.1 * (i % 3), hand);
        add_watch(w, i);
        if (i % 2)
            sal_simulator_step(w->sim, w->end, NULL);
        else
            sal_simulator_advance_to(w->sim, w->end, NULL);
    }
}

/* ---- what becomes of them ---- */

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static unsigned take(input *in) {
    unsigned value = 0;
    for (int i = 0; i < 2 && in->left > 0; i++, in->left--)
        value = value << 8 | *in->data++;
    return value;
}

static unsigned char forged[MOST_BYTES + TAIL];

static void put_extreme(unsigned char *at, const field *f, unsigned which) {
    static const double reals[] = {NAN,   INFINITY, -INFINITY, 0,    -0.0,  -1,  1,   2,      3,      0.5,    1e-310,
                                   1e300, -1e300,   1e9,       -1e9, 1e-15, 4.7, 100, 0x1p31, 0x1p53, 0x1p63, 1e-5};
    static const int64_t wholes[] = {
        -1,   0,     1,         2,         3,         4,         7,       8,  16,  64,         99,           1000,
        1024, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1 << 30, -2, 255, UINT32_MAX, INT64_MAX / 8};
    const double x = reals[which % (sizeof reals / sizeof *reals)];
    const int64_t n = wholes[which % (sizeof wholes / sizeof *wholes)];
    const size_t bytes = f->bytes < 8 ? f->bytes : 8;
    if (f->kind == SAL__FIELD_REAL || (f->kind == SAL__FIELD_BYTES && which % 2 && bytes == 8))
        memcpy(at, &x, bytes);
    else
        memcpy(at, &n, bytes);
}

/* Of many bytes in one field, eight somewhere. */
static size_t inside(const field *f, unsigned where) {
    return f->at + (f->bytes > 8 ? (where % (f->bytes / 4 - 1)) * 4 : 0);
}

static void nudge(unsigned char *at, const field *f, unsigned by) {
    int64_t value = 0;
    const size_t bytes = f->bytes < 8 ? f->bytes : 8;
    memcpy(&value, at, bytes);
    value = (int64_t)((uint64_t)value + (uint64_t)(by % 7) - 3);
    memcpy(at, &value, bytes);
}

static const field *field_of(const saved *s, unsigned which) {
    return &s->fields[which % (unsigned)s->count];
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Another run's bytes in place of these, from one field to another. */
static size_t splice(size_t size, const saved *s, const saved *other, unsigned from, unsigned to) {
    const size_t begin = field_of(s, from)->at, at = field_of(other, to)->at;
    const size_t rest = least(other->size - TAIL - at, MOST_BYTES - begin);
    (void)size;
    memcpy(forged + begin, other->bytes + at, rest);
    return begin + rest;
}

static size_t cut(size_t size, const saved *s, unsigned from, unsigned length) {
    const size_t begin = least(field_of(s, from)->at, size), end = least(begin + length % 300, size);
    memmove(forged + begin, forged + end, size - end);
    return size - (end - begin);
}

static size_t lengthen(size_t size, const saved *s, unsigned from, unsigned length) {
    const size_t begin = least(field_of(s, from)->at, size), more = least(length % 300, MOST_BYTES - size);
    memmove(forged + begin + more, forged + begin, size - begin);
    for (size_t i = 0; i < more; i++)
        forged[begin + i] = forged[HEAD + i % 16];
    return size + more;
}

static size_t change(size_t size, const saved *s, const saved *other, input *in) {
    enum { KINDS = 16 };
    const unsigned kind = take(in) % KINDS, a = take(in), b = take(in);
    const field *f = field_of(s, a), *g = field_of(other, b);
    const size_t at = inside(f, b);
    if (at + 8 > size && kind < 13)
        return size;
    switch (kind) {
    case 0:
        forged[at + b / 8 % least(f->bytes, 8)] ^= (unsigned char)(1 << b % 8);
        return size;
    case 1:
        nudge(forged + at, f, b);
        return size;
    case 2:
        memcpy(forged + at, other->bytes + least(g->at, other->size - 8), least(least(f->bytes, g->bytes), 8));
        return size;
    case 3:
        memcpy(forged + at, other->bytes + least(at, other->size - 8), least(f->bytes, 8));
        return size;
    case 13:
        return splice(size, s, other, a, kind % 2 ? a : b);
    case 14:
        return cut(size, s, a, b);
    case 15:
        return lengthen(size, s, a, b);
    default:
        put_extreme(forged + at, f, b);
        return size;
    }
}

static size_t forge(const saved *s, const saved *other, input *in) {
    size_t size = s->size - TAIL;
    memcpy(forged, s->bytes, size);
    do
        size = change(size, s, other, in);
    while (in->left > 0);
    const uint64_t whole = size + TAIL;
    memcpy(forged + 16, &whole, sizeof whole);
    sal__hasher hasher;
    sal__hasher_begin(&hasher, 0);
    sal__hasher_add(&hasher, forged + HEAD, size - HEAD);
    const uint64_t checksum = sal_hash(forged, HEAD, sal__hasher_end(&hasher));
    memcpy(forged + size, &checksum, sizeof checksum);
    return size + TAIL;
}

/* ---- what they do ---- */

/* What the run is, as bytes: a buffer of its past that was once wider stays so, and is not quite what it was saved
 * as. */
static unsigned char before[MOST_BYTES], after[MOST_BYTES];

static size_t note_run(sal_simulator *sim, unsigned char *bytes, const model *m) {
    const size_t size = sal_simulator_save_size(sim);
    if (size > MOST_BYTES || sal_simulator_save(sim, bytes, size) != SAL_OK)
        fail("cannot be saved", m->name);
    return size;
}

static void check_unchanged(sal_simulator *sim, size_t size, const model *m) {
    if (note_run(sim, after, m) != size || memcmp(before, after, size) != 0)
        fail("a refused load changed the run", m->name);
}

static void check_memory(size_t lent, const saved *s, const model *m) {
    if (most_live - lent > 2 * s->own)
        fail("a load took much memory", m->name);
}

/* A copy of a run that was forged is the same run. */
static void check_copy(sal_simulator *sim, sal_simulator *copy, const model *m) {
    const size_t size = note_run(sim, before, m);
    if (size > sal_simulator_save_bound(sim))
        fail("it takes more than its bound", m->name);
    if (sal_simulator_copy(copy, sim) != SAL_OK)
        fail("it cannot be copied", m->name);
    if (sal_simulator_hash(copy) != sal_simulator_hash(sim))
        fail("a copy differs", m->name);
}

static void run_on(sal_simulator *sim, sal_simulator *copy, const model *m) {
    enum { STEPS = 6 };
    sal_report report;
    check_copy(sim, copy, m);
    const double now = sal_context_time(sal_simulator_context(sim));
    for (int i = 0; i < STEPS; i++) {
        sal_simulator_step(sim, now + 0.3, &report);
        sal_simulator_step(copy, now + 0.3, &report);
    }
    const size_t size = note_run(sim, after, m);
    if (sal_simulator_load(sim, after, size) != SAL_OK)
        fail("it does not take back what it saved", m->name);
}

static size_t refused, ran;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const unsigned which = take(&in), saves = take(&in);
    const model *m = &models[which % MODELS];
    world *w = &worlds[which % MODELS];
    const world *stranger = &worlds[which / MODELS % MODELS];
    if (!w->sim)
        make_world(w, m);
    const saved *s = &w->saves[saves % SAVES], *other = &w->saves[saves / SAVES % SAVES];
    if (saves % 5 == 0 && stranger->sim)
        other = &stranger->saves[saves / SAVES % SAVES];
    if (sal_simulator_load(w->sim, s->bytes, s->size) != SAL_OK)
        fail("it does not take its own save", m->name);
    const size_t was = note_run(w->sim, before, m), bytes = forge(s, other, &in), lent = live;
    most_live = live;
    const sal_status status = sal_simulator_load(w->sim, forged, bytes);
    check_memory(lent, s, m);
    if (status != SAL_OK) {
        refused++;
        check_unchanged(w->sim, was, m);
        return 0;
    }
    ran++;
    run_on(w->sim, w->copy, m);
    return 0;
}

/* Of how many, what came. */
__attribute__((destructor)) static void tell(void) {
    fprintf(stderr, "save_fuzz: %zu forged, %zu refused, %zu ran on\n", refused + ran, refused, ran);
}
