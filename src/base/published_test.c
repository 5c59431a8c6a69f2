/* Threefry and XXH64 compared with their published vectors. */
#include "test_check.h"
#include "base.h"
#include "threefry.h"

#include <string.h>

static void threefry(uint64_t fill, const uint64_t expected[2]) {
    const uint64_t both[2] = {fill, fill};
    uint64_t out[2];
    sal__threefry2x64(both, both, out);
    CHECK(out[0] == expected[0] && out[1] == expected[1]);
}

static void hash(const char *text, uint64_t expected) {
    CHECK(sal_hash(text, strlen(text), 0) == expected);
}

int main(void) {
    /* Random123's kat_vectors: counter and key all zeros, all ones. */
    threefry(0, (const uint64_t[2]){0xc2b6e3a8c2c69865, 0x6f81ed42f350084d});
    threefry(UINT64_MAX, (const uint64_t[2]){0xe02cb7c4d95d277a, 0xd06633d0893b8b68});
    hash("", 0xEF46DB3751D8E999);
    hash("a", 0xD24EC4F1A98C6E5B);
    hash("abc", 0x44BC2CF5AD770999);
    hash("Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1);
    CHECK(sal__to_unit(0) > 0 && sal__to_unit(UINT64_MAX) < 1);
    return check_summary();
}
