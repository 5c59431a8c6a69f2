/* Tests every kind of block in the registry, with a sine as its input. A block of each kind can be made with its
 * required options alone. It refuses invalid options, allocates nothing while it runs, continues identically from a
 * snapshot, and leaks nothing when memory runs out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "base/test_allocator.h"
#include "block.h"
#include "saltus/saltus.h"

/* A valid value for each required option; two numbers in each list, because some lists must have equal lengths. */
static const double two[4] = {0.1, 0.3, 0.3, 0.5}, less = 0.05, pair[2] = {1, 1}, one = 1;

static sal_block_value something(const sal_block_option *o) {
    const char *name = o->name;
    if (strcmp(name, "denominator") == 0 || strcmp(name, "points") == 0 || strcmp(name, "rows") == 0 ||
        strcmp(name, "columns") == 0 || strcmp(name, "times") == 0)
        return (sal_block_value){.option = name, .numbers = two, .count = 2};
    if (strcmp(name, "values") == 0)
        return (sal_block_value){.option = name, .numbers = two, .count = 2};
    if (strcmp(name, "sizes") == 0)
        return (sal_block_value){.option = name, .numbers = pair, .count = 2};
    if (strcmp(name, "lower") == 0 || strcmp(name, "width") == 0 || strcmp(name, "kinetic_friction") == 0)
        return (sal_block_value){.option = name, .numbers = &less, .count = 1};
    if (o->type == SAL_OPTION_COUNT || strcmp(name, "elements") == 0)
        return (sal_block_value){.option = name, .numbers = &one, .count = 1};
    return (sal_block_value){.option = name, .numbers = &two[0], .count = 1};
}

static int tell(const sal_block_kind *kind, sal_block_value *told) {
    int count = 0;
    for (const sal_block_option *o = kind->options; o->name; o++)
        if (o->required)
            told[count++] = something(o);
    if (strcmp(kind->name, "lookup_table_2d") == 0)
        told[2].count = 4;
    if (strcmp(kind->name, "demux") == 0)
        told[0].count = 1;
    return count;
}

/* The sine, the block, and a wire to each of its inputs; inputs that must not be negative get a constant. */
typedef struct bench {
    sal_system *sine, *block, *constant, *whole;
} bench;

static void drop(bench *b) {
    sal_system_free(b->whole);
    sal_system_free(b->block);
    sal_system_free(b->sine);
    sal_system_free(b->constant);
}

static bool is_positive(const sal_system *block, int input) {
    return input > 0 && sal_system_find_value(block, SAL_INPUT, "delay") == input;
}

static sal_status build(const sal_allocator *mem, const sal_block_kind *kind, bench *b) {
    sal_block_value told[16];
    sal_status status = sal_block_sine(mem, "sine", 0.7, 3, 0.5, &b->sine);
    if (status == SAL_OK)
        status = sal_block_new(mem, kind->name, "block", told, tell(kind, told), NULL, &b->block);
    if (status == SAL_OK)
        status = sal_diagram_new(mem, "bench", &b->whole);
    if (status == SAL_OK)
        status = sal_diagram_add(b->whole, b->sine, "sine", NULL);
    if (status == SAL_OK)
        status = sal_diagram_add(b->whole, b->block, "block", NULL);
    if (status == SAL_OK)
        status = sal_block_constant(mem, "constant", 1, &less, &b->constant);
    if (status == SAL_OK)
        status = sal_diagram_add(b->whole, b->constant, "constant", NULL);
    for (int i = 0; status == SAL_OK && i < sal_system_inputs(b->block); i++)
        status = sal_diagram_connect(b->whole, is_positive(b->block, i) ? 2 : 0, 0, 1, i);
    return status;
}

static bool outputs_are_finite(sal_simulator *sim, const sal_system *block) {
    const sal_context *ctx = sal_context_part_const(sal_simulator_context(sim), 1);
    for (int i = 0; i < sal_system_outputs(block); i++) {
        const double *y = NULL;
        if (sal_context_output(ctx, i, &y) != SAL_OK || !isfinite(*y))
            return false;
    }
    return true;
}

static void runs_without_memory(const sal_block_kind *kind) {
    test_allocator p = {.requests_left = -1};
    const sal_allocator mem = {test_allocate, &p};
    bench b = {NULL, NULL, NULL, NULL};
    sal_simulator *sim = NULL;
    sal_report report;
    CHECK(build(&mem, kind, &b) == SAL_OK);
    if (!b.whole || sal_simulator_new(&mem, b.whole, NULL, NULL, &sim) != SAL_OK) {
        printf("%s cannot be made\n", kind->name);
        CHECK(false);
        drop(&b);
        return;
    }
    CHECK(sal_simulator_initialize(sim, false, &report) == SAL_OK);
    const long asked = p.request_count;
    const sal_status status = sal_simulator_advance_to(sim, 2, &report);
    if (status != SAL_OK || p.request_count != asked)
        printf("%s: %s, %ld allocations\n", kind->name, sal_status_text(status), p.request_count - asked);
    CHECK(status == SAL_OK);
    CHECK(p.request_count == asked);
    CHECK(outputs_are_finite(sim, b.block));

    const size_t size = sal_simulator_save_size(sim);
    void *bytes = malloc(size);
    CHECK(sal_simulator_save(sim, bytes, size) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 4, &report) == SAL_OK);
    const uint64_t there = sal_simulator_hash(sim);
    CHECK(sal_simulator_load(sim, bytes, size) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 4, &report) == SAL_OK);
    CHECK(sal_simulator_hash(sim) == there);
    free(bytes);
    sal_simulator_free(sim);
    drop(&b);
    CHECK(p.bytes_lent == 0);
}

