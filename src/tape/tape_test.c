/* The tape against the same C, to the bit; what it refuses; what it frees. */
#include "saltus/tape.h"

#include <math.h>

#include "base/test_check.h"
#include "base/test_allocator.h"

static void gives_the_bits_of_the_same_c(void) {
    sal_tape *tape = NULL;
    CHECK(sal_tape_new(NULL, 3, &tape) == SAL_OK);
    int sigma, difference, first, xy, third, work_at;
    CHECK(sal_tape_add_constant(tape, 10, &sigma) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_SUB, 1, 0, &difference) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_MUL, sigma, difference, &first) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_MUL, 0, 1, &xy) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_DIV, xy, 2, &third) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_SIN, third, 0, &work_at) == SAL_OK);
    CHECK(sal_tape_inputs(tape) == 3);
    CHECK(sal_tape_registers(tape) == 9);

    const double x[3] = {1.1, -0.7, 2.3};
    double work[9];
    sal_tape_eval(tape, x, work);
    CHECK(work[first] == 10 * (x[1] - x[0]));
    CHECK(work[work_at] == sin(x[0] * x[1] / x[2]));
    sal_tape_free(tape);
}

static void every_operation_is_its_c(void) {
    sal_tape *tape = NULL;
    CHECK(sal_tape_new(NULL, 2, &tape) == SAL_OK);
    int at[SAL_TAPE_OPS];
    for (int op = 0; op < SAL_TAPE_OPS; op++)
        CHECK(sal_tape_add(tape, (sal_tape_op)op, 0, 1, &at[op]) == SAL_OK);
    const double x[2] = {1.7, -0.3};
    const double wanted[SAL_TAPE_OPS] = {1.7 + -0.3, 1.7 - -0.3, 1.7 * -0.3, 1.7 / -0.3, -1.7,
                                         1.7,        sqrt(1.7),  sin(1.7),   cos(1.7),   exp(1.7)};
    double work[2 + SAL_TAPE_OPS];
    sal_tape_eval(tape, x, work);
    for (int op = 0; op < SAL_TAPE_OPS; op++)
        CHECK_NEAR(work[at[op]], wanted[op], 1e-15);
    sal_tape_free(tape);
}

static void refuses_what_is_not_there(void) {
    sal_tape *tape = NULL;
    int reg = -1;
    CHECK(sal_tape_new(NULL, -1, &tape) == SAL_EINVAL);
    CHECK(sal_tape_new(NULL, 1, &tape) == SAL_OK);
    CHECK(sal_tape_add(tape, SAL_TAPE_ADD, 0, 1, &reg) == SAL_EINVAL);
    CHECK(sal_tape_add(tape, SAL_TAPE_ADD, -1, 0, &reg) == SAL_EINVAL);
    CHECK(sal_tape_add(tape, SAL_TAPE_OPS, 0, 0, &reg) == SAL_EINVAL);
    CHECK(reg == -1 && sal_tape_registers(tape) == 1);
    sal_tape_free(tape);
    sal_tape_free(NULL);
}

static void survives_every_failing_allocation(void) {
    for (int granted = 0; granted < 8; granted++) {
        test_allocator p = {.requests_left = granted};
        const sal_allocator allocator = {test_allocate, &p};
        sal_tape *tape = NULL;
        sal_status status = sal_tape_new(&allocator, 1, &tape);
        int reg = 0;
        for (int i = 0; status == SAL_OK && i < 100; i++)
            status = sal_tape_add(tape, SAL_TAPE_MUL, reg, 0, &reg);
        CHECK(status == SAL_OK || status == SAL_ENOMEM);
        sal_tape_free(tape);
        CHECK(p.bytes_lent == 0);
    }
}

int main(void) {
    gives_the_bits_of_the_same_c();
    every_operation_is_its_c();
    refuses_what_is_not_there();
    survives_every_failing_allocation();
    return check_summary();
}
