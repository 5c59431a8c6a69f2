/* What people are told of a declaration: units, lines of text, and the words of modes. */
#include <math.h>
#include <string.h>

#include "model.h"

bool sal__is_doc(const char *text) {
    for (const char *c = text; c && *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 127)
            return false;
    return true;
}

/* Replaces a text by a copy of another one, which may be NULL. */
static sal_status replace(const sal_allocator *mem, char **text, const char *by) {
    char *copy = by ? sal__copy_text(mem, by) : NULL;
    if (by && !copy)
        return SAL_ENOMEM;
    sal__free_text(mem, *text);
    *text = copy;
    return SAL_OK;
}

static sal_status label(sal_system *sys, const char *name, sal__labels *labels, const char *unit, const char *doc) {
    if ((unit && !sal__is_name(unit)) || !sal__is_doc(doc))
        return SAL__REFUSE(sys, "the unit or doc of \"", name, "\" has a control character; use printable ones");
    sal__labels made = {NULL, NULL, false};
    if (replace(&sys->mem, &made.unit, unit) != SAL_OK || replace(&sys->mem, &made.doc, doc) != SAL_OK) {
        sal__labels_free(&sys->mem, &made);
        return SAL_ENOMEM;
    }
    sal__labels_free(&sys->mem, labels);
    *labels = made;
    return SAL_OK;
}

void sal__labels_free(const sal_allocator *mem, sal__labels *labels) {
    if (!labels->is_borrowed) {
        sal__free_text(mem, labels->unit);
        sal__free_text(mem, labels->doc);
    }
    *labels = (sal__labels){NULL, NULL, false};
}

void sal__label_last_value(sal_system *sys, const char *unit, const char *doc) {
    sal__value *last = &sys->values.item[sys->values.count - 1];
    last->labels = (sal__labels){(char *)(uintptr_t)unit, (char *)(uintptr_t)doc, true};
}

/* Returns a value by its name; NULL: there is none, or it is a slot. */
static sal__value *value_of(const sal_system *sys, const char *name) {
    const int i = name ? sal__name_table_find(&sys->names.values, name) : -1;
    return i >= 0 && i < sys->values.count ? &sys->values.item[i] : NULL;
}

bool sal__has_value(const sal_system *sys, const char *name) {
    return value_of(sys, name) != NULL;
}

static sal__output *output_of(const sal_system *sys, int port) {
    return port >= 0 && port < sys->outputs.count ? &sys->outputs.item[port] : NULL;
}

/* Finds a value to declare something about it. */
static sal_status find_value(sal_system *sys, const char *what, const char *name, sal__value **out) {
    const sal_status status = sal__check_open_leaf(sys, what);
    if (status != SAL_OK)
        return status;
    *out = value_of(sys, name);
    if (!*out)
        return SAL__REFUSE(sys, "there is no value \"", name ? name : "NULL", "\" to have ", what,
                           "; declare it first by sal_system_add_values",
                           name ? sal__hint_of(&sys->names.values, name).text : "");
    return SAL_OK;
}

sal_status sal_system_describe(sal_system *sys, const char *name, const char *unit, const char *doc) {
    sal__value *value = NULL;
    const sal_status status = find_value(sys, "labels", name, &value);
    return status == SAL_OK ? label(sys, name, &value->labels, unit, doc) : status;
}

sal_status sal_system_describe_output(sal_system *sys, int port, const char *unit, const char *doc) {
    const sal_status status = sal__check_output(sys, "labels", port);
    sal__output *output = status == SAL_OK ? output_of(sys, port) : NULL;
    return output ? label(sys, output->name, &output->labels, unit, doc) : status;
}

sal_status sal_system_set_doc(sal_system *sys, const char *doc) {
    const sal_status status = sal__check_open(sys, "a doc");
    if (status != SAL_OK)
        return status;
    if (!sal__is_doc(doc))
        return SAL__REFUSE(sys, "its doc has a control character; use printable ones");
    return replace(&sys->mem, &sys->doc, doc);
}

const char *sal_system_value_unit(const sal_system *sys, const char *name) {
    const sal__value *value = value_of(sys, name);
    return value ? value->labels.unit : NULL;
}

const char *sal_system_value_doc(const sal_system *sys, const char *name) {
    const sal__value *value = value_of(sys, name);
    return value ? value->labels.doc : NULL;
}

