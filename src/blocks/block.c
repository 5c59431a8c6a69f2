/* Makes a system from a table of options: checks the values, adds defaults, declares the parameters, then calls the
 * block's `declare`. */
#include "block_builder.h"
#include "base/near_name.h"
#include "base/sentence.h"

#include <math.h>
#include <string.h>

/* ---- kinds ---- */

static const sal__block *block_of(const char *kind) {
    for (int i = 0; kind && sal__blocks[i]; i++)
        if (strcmp(sal__blocks[i]->kind.name, kind) == 0)
            return sal__blocks[i];
    return NULL;
}

const sal_block_kind *sal_block_at(int i) {
    for (int k = 0; k < i; k++)
        if (!sal__blocks[k])
            return NULL;
    return i >= 0 && sal__blocks[i] ? &sal__blocks[i]->kind : NULL;
}

const sal_block_kind *sal_block_find(const char *kind) {
    const sal__block *block = block_of(kind);
    return block ? &block->kind : NULL;
}

const sal_system_class *sal_block_class(const char *kind) {
    const sal__block *block = block_of(kind);
    return block ? &block->behaviour : NULL;
}

/* ---- errors ---- */

void sal__fail(sal__block_builder *b, sal_status status) {
    if (b->status == SAL_OK)
        b->status = status;
}

void sal__refuse(sal__block_builder *b, const char *why) {
    if (b->status == SAL_OK && b->note)
        sal_note_set(b->note, why);
    sal__fail(b, SAL_EINVAL);
}

/* "option <name> <why>" */
void sal__refuse_option(sal__block_builder *b, const char *name, const char *why) {
    char text[sizeof b->note->text] = "option ";
    const size_t room = sizeof text - 1;
    strncat(text, name, room - strlen(text));
    strncat(text, " ", room - strlen(text));
    strncat(text, why, room - strlen(text));
    sal__refuse(b, text);
}

/* ---- values ---- */

static int option_at(const sal__block_builder *b, const char *name) {
    for (int k = 0; b->block->kind.options[k].name; k++)
        if (strcmp(b->block->kind.options[k].name, name) == 0)
            return k;
    return -1;
}

/* Returns the index of a word among `words`, from 1; 0 if it is not among them. */
static int place_of(const char *words, const char *word) {
    int place = 1;
    const size_t length = strlen(word);
    for (const char *at = words; *at; at++) {
        if ((at == words || at[-1] == ' ') && strncmp(at, word, length) == 0 && (at[length] == ' ' || !at[length]))
            return place;
        place += *at == ' ';
    }
    return 0;
}

static const char *number_complaint(const sal_block_option *o, double x) {
    if (isnan(x) || (isinf(x) && !(o->rules & SAL_MAY_BE_INFINITE)))
        return "must be finite";
    if ((o->rules & SAL_IS_POSITIVE) && !(x > 0))
        return "must be greater than 0";
    if ((o->rules & SAL_IS_NOT_NEGATIVE) && !(x >= 0))
        return "must not be negative";
    const bool may_be_zero = (o->rules & SAL_IS_NOT_NEGATIVE) != 0;
    if (o->type == SAL_OPTION_COUNT && !(x >= (may_be_zero ? 0 : 1) && x <= 1e6 && x == floor(x)))
        return may_be_zero ? "must be a whole number of at least 0" : "must be a whole number of at least 1";
    if (o->type == SAL_OPTION_FLAG && x != 0 && x != 1)
        return "must be true or false";
    return NULL;
}

static const char *complaint(const sal_block_option *o, const sal_block_value *v) {
    if (o->type == SAL_OPTION_TEXT) {
        const size_t length = v->text ? strlen(v->text) : 0;
        return length == 0 || strspn(v->text, o->words) != length ? "has a character that means nothing, or none"
                                                                  : NULL;
    }
    if (o->type == SAL_OPTION_CHOICE)
        return v->text && place_of(o->words, v->text) > 0 ? NULL : "must be one of its words";
    const bool one = o->type == SAL_OPTION_NUMBER || o->type == SAL_OPTION_COUNT || o->type == SAL_OPTION_FLAG;
    if (!v->numbers || v->count < 1 || (one && v->count != 1))
        return "has a wrong number of values";
    if (v->rows < 0 || (v->rows > 0 && v->count % v->rows != 0))
        return "must have rows of one length";
    for (int i = 0; i < v->count; i++) {
        const char *wrong = number_complaint(o, v->numbers[i]);
        if (wrong)
            return wrong;
        if (i > 0 && (o->rules & SAL_IS_INCREASING) && !(v->numbers[i] > v->numbers[i - 1]))
            return "must increase from one number to the next";
    }
    return NULL;
}

