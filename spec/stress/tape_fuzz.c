/* Any bytes as a tape: what it accepts it evaluates, what it refuses it says. */
#include <stdlib.h>
#include <string.h>

#include "saltus/tape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sal_tape *tape = NULL;
    if (size < 1 || sal_tape_new(NULL, data[0] & 7, &tape) != SAL_OK)
        return 0;
    for (size_t i = 1; i + 10 < size; i += 11) {
        int reg = -1;
        double value = 0;
        memcpy(&value, data + i + 3, sizeof value);
        const int before = sal_tape_registers(tape);
        const sal_status status =
            data[i] & 1 ? sal_tape_add_constant(tape, value, &reg)
                        : sal_tape_add(tape, (sal_tape_op)(data[i] >> 1), data[i + 1] - 4, data[i + 2] - 4, &reg);
        if (status == SAL_OK ? reg != before : reg != -1 || sal_tape_registers(tape) != before)
            abort();
    }
    const double inputs[7] = {0, 1, -1, 1e300, -1e-300, 3, 0.1};
    double *work = malloc(sizeof *work * (size_t)(sal_tape_registers(tape) + 1));
    if (work)
        sal_tape_eval(tape, inputs, work);
    free(work);
    sal_tape_free(tape);
    return 0;
}