static void memory_runs_out(const sal_block_kind *kind) {
    sal_status status = SAL_ENOMEM;
    for (long n = 1; n < 1000 && status == SAL_ENOMEM; n++) {
        test_allocator p = {.requests_left = n - 1};
        const sal_allocator mem = {test_allocate, &p};
        bench b = {NULL, NULL, NULL, NULL};
        status = build(&mem, kind, &b);
        drop(&b);
        CHECK(p.bytes_lent == 0);
    }
    CHECK(status == SAL_OK);
}

/* Missing, unknown, NaN and out-of-range options are refused by name. */
static void refuses(const sal_block_kind *kind) {
    sal_block_value told[17];
    const double bad = NAN;
    const int count = tell(kind, told);
    sal_note note = {.text = ""};
    sal_system *sys = NULL;
    told[count] = (sal_block_value){.option = "nonsense", .numbers = &one, .count = 1};
    CHECK(sal_block_new(NULL, kind->name, "b", told, count + 1, &note, &sys) == SAL_EINVAL);
    CHECK(strstr(note.text, "nonsense") != NULL);
    for (const sal_block_option *o = kind->options; o->name; o++) {
        told[count] = (sal_block_value){.option = o->name, .numbers = &bad, .count = 1, .text = ""};
        CHECK(sal_block_new(NULL, kind->name, "b", told, count + 1, &note, &sys) == SAL_EINVAL);
        CHECK(strstr(note.text, o->name) != NULL);
    }
    if (count > 0) {
        CHECK(sal_block_new(NULL, kind->name, "b", NULL, 0, &note, &sys) == SAL_EINVAL);
        CHECK(strstr(note.text, "missing") != NULL);
    }
    CHECK(sys == NULL);
}

static void is_described(const sal_block_kind *kind) {
    CHECK(kind->doc && kind->law && kind->example);
    CHECK(strstr(kind->example, kind->instead_of ? kind->instead_of : kind->name) != NULL);
    CHECK(!kind->instead_of == !kind->when_given);
    CHECK(!kind->instead_of || sal_block_find(kind->instead_of));
    CHECK(sal_block_find(kind->name) == kind);
    CHECK(sal_block_class(kind->name) != NULL);
    for (const sal_block_option *o = kind->options; o->name; o++) {
        CHECK(o->doc != NULL);
        CHECK((o->type == SAL_OPTION_CHOICE || o->type == SAL_OPTION_TEXT) == (o->words != NULL));
    }
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Parameters have the unit and the text of their options, choices their words, states and ports the units of the
 * kind. */
static void is_labelled(const sal_block_kind *kind) {
    sal_block_value told[16];
    sal_system *sys = NULL;
    CHECK(sal_block_new(NULL, kind->name, "b", told, tell(kind, told), NULL, &sys) == SAL_OK);
    for (const sal_block_option *o = kind->options; o->name; o++) {
        char joined[256] = "";
        int count = 0;
        const char *const *words = sal_system_modes(sys, o->name, &count);
        if (o->fixed)
            continue;
        CHECK(same_text(sal_system_value_doc(sys, o->name), o->doc));
        CHECK((kind->units && strstr(kind->units, o->name)) || same_text(sal_system_value_unit(sys, o->name), o->unit));
        for (int k = 0; k < count; k++)
            strcat(strcat(joined, k > 0 ? " " : ""), words[k]);
        CHECK(strcmp(joined, o->type == SAL_OPTION_CHOICE ? o->words : "") == 0);
    }
    const int position = sal_system_find_output(sys, "position");
    CHECK(position < 0 || same_text(sal_system_output_unit(sys, position), "m"));
    const bool turns = sal_system_find_output(sys, "rate") >= 0 && sal_system_find_output(sys, "angle") >= 0;
    CHECK(!turns || same_text(sal_system_value_unit(sys, "input"), "N m"));
    sal_system_free(sys);
}

/* An option that must not exceed another: refused if it does, for every kind; accepted if equal where that is
 * allowed. */
static void keeps_order(const sal_block_kind *kind, const sal_block_option *o) {
    const double numbers[3] = {0.25, 0.5, 0.75};
    for (int i = 0; i < 3; i++) {
        sal_block_value told[12];
        int count = 0;
        for (const sal_block_option *other = kind->options; other->name; other++)
            if (other->required && strcmp(other->name, o->name) != 0 && strcmp(other->name, o->not_above) != 0)
                told[count++] = something(other);
        told[count++] = (sal_block_value){.option = o->name, .numbers = &numbers[i], .count = 1};
        told[count++] = (sal_block_value){.option = o->not_above, .numbers = &numbers[1], .count = 1};
        sal_system *made = NULL;
        const bool fits = i == 0 || (i == 1 && !(o->rules & SAL_IS_LESS));
        CHECK(sal_block_new(NULL, kind->name, "one", told, count, NULL, &made) == (fits ? SAL_OK : SAL_EINVAL));
        sal_system_free(made);
    }
}

static void keeps_orders(const sal_block_kind *kind) {
    for (const sal_block_option *o = kind->options; o->name; o++)
        if (o->not_above)
            keeps_order(kind, o);
}

/* ---- outputs that read an input at the same time ---- */

static void set_inputs(sal_simulator *sim, double value) {
    sal_context *ctx = sal_simulator_context(sim);
    double *u = sal_context_edit(ctx, SAL_INPUT);
    for (int i = 0; i < sal_context_size(ctx, SAL_INPUT); i++)
        u[i] = value;
}

/* Whether the output changes when the numbers of an input change and the state does not. */
static bool reads_input(sal_simulator *sim, int output, int input) {
    static const double others[] = {0.1, 0.45, 0.7, 5, -0.6};
    const sal_context *ctx = sal_simulator_context(sim);
    const double *y = NULL, *u = NULL;
    if (sal_context_input(ctx, input, &u) != SAL_OK || sal_context_output(ctx, output, &y) != SAL_OK)
        return false;
    const double before = *y;
    const ptrdiff_t at = u - sal_context_get(ctx, SAL_INPUT);
    bool changes = false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        sal_context_edit(sal_simulator_context(sim), SAL_INPUT)[at] = others[k];
        changes |= sal_context_output(ctx, output, &y) == SAL_OK && *y != before;
    }
    set_inputs(sim, less);
    return changes;
}

