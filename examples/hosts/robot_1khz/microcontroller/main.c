/* The drill on a Cortex-M4 without an operating system: the vector table, the start, and the way back by semihosting,
 * which newlib's rdimon library provides for printf. Doubles are computed in software. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drill.h"

/* Of board.ld. */
extern uint32_t stack_top, data_start, data_end, data_in_flash, bss_start, bss_end;
extern void initialise_monitor_handles(void);

void start(void);

void start(void) {
    memcpy(&data_start, &data_in_flash, (size_t)((char *)&data_end - (char *)&data_start));
    memset(&bss_start, 0, (size_t)((char *)&bss_end - (char *)&bss_start));
    initialise_monitor_handles();
    exit(drill());
}

/* A fault ends the program as a failure. */
static void fault(void) {
    _exit(1);
}

typedef union vector {
    uint32_t *stack;
    void (*handler)(void);
} vector;

__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    {.stack = &stack_top}, {.handler = start}, {.handler = fault}, {.handler = fault},
    {.handler = fault},    {.handler = fault}, {.handler = fault}};