static const char *option_name(const void *user, int k) {
    return ((const sal_block_option *)user)[k].name;
}

static const char *kind_name(const void *user, int i) {
    (void)user;
    return sal__blocks[i] ? sal__blocks[i]->kind.name : NULL;
}

/* "is unknown; did you mean "gain"?", or the end of it without a near name. */
static void refuse_unknown(sal__block_builder *b, const char *option) {
    const char *near = sal__near_name(option, option_name, b->block->kind.options);
    char why[128];
    sal__write_pieces(why, sizeof why,
                      SAL__PIECES(near ? "is unknown; did you mean \"" : "is unknown; saltus help ",
                                  near ? near : b->block->kind.name, near ? "\"?" : " lists the options"));
    sal__refuse_option(b, option, why);
}

static void refuse_kind(sal__block_builder *b, const char *kind) {
    const char *near = kind ? sal__near_name(kind, kind_name, NULL) : NULL;
    char why[128];
    sal__write_pieces(why, sizeof why,
                      SAL__PIECES("there is no kind of block \"", kind ? kind : "NULL",
                                  near ? "\"; did you mean \"" : "\"; saltus help blocks lists the kinds",
                                  near ? near : "", near ? "\"?" : ""));
    sal__refuse(b, why);
}

static void take_value(sal__block_builder *b, const sal_block_value *v) {
    const int k = v->option ? option_at(b, v->option) : -1;
    if (k < 0) {
        refuse_unknown(b, v->option ? v->option : "NULL");
        return;
    }
    const char *wrong = complaint(&b->block->kind.options[k], v);
    if (wrong)
        sal__refuse_option(b, v->option, wrong);
    b->value[k] = *v;
    b->is_given[k] = true;
}

/* Adds defaults. `number`: storage for the numbers of choices. */
static void complete_values(sal__block_builder *b, double *number) {
    const sal_block_option *options = b->block->kind.options;
    for (int k = 0; options[k].name; k++) {
        sal_block_value *v = &b->value[k];
        if (!b->is_given[k] && options[k].required)
            sal__refuse_option(b, options[k].name, "is missing");
        if (!b->is_given[k])
            *v = (sal_block_value){options[k].name, &options[k].default_value, 1, 0, options[k].characters};
        if (b->is_given[k] && options[k].type == SAL_OPTION_CHOICE) {
            number[k] = place_of(options[k].words, v->text);
            v->numbers = &number[k];
            v->count = 1;
        }
    }
}

/* The size is the option, or the length of the longest signal. Every signal has one number or that many. */
static void find_size(sal__block_builder *b) {
    const sal_block_option *options = b->block->kind.options;
    const bool is_given = sal__given(b, "size");
    b->size = is_given ? (int)sal__number(b, "size") : 1;
    for (int k = 0; options[k].name && !is_given; k++)
        if (options[k].type == SAL_OPTION_SIGNAL && b->value[k].count > b->size)
            b->size = b->value[k].count;
    for (int k = 0; options[k].name; k++)
        if (options[k].type == SAL_OPTION_SIGNAL && b->value[k].count != 1 && b->value[k].count != b->size)
            sal__refuse_option(b, options[k].name, "must be one number, or one for each element of the signal");
}

static bool is_above(const sal_block_value *one, const sal_block_value *other, int size, bool or_equal) {
    for (int i = 0; i < size; i++) {
        const double a = sal__value_at(one, i), b = sal__value_at(other, i);
        if (a > b || (or_equal && a == b))
            return true;
    }
    return false;
}

static void check_orders(sal__block_builder *b) {
    const sal_block_option *options = b->block->kind.options;
    for (int k = 0; b->status == SAL_OK && options[k].name; k++) {
        const bool less = options[k].rules & SAL_IS_LESS;
        const char *other = options[k].not_above;
        if (!other || !is_above(&b->value[k], sal__value_of(b, other), b->size, less))
            continue;
        char why[64] = "";
        strncat(why, less ? "must be less than " : "must not be greater than ", sizeof why - 1);
        strncat(why, other, sizeof why - 1 - strlen(why));
        sal__refuse_option(b, options[k].name, why);
    }
}