/* SAL_ELOOP: a wire from the output to the input is an algebraic loop. */
static sal_status wire_back(sal_system *block, int output, int input) {
    sal_system *loop = NULL;
    sal_simulator *sim = NULL;
    sal_status status = sal_diagram_new(NULL, "loop", &loop);
    if (status == SAL_OK)
        status = sal_diagram_add(loop, block, "block", NULL);
    if (status == SAL_OK)
        status = sal_diagram_connect(loop, 0, output, 0, input);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, loop, NULL, NULL, &sim);
    sal_simulator_free(sim);
    sal_system_free(loop);
    return status;
}

/* Returns how many outputs depend directly on an input. The builder must declare them, or loops are not found and
 * values are computed too late. */
static int declares_what_it_reads(const sal_block_kind *kind) {
    sal_block_value told[16];
    sal_system *block = NULL;
    sal_simulator *sim = NULL;
    sal_report report;
    int direct = 0;
    CHECK(sal_block_new(NULL, kind->name, "block", told, tell(kind, told), NULL, &block) == SAL_OK);
    CHECK(sal_simulator_new(NULL, block, NULL, NULL, &sim) == SAL_OK);
    set_inputs(sim, less);
    CHECK(sal_simulator_advance_to(sim, 0.5, &report) == SAL_OK);
    for (int output = 0; output < sal_system_outputs(block); output++)
        for (int input = 0; input < sal_system_inputs(block); input++) {
            if (!reads_input(sim, output, input))
                continue;
            const sal_status status = wire_back(block, output, input);
            if (status != SAL_ELOOP && status != SAL_EINVAL) /* EINVAL: another size */
                printf("%s: output %d reads input %d and does not say so\n", kind->name, output, input);
            CHECK(status == SAL_ELOOP || status == SAL_EINVAL);
            direct += status == SAL_ELOOP;
        }
    sal_simulator_free(sim);
    sal_system_free(block);
    return direct;
}

int main(void) {
    const sal_block_kind *kind;
    int i = 0, direct = 0;
    for (; (kind = sal_block_at(i)); i++) {
        is_described(kind);
        is_labelled(kind);
        runs_without_memory(kind);
        memory_runs_out(kind);
        refuses(kind);
        keeps_orders(kind);
        direct += declares_what_it_reads(kind);
    }
    CHECK(i > 40 && direct > 20);
    CHECK(sal_block_at(i + 1) == NULL);
    CHECK(sal_block_at(-1) == NULL);
    CHECK(sal_block_find("nonsense") == NULL);
    CHECK(sal_block_class("nonsense") == NULL);
    sal_note note = {.text = ""};
    sal_system *sys = NULL;
    CHECK(sal_block_new(NULL, "nonsense", "b", NULL, 0, &note, &sys) == SAL_EINVAL);
    return check_summary();
}
