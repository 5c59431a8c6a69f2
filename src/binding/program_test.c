/* What each operation of a program does, and which code is refused. That it is what Lua does, spec/program_spec.lua sees. */
#include "program.h"

#include <math.h>

#include "base/check.h"

enum { PLACES = 8 };

/* What `op` makes of a, b, c (and d) at places 1 to 4, in place 0 beforehand -7; `ran`: it did not give up. */
static double computed(int op, double b, double c, double d, bool *ran) {
    double place[PLACES] = {-7, b, c, d};
    const l_instruction code[] = {{(uint16_t)op, 0, 1, 2, 3}, {L_OP_END, 0, 0, 0, 0}};
    CHECK(l_sound(code, 2, PLACES));
    *ran = l_compute(code, place);
    return place[0];
}

static void calculates(void) {
    const struct {
        int op;
        double b, c, result;
    } known[] = {
        {L_OP_MOVE, 3, 0, 3},       {L_OP_ADD, 1, 2, 3},
        {L_OP_SUB, 1, 2, -1},       {L_OP_MUL, 3, -2, -6},
        {L_OP_DIV, 1, -4, -0.25},   {L_OP_MOD, 5.5, 2, 1.5},
        {L_OP_MOD, -5.5, 2, 0.5},   {L_OP_MOD, 5.5, -2, -0.5},
        {L_OP_MOD, -5.5, -2, -1.5}, {L_OP_MOD, -1, INFINITY, INFINITY},
        {L_OP_IDIV, -7, 2, -4},     {L_OP_POW, 3, 2, 9},
        {L_OP_POW, 2, 10, 1024},    {L_OP_UNM, 2, 0, -2},
        {L_OP_NOT, 0, 0, 1},        {L_OP_NOT, 1, 0, 0},
        {L_OP_MAX, 1, 2, 2},        {L_OP_MIN, 1, 2, 1},
        {L_OP_ABS, -2, 0, 2},       {L_OP_FLOOR, -1.5, 0, -2},
        {L_OP_CEIL, 1.5, 0, 2},     {L_OP_SQRT, 9, 0, 3},
        {L_OP_FMOD, -5.5, 2, -1.5}, {L_OP_ATAN, 0, -1, acos(-1)},
        {L_OP_SELECT, 2, 2, 2},     {L_OP_SELECT, 2, 3, 5},
    };
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        bool ran = false;
        CHECK(computed(known[i].op, known[i].b, known[i].c, 5, &ran) == known[i].result);
        CHECK(ran);
    }
    bool ran = false;
    CHECK(!signbit(computed(L_OP_FLOOR, -0.0, 0, 0, &ran)) && !signbit(computed(L_OP_CEIL, -0.5, 0, 0, &ran)));
    CHECK(isnan(computed(L_OP_MAX, NAN, 1, 0, &ran)) && computed(L_OP_MAX, 1, NAN, 0, &ran) == 1);
}

static void gives_up_where_integers_would_differ(void) {
    const struct {
        double value;
        bool exact;
    } known[] = {{0, true},        {-0.0, false},      {-3, true},  {0x1p53, false},
                 {-0x1p53, false}, {0x1p53 - 1, true}, {NAN, false}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        double place[PLACES] = {known[i].value};
        const l_instruction code[] = {{L_OP_EXACT, 0, 0, 0, 0}, {L_OP_END, 0, 0, 0, 0}};
        CHECK(l_compute(code, place) == known[i].exact);
    }
}

/* sum of places 4 to 6 by a loop; then the last one is stored over with it */
static void counts_and_indexes(void) {
    double place[PLACES] = {1, 3, 1, 0, 10, 20, 30, 0};
    const l_instruction code[] = {
        {L_OP_LOAD, 7, 4, 0, 3}, {L_OP_ADD, 3, 3, 7, 0},   {L_OP_ADD, 0, 0, 2, 0},
        {L_OP_JLE, 0, 1, 0, 0},  {L_OP_STORE, 3, 4, 1, 3}, {L_OP_END, 0, 0, 0, 0},
    };
    CHECK(l_sound(code, 6, PLACES));
    CHECK(l_compute(code, place) && place[3] == 60 && place[6] == 60);
    for (int i = 0; i < 4; i++) {
        const double outside[] = {0, 4, 1.5, NAN};
        double again[PLACES] = {outside[i], 0, 1, 0, 10, 20, 30, 0};
        CHECK(!l_compute(code, again) && again[3] == 0);
    }
}

static void ends(void) {
    double place[PLACES] = {0};
    const l_instruction forever[] = {{L_OP_JMP, 0, 0, 0, 0}, {L_OP_END, 0, 0, 0, 0}};
    CHECK(l_sound(forever, 2, PLACES) && !l_compute(forever, place));
}

static void refuses_what_leaves_its_places(void) {
    const l_instruction bad[] = {
        {L_OPERATIONS, 0, 0, 0, 0},  {L_OP_ADD, PLACES, 0, 0, 0},    {L_OP_ADD, 0, PLACES, 0, 0},
        {L_OP_ADD, 0, 0, PLACES, 0}, {L_OP_JMP, 0, 0, 2, 0},         {L_OP_LOAD, 0, 6, 0, 3},
        {L_OP_STORE, 0, 6, 0, 3},    {L_OP_SELECT, 0, 0, 0, PLACES},
    };
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        const l_instruction code[] = {bad[i], {L_OP_END, 0, 0, 0, 0}};
        CHECK(!l_sound(code, 2, PLACES));
    }
    const l_instruction endless[] = {{L_OP_ADD, 0, 0, 0, 0}};
    CHECK(!l_sound(endless, 1, PLACES) && !l_sound(endless, 0, PLACES));
}

int main(void) {
    calculates();
    gives_up_where_integers_would_differ();
    counts_and_indexes();
    ends();
    refuses_what_leaves_its_places();
    return check_summary();
}