/* A choice is a mode: its words are separated by spaces. */
static sal_status name_modes(sal_system *sys, const sal_block_option *o) {
    char text[256] = "";
    const char *words[16];
    int count = 0;
    strncat(text, o->words, sizeof text - 1);
    for (char *word = text; word && count < 16; word = strchr(word, ' ')) {
        if (count > 0)
            *word++ = '\0';
        words[count++] = word;
    }
    return sal_system_set_modes(sys, o->name, words, count);
}

static void add_parameters(sal__block_builder *b) {
    const sal_block_option *options = b->block->kind.options;
    for (int k = 0; b->status == SAL_OK && options[k].name; k++) {
        if (options[k].fixed)
            continue;
        sal__fail(b, sal_system_add_values(b->sys, SAL_PARAM, options[k].name, b->value[k].count, b->value[k].numbers));
        if (b->status == SAL_OK)
            sal__label_last_value(b->sys, options[k].unit, options[k].doc);
        if (b->status == SAL_OK && options[k].type == SAL_OPTION_CHOICE)
            sal__fail(b, name_modes(b->sys, &options[k]));
    }
}

static sal_status add_unit(sal_system *sys, const char *name, const char *unit) {
    const int output = sal_system_find_output(sys, name);
    const sal_status status =
        sal__has_value(sys, name) ? sal_system_describe(sys, name, unit, sal_system_value_doc(sys, name)) : SAL_OK;
    return status == SAL_OK && output >= 0 ? sal_system_describe_output(sys, output, unit, NULL) : status;
}

/* The units of states and ports: "position=m input=N_m". */
static void add_units(sal__block_builder *b) {
    char text[128] = "";
    strncat(text, b->block->kind.units ? b->block->kind.units : "", sizeof text - 1);
    for (char *word = text, *end; b->status == SAL_OK && *word; word = end) {
        char *unit = strchr(word, '=');
        end = word + strcspn(word, " ");
        if (*end)
            *end++ = '\0';
        *unit++ = '\0';
        for (char *c = unit; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        sal__fail(b, add_unit(b->sys, word, unit));
    }
}

/* An output that has more elements than its partition has numbers is computed. */
sal_status sal_block_mark_outputs(const sal_block_kind *kind, sal_system *sys, int outputs) {
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && kind->time_invariant && k < outputs; k++)
        status = sal_system_set_time_invariant(sys, k);
    if (status != SAL_OK || !kind->alias_partition)
        return status;
    const sal_partition from = (sal_partition)(kind->alias_partition - 1);
    return sys->outputs.item[0].size > sys->size[from] ? SAL_OK : sal_system_alias_output(sys, 0, from, 0);
}

sal_status sal_block_new(const sal_allocator *allocator, const char *kind, const char *name,
                         const sal_block_value *values, int count, sal_note *note, sal_system **out) {
    sal__block_builder b = {.block = block_of(kind), .note = note};
    double number[MAX_OPTIONS];
    sal_note_blame(note, name);
    if (!b.block) {
        refuse_kind(&b, kind);
        return b.status;
    }
    if (!name || (count > 0 && !values) || !out) {
        sal__refuse(&b, "a name, the values that are counted, and a place for the block are needed");
        return b.status;
    }
    for (int i = 0; i < count; i++)
        take_value(&b, &values[i]);
    complete_values(&b, number);
    find_size(&b);
    check_orders(&b);
    if (b.status != SAL_OK)
        return b.status;
    b.status = sal_system_new(allocator, &b.block->behaviour, name, NULL, &b.sys);
    add_parameters(&b);
    if (b.status == SAL_OK)
        b.block->declare(&b);
    if (b.status == SAL_OK)
        add_units(&b);
    if (b.status == SAL_OK)
        sal__fail(&b, sal_block_mark_outputs(&b.block->kind, b.sys, b.sys->outputs.count));
    if (b.status == SAL_OK)
        *out = b.sys;
    else
        sal_system_free(b.sys);
    return b.status;
}

/* ---- what `declare` reads ---- */

int sal__size(const sal__block_builder *b) {
    return b->size;
}

bool sal__has_option(const sal__block_builder *b, const char *option) {
    return option_at(b, option) >= 0;
}

const sal_block_value *sal__given(const sal__block_builder *b, const char *option) {
    const int k = option_at(b, option);
    return k >= 0 && b->is_given[k] ? &b->value[k] : NULL;
}

const sal_block_value *sal__value_of(const sal__block_builder *b, const char *option) {
    return &b->value[option_at(b, option)];
}

double sal__number(const sal__block_builder *b, const char *option) {
    return *sal__value_of(b, option)->numbers;
}
