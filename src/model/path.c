/* Finding a number by its path: the part, the name, and for one of several numbers its element, from 1. */
#include "path.h"

#include "base/near_name.h"

enum { LONGEST = 255, NO_ELEMENT = -1 };

/* A path in pieces. */
typedef struct parsed {
    char part[LONGEST + 1], name[LONGEST + 1];
    int element; /* from 0 */
} parsed;

static sal_status refuse(sal_note *why, const char *const *pieces) {
    sal__write_pieces(why->text, sizeof why->text, pieces);
    return SAL_EINVAL;
}
#define REFUSE(why, ...) refuse((why), SAL__PIECES(__VA_ARGS__))

/* Takes "[2]" off the end of a name. Returns false for brackets without a number. */
static bool take_element(parsed *p) {
    const size_t length = strlen(p->name);
    char *open = strrchr(p->name, '[');
    p->element = NO_ELEMENT;
    if (length == 0 || p->name[length - 1] != ']' || !open)
        return true;
    int number = 0;
    for (const char *c = open + 1; *c != ']'; c++) {
        if (*c < '0' || *c > '9' || number > SAL_MAX_NUMBERS)
            return false;
        number = 10 * number + (*c - '0');
    }
    *open = '\0';
    p->element = number - 1;
    return open[1] != ']' && number >= 1;
}

/* Splits at the last dot. */
static sal_status parse(const char *path, bool has_parts, parsed *p, sal_note *why) {
    if (!path || strlen(path) > LONGEST)
        return REFUSE(why, "a path is NULL or too long; write one like \"tank.level\"");
    const char *dot = has_parts ? strrchr(path, '.') : NULL;
    const size_t first = dot ? (size_t)(dot - path) : 0;
    memcpy(p->part, path, first);
    p->part[first] = '\0';
    strcpy(p->name, dot ? dot + 1 : path);
    if (!take_element(p))
        return REFUSE(why, "the path \"", path, "\" ends with no element; count from 1, as in \"arm.r[2]\"");
    if (has_parts && !dot)
        return REFUSE(why, "the path \"", path, "\" names no part; write one like \"tank.level\"");
    return SAL_OK;
}

static const char *output_name(const void *user, int i) {
    const sal_system *sys = user;
    return i < sys->values.count                        ? sys->values.item[i].name
           : i < sys->values.count + sys->outputs.count ? sys->outputs.item[i - sys->values.count].name
                                                        : NULL;
}

static sal_status check_element(const parsed *p, int size, sal_note *why) {
    if (size > 1 && p->element == NO_ELEMENT)
        return REFUSE(why, "\"", p->name, "\" has ", sal__whole_number(size).text, " numbers; write \"", p->name,
                      "[1]\" for the first");
    if (size == 1 && p->element > 0)
        return REFUSE(why, "\"", p->name, "\" is one number, it has no element ",
                      sal__whole_number(p->element + 1).text, "; leave out the brackets");
    if (p->element >= size)
        return REFUSE(why, "\"", p->name, "\" has elements 1 to ", sal__whole_number(size).text, ", not ",
                      sal__whole_number(p->element + 1).text);
    return SAL_OK;
}

static sal_status find_in_part(const sal_system *part, const parsed *p, sal__path_end *out, sal_note *why) {
    const int i = sal__name_table_find(&part->names.values, p->name);
    out->output = sal__name_table_find(&part->names.outputs, p->name);
    out->value = i >= 0 && i < part->values.count ? &part->values.item[i] : NULL;
    out->element = p->element == NO_ELEMENT ? 0 : p->element;
    if (out->value || out->output >= 0)
        return check_element(p, out->value ? out->value->size : part->outputs.item[out->output].size, why);
    const char *near = sal__near_name(p->name, output_name, part);
    return REFUSE(why, "there is no value or output \"", p->name, "\"", p->part[0] ? " in \"" : "", p->part,
                  p->part[0] ? "\"" : "", near ? "; did you mean \"" : "; sal_system_value_at lists the values",
                  near ? near : "", near ? "\"?" : "");
}

sal_status sal__find_path(const sal_system *sys, const char *path, sal__path_end *out, sal_note *why) {
    parsed p;
    const bool has_parts = !sys->behaviour;
    const sal_status status = parse(path, has_parts, &p, why);
    if (status != SAL_OK)
        return status;
    out->part = has_parts ? sal_diagram_find_part(sys, p.part) : 0;
    if (out->part < 0)
        return REFUSE(why, "there is no part \"", p.part, "\" as in the path \"", path, "\"",
                      sal__hint_of(&sys->names.members, p.part).text);
    return find_in_part(sal_diagram_part(sys, out->part), &p, out, why);
}
