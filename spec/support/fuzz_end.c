/* Linked around every fuzzer (--wrap): what it is at stays in a file that outlives any end of the process, SIGKILL too,
 * and how far it came is told, so that no end is silent. FUZZ_LAST names the file. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int last = -1;
static unsigned long long inputs;

static void tell(void) {
    fprintf(stderr, "%llu inputs\n", inputs);
}

static void begin(void) {
    const char *path = getenv("FUZZ_LAST");
    last = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (path && last < 0) {
        perror(path);
        _exit(1);
    }
    atexit(tell);
}

static void keep(const uint8_t *data, size_t size) {
    if (last >= 0 && (pwrite(last, data, size, 0) != (ssize_t)size || ftruncate(last, (off_t)size) != 0))
        perror("FUZZ_LAST");
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (inputs++ == 0)
        begin();
    keep(data, size);
    if (inputs >= 1024 && (inputs & (inputs - 1)) == 0)
        tell();
    return __real_LLVMFuzzerTestOneInput(data, size);
}
