/* The results of each operation of a program, and which code is refused. spec/closure/compiler/compiler_spec.lua
 * tests that they agree with Lua. */
#include "bytecode_vm.h"

#include <math.h>
#include <stddef.h>

#include "base/test_check.h"

enum { ANCHORS = 8 };

/* Returns the result of `op` on a, b, c (and d) in registers 1 to 4; register 0 is -7 before. `ran`: it did not give
 * up. */
static double computed(int op, double b, double c, double d, bool *ran) {
    double place[ANCHORS] = {-7, b, c, d};
    const sal__instruction code[] = {{(uint16_t)op, 0, 1, 2, 3}, {SAL__OP_END, 0, 0, 0, 0}};
    CHECK(sal__bytecode_is_sound(code, 2, ANCHORS));
    *ran = sal__bytecode_run(code, place, NULL, NULL);
    return place[0];
}

static void calculates(void) {
    const struct {
        int op;
        double b, c, result;
    } known[] = {
        {SAL__OP_MOVE, 3, 0, 3},         {SAL__OP_ADD, 1, 2, 3},
        {SAL__OP_SUB, 1, 2, -1},         {SAL__OP_MUL, 3, -2, -6},
        {SAL__OP_DIV, 1, -4, -0.25},     {SAL__OP_MOD, 5.5, 2, 1.5},
        {SAL__OP_MOD, -5.5, 2, 0.5},     {SAL__OP_MOD, 5.5, -2, -0.5},
        {SAL__OP_MOD, -5.5, -2, -1.5},   {SAL__OP_MOD, -1, INFINITY, INFINITY},
        {SAL__OP_IDIV, -7, 2, -4},       {SAL__OP_POW, 3, 2, 9},
        {SAL__OP_POW, 2, 10, 1024},      {SAL__OP_RAISE, 2, 10, 1024},
        {SAL__OP_UNM, 2, 0, -2},         {SAL__OP_NOT, 0, 0, 1},
        {SAL__OP_NOT, 1, 0, 0},          {SAL__OP_MAX, 1, 2, 2},
        {SAL__OP_MIN, 1, 2, 1},          {SAL__OP_ABS, -2, 0, 2},
        {SAL__OP_FLOOR, -1.5, 0, -2},    {SAL__OP_CEIL, 1.5, 0, 2},
        {SAL__OP_SQRT, 9, 0, 3},         {SAL__OP_FMOD, -5.5, 2, -1.5},
        {SAL__OP_ATAN, 0, -1, acos(-1)}, {SAL__OP_SELECT, 2, 2, 2},
        {SAL__OP_SELECT, 2, 3, 5},
    };
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        bool ran = false;
        CHECK(computed(known[i].op, known[i].b, known[i].c, 5, &ran) == known[i].result);
        CHECK(ran);
    }
    bool ran = false;
    CHECK(!signbit(computed(SAL__OP_FLOOR, -0.0, 0, 0, &ran)) && !signbit(computed(SAL__OP_CEIL, -0.5, 0, 0, &ran)));
    CHECK(isnan(computed(SAL__OP_MAX, NAN, 1, 0, &ran)) && computed(SAL__OP_MAX, 1, NAN, 0, &ran) == 1);
}

/* The result of the two operations one after the other; with d first where the name says so. */
static void does_two_at_once(void) {
    const int ops[] = {SAL__OP_ADD, SAL__OP_SUB, SAL__OP_MUL, SAL__OP_DIV};
    const struct {
        int op;
        bool d_first;
    } second[] = {{SAL__OP_ADD, false}, {SAL__OP_SUB, false}, {SAL__OP_SUB, true},
                  {SAL__OP_MUL, false}, {SAL__OP_DIV, false}, {SAL__OP_DIV, true}};
    const double b = 0.1, c = -0.7, d = 1e17 / 3;
    bool ran = false;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            const double one = computed(ops[i], b, c, 0, &ran);
            const double two =
                second[k].d_first ? computed(second[k].op, d, one, 0, &ran) : computed(second[k].op, one, d, 0, &ran);
            CHECK(computed(SAL__OP_ADD_ADD + 6 * i + k, b, c, d, &ran) == two);
        }
    CHECK(SAL__OP_DIV_UNDER == SAL__OP_ADD_ADD + 23);
}

static void computes_sine_and_cosine(void) {
    const sal__instruction code[] = {
        {SAL__OP_SINCOS, 0, 1, 2, 0}, {SAL__OP_SUB_B, 3, 0, 0, 0}, {SAL__OP_END, 0, 0, 0, 0}};
    for (double b = -9; b < 9; b += 0.37) {
        double place[ANCHORS] = {0, b, 0};
        CHECK(sal__bytecode_run(code, place, NULL, NULL));
        CHECK(place[0] == sin(b) && place[1] == b && place[2] == cos(b) && place[3] == cos(b) - sin(b));
    }
}

/* Returns the result of `op` on 3, 5 and 7 in registers 1 to 3, with 11, computed just before, as operand number
 * `told`. */
static double after(int op, int told) {
    double place[ANCHORS] = {0, 3, 5, 7, 11};
    sal__instruction code[] = {{SAL__OP_MOVE, 5, 4, 0, 0}, {(uint16_t)op, 0, 1, 2, 3}, {SAL__OP_END, 0, 0, 0, 0}};
    if (told > 0)
        place[told] = 11;
    CHECK(sal__bytecode_run(code, place, NULL, NULL));
    return place[0];
}

