/* Any bytes as a program: what is sound runs within its registers, or gives up. */
#include <stdlib.h>
#include <string.h>

#include "tape/bytecode_vm.h"

enum { REGISTERS = 16, MAX_INSTRUCTIONS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fails for every second question. */
static bool answer(const sal__bytecode_host *self, int question, double argument, double *value) {
    (void)self;
    *value = argument + question;
    return question % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sal__instruction code[MAX_INSTRUCTIONS] = {0};
    int count = 0;
    for (; count < MAX_INSTRUCTIONS - 1 && size >= 5; count++, data += 5, size -= 5)
        code[count] = (sal__instruction){data[0], data[1] % REGISTERS, data[2] % REGISTERS, data[3] % REGISTERS,
                                         data[4] % (REGISTERS + 1)};
    code[count++].op = SAL__OP_END;
    const sal__bytecode_host host = {answer};
    int64_t fuel = 100 * count;
    double *registers = malloc(REGISTERS * sizeof *registers);
    for (int i = 0; registers && i < REGISTERS; i++)
        registers[i] = i - 3;
    if (registers && sal__bytecode_is_sound(code, count, REGISTERS))
        sal__bytecode_run(code, registers, &host, count % 2 ? &fuel : NULL);
    free(registers);
    return 0;
}
