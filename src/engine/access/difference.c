/* The first thing in which two runs of one system differ, in words: what sal_simulator_hash only says. */
#include "base/sentence.h"
#include "engine/simulator.h"

typedef struct found {
    char *text;
    size_t room, length; /* length 0: nothing was found yet */
} found;

static void say(found *f, const char *const *pieces) {
    f->length = sal__write_pieces(f->text, f->room, pieces);
}
#define SAY(f, ...) say((f), SAL__PIECES(__VA_ARGS__))
#define BOTH(one, other) " is ", (one), " in the first, ", (other), " in the second"

/* ---- numbers ---- */

static bool are_same(const double *one, const double *other) {
    return memcmp(one, other, sizeof *one) == 0;
}

static const char *word_of(const sal__value *v, double number) {
    return number >= 1 && number <= v->mode_count ? v->mode_words[(int)number - 1] : NULL;
}

/* "tank.level", "tank.r[2]", or "level" of a system without parts. */
static void say_value(found *f, const sal__part *part, const sal__value *v, int element, double one, double other) {
    const char *const first = word_of(v, one), *const second = word_of(v, other);
    const bool has_words = first && second, is_vector = v->size > 1;
    SAY(f, "\"", part->name, part->name[0] ? "." : "", v->name, is_vector ? "[" : "",
        is_vector ? sal__whole_number(element + 1).text : "", is_vector ? "]" : "", "\"",
        BOTH(has_words ? first : sal__real_number(one, 17).text,
             has_words ? second : sal__real_number(other, 17).text));
}

static void compare_value(found *f, const sal__part *part, const sal__value *v, const double *one,
                          const double *other) {
    const int at = part->at[v->partition] + v->at;
    for (int k = 0; k < v->size && f->length == 0; k++)
        if (!are_same(&one[at + k], &other[at + k]))
            say_value(f, part, v, k, one[at + k], other[at + k]);
}

static const char *name_of(const sal__part *part) {
    return part->name[0] ? part->name : part->system->name;
}

/* The last of its discrete numbers is the position in its random stream. */
static void compare_draws(found *f, const sal__part *part, const double *one, const double *other) {
    const int at = part->discrete.at + part->discrete.size - 1;
    if (!are_same(&one[at], &other[at]))
        SAY(f, "the number of random draws of \"", name_of(part), "\"",
            BOTH(sal__real_number(one[at], 17).text, sal__real_number(other[at], 17).text));
}

static void compare_numbers(found *f, const sal__part *part, const sal__context_data *one,
                            const sal__context_data *other) {
    const sal_system *sys = part->system;
    for (int p = 0; p < SAL_PARTITIONS; p++)
        for (int k = 0; k < sys->values.count && f->length == 0; k++)
            if ((int)sys->values.item[k].partition == p)
                compare_value(f, part, &sys->values.item[k], one->storage[p], other->storage[p]);
    if (f->length == 0)
        compare_draws(f, part, one->block, other->block);
}

/* ---- abstract state ---- */

static bool has_same_hash(const sal_slot_type *type, const void *one, const void *other) {
    return !type->hash || type->hash(one, 0) == type->hash(other, 0);
}

static void compare_slots(found *f, const sal_simulator *sim, const sal__part *part, const sal__context_data *one,
                          const sal__context_data *other) {
    const sal_system *sys = part->system;
    for (int k = 0; k < sys->slots.count && f->length == 0; k++) {
        const int slot = part->slot_at + k;
        if (has_same_hash(sys->slots.item[k].type, one->slot[slot], other->slot[slot]))
            continue;
        if (sal__is_history(sim, slot))
            SAY(f, "the past of \"", name_of(part), "\" differs");
        else
            SAY(f, "the abstract state \"", part->name, part->name[0] ? "." : "", sys->slots.item[k].name,
                "\" differs");
    }
}

/* ---- runs ---- */

static void compare_heads(found *f, const sal__context_data *one, const sal__context_data *other) {
    if (!are_same(&one->time, &other->time))
        SAY(f, "the time", BOTH(sal__real_number(one->time, 17).text, sal__real_number(other->time, 17).text));
    else if (one->seed != other->seed)
        SAY(f, "the seed",
            BOTH(sal__whole_number((int64_t)one->seed).text, sal__whole_number((int64_t)other->seed).text));
}

size_t sal_simulator_difference(const sal_simulator *one, const sal_simulator *other, char *text, size_t room) {
    found f = {text, room, 0};
    const sal__context_data *first = one->contexts.current, *second = other->contexts.current;
    if (room > 0)
        text[0] = '\0';
    if (one->plan->layout_hash != other->plan->layout_hash) {
        SAY(&f, "the simulators are of different systems, \"", one->system->name, "\" and \"", other->system->name,
            "\"");
        return f.length;
    }
    compare_heads(&f, first, second);
    for (int i = 0; i < one->plan->part_count && f.length == 0; i++) {
        compare_numbers(&f, &one->plan->part[i], first, second);
        if (f.length == 0)
            compare_slots(&f, one, &one->plan->part[i], first, second);
    }
    return f.length;
}