static void goes_on_from_what_it_computed(void) {
    const struct {
        int plain, next, count, operand;
    } kinds[] = {
        {SAL__OP_ADD, SAL__OP_ADD_B, 4, 1},          {SAL__OP_ADD, SAL__OP_ADD_C, 4, 2},
        {SAL__OP_ADD_ADD, SAL__OP_ADD_ADD_B, 24, 1}, {SAL__OP_ADD_ADD, SAL__OP_ADD_ADD_C, 24, 2},
        {SAL__OP_ADD_ADD, SAL__OP_ADD_ADD_D, 24, 3},
    };
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        for (int k = 0; k < kinds[i].count; k++) {
            CHECK(after(kinds[i].next + k, 0) == after(kinds[i].plain + k, kinds[i].operand));
            CHECK(after(kinds[i].next + k, 0) != after(kinds[i].plain + k, 0));
        }
}

static void gives_up_where_integers_would_differ(void) {
    const struct {
        double value;
        bool exact;
    } known[] = {{0, true},        {-0.0, false},      {-3, true},  {0x1p53, false},
                 {-0x1p53, false}, {0x1p53 - 1, true}, {NAN, false}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        double place[ANCHORS] = {known[i].value};
        const sal__instruction code[] = {{SAL__OP_EXACT, 0, 0, 0, 0}, {SAL__OP_END, 0, 0, 0, 0}};
        CHECK(sal__bytecode_run(code, place, NULL, NULL) == known[i].exact);
    }
}

/* the sum of registers 4 to 6 by a loop; then the last one is overwritten with it */
static void counts_and_indexes(void) {
    double place[ANCHORS] = {1, 3, 1, 0, 10, 20, 30, 0};
    const sal__instruction code[] = {
        {SAL__OP_LOAD, 7, 4, 0, 3}, {SAL__OP_ADD, 3, 3, 7, 0},   {SAL__OP_ADD, 0, 0, 2, 0},
        {SAL__OP_JLE, 0, 1, 0, 0},  {SAL__OP_STORE, 3, 4, 1, 3}, {SAL__OP_END, 0, 0, 0, 0},
    };
    CHECK(sal__bytecode_is_sound(code, 6, ANCHORS));
    CHECK(sal__bytecode_run(code, place, NULL, NULL) && place[3] == 60 && place[6] == 60);
    for (int i = 0; i < 4; i++) {
        const double outside[] = {0, 4, 1.5, NAN};
        double again[ANCHORS] = {outside[i], 0, 1, 0, 10, 20, 30, 0};
        CHECK(!sal__bytecode_run(code, again, NULL, NULL) && again[3] == 0);
    }
}

static bool tenfold_of_no_negative(const sal__bytecode_host *self, int question, double about, double *to) {
    (void)self;
    *to = 10 * about + question;
    return about >= 0;
}

static void asks(void) {
    const sal__bytecode_host outside = {tenfold_of_no_negative};
    const sal__instruction code[] = {{SAL__OP_ASK, 0, 1, 0, 3}, {SAL__OP_END, 0, 0, 0, 0}};
    double place[ANCHORS] = {0, 2}, negative[ANCHORS] = {0, -2};
    CHECK(sal__bytecode_is_sound(code, 2, ANCHORS));
    CHECK(sal__bytecode_run(code, place, &outside, NULL) && place[0] == 23);
    CHECK(!sal__bytecode_run(code, negative, &outside, NULL));
}

static void ends(void) {
    double place[ANCHORS] = {0};
    const sal__instruction forever[] = {{SAL__OP_JMP, 0, 0, 0, 0}, {SAL__OP_END, 0, 0, 0, 0}};
    CHECK(sal__bytecode_is_sound(forever, 2, ANCHORS) && !sal__bytecode_run(forever, place, NULL, NULL));
}

static void refuses_what_leaves_its_places(void) {
    const sal__instruction bad[] = {
        {SAL__OPERATIONS, 0, 0, 0, 0},   {SAL__OP_ADD, ANCHORS, 0, 0, 0},    {SAL__OP_ADD, 0, ANCHORS, 0, 0},
        {SAL__OP_ADD, 0, 0, ANCHORS, 0}, {SAL__OP_JMP, 0, 0, 2, 0},          {SAL__OP_LOAD, 0, 6, 0, 3},
        {SAL__OP_STORE, 0, 6, 0, 3},     {SAL__OP_SELECT, 0, 0, 0, ANCHORS},
    };
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        const sal__instruction code[] = {bad[i], {SAL__OP_END, 0, 0, 0, 0}};
        CHECK(!sal__bytecode_is_sound(code, 2, ANCHORS));
    }
    const sal__instruction endless[] = {{SAL__OP_ADD, 0, 0, 0, 0}};
    CHECK(!sal__bytecode_is_sound(endless, 1, ANCHORS) && !sal__bytecode_is_sound(endless, 0, ANCHORS));
}

int main(void) {
    calculates();
    does_two_at_once();
    computes_sine_and_cosine();
    goes_on_from_what_it_computed();
    gives_up_where_integers_would_differ();
    counts_and_indexes();
    asks();
    ends();
    refuses_what_leaves_its_places();
    return check_summary();
}