const char *sal_system_output_unit(const sal_system *sys, int port) {
    const sal__output *output = output_of(sys, port);
    return output ? output->labels.unit : NULL;
}

const char *sal_system_output_doc(const sal_system *sys, int port) {
    const sal__output *output = output_of(sys, port);
    return output ? output->labels.doc : NULL;
}

const char *sal_system_doc(const sal_system *sys) {
    return sys->doc;
}

/* ---- modes ---- */

const char *const *sal_system_modes(const sal_system *sys, const char *name, int *count) {
    const sal__value *value = value_of(sys, name);
    *count = value ? value->mode_count : 0;
    return value ? (const char *const *)value->mode_words : NULL;
}

void sal__modes_free(const sal_allocator *mem, sal__value *value) {
    for (int k = 0; value->mode_words && k < value->mode_count; k++)
        sal__free_text(mem, value->mode_words[k]);
    sal__free(mem, value->mode_words, (size_t)value->mode_count * sizeof(char *));
    value->mode_words = NULL;
    value->mode_count = 0;
}

static bool is_there(const char *const *words, int count, const char *word) {
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0)
            return true;
    return false;
}

static sal_status check_words(sal_system *sys, const char *name, const char *const *words, int count) {
    if (!words || count < 1)
        return SAL__REFUSE(sys, "the mode \"", name, "\" has no words; give it at least one");
    for (int k = 0; k < count; k++) {
        if (!sal__is_name(words[k]))
            return SAL__REFUSE(sys, "word ", sal__whole_number(k + 1).text, " of the mode \"", name,
                               "\" is NULL or has a control character; use printable ones");
        if (is_there(words, k, words[k]))
            return SAL__REFUSE(sys, "the mode \"", name, "\" has the word \"", words[k],
                               "\" twice; give each number its own");
    }
    return SAL_OK;
}

static uint64_t hash_of(const char *const *words, int count) {
    uint64_t hash = (uint64_t)count;
    for (int k = 0; k < count; k++)
        hash = sal_hash(words[k], strlen(words[k]) + 1, hash);
    return hash;
}

static sal_status copy_words(const sal_allocator *mem, const char *const *words, int count, sal__value *to) {
    to->mode_words = sal__alloc(mem, (size_t)count * sizeof(char *));
    to->mode_count = to->mode_words ? count : 0;
    for (int k = 0; k < to->mode_count; k++)
        to->mode_words[k] = sal__copy_text(mem, words[k]);
    bool complete = to->mode_words != NULL;
    for (int k = 0; k < to->mode_count; k++)
        complete = complete && to->mode_words[k];
    if (!complete)
        sal__modes_free(mem, to);
    return complete ? SAL_OK : SAL_ENOMEM;
}

/* The number of a word; an input may have no value yet. */
static bool is_mode_default(const sal__value *value, double number, int count) {
    return (number >= 0 && number <= count && number == floor(number)) ||
           (value->partition == SAL_INPUT && isnan(number));
}

static sal_status check_mode(sal_system *sys, const sal__value *value, const char *const *words, int count) {
    if (value->size != 1)
        return SAL__REFUSE(sys, "\"", value->name, "\" has ", sal__whole_number(value->size).text,
                           " numbers; a mode has one, so declare one value for each");
    const sal_status status = check_words(sys, value->name, words, count);
    const double number = sys->defaults[value->partition].item[value->at];
    if (status == SAL_OK && !is_mode_default(value, number, count))
        return SAL__REFUSE(sys, "the mode \"", value->name, "\" starts at ", sal__real_number(number, 6).text,
                           "; its words have the numbers from 1 to ", sal__whole_number(count).text);
    return status;
}

sal_status sal_system_set_modes(sal_system *sys, const char *name, const char *const *words, int count) {
    sal__value *value = NULL;
    sal_status status = find_value(sys, "modes", name, &value);
    if (status == SAL_OK)
        status = check_mode(sys, value, words, count);
    if (status != SAL_OK)
        return status;
    sal__value made = *value;
    if (copy_words(&sys->mem, words, count, &made) != SAL_OK)
        return SAL_ENOMEM;
    made.mode_hash = hash_of(words, count);
    sal__modes_free(&sys->mem, value);
    *value = made;
    double *number = &sys->defaults[value->partition].item[value->at];
    *number = *number == 0 ? 1 : *number;
    return SAL_OK;
}
