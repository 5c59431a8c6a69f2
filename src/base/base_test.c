/* Statuses and notes, memory, ulps, roots. */
#include "base.h"

#include <math.h>
#include <string.h>

#include "test_check.h"

static void names_every_status(void) {
    for (int s = -20; s <= 3; s++)
        CHECK(sal_status_text(s) && sal_status_text(s)[0]);
    CHECK(strcmp(sal_status_text(SAL_ENOMEM), "out of memory") == 0);
}

static void cuts_notes_on_a_character(void) {
    sal_note note;
    char longer[400];
    for (int shift = 0; shift < 4; shift++) {
        memset(longer, 'x', sizeof longer);
        for (int i = shift; i + 2 < 399; i += 3)
            memcpy(longer + i, "\xE2\x82\xAC", 3); /* the euro sign */
        longer[399] = '\0';
        sal_note_set(&note, longer);
        sal_note_blame(&note, longer);
        const size_t text = strlen(note.text), blame = strlen(note.blame);
        CHECK(text > 252 && text < 256 && (text - (size_t)shift) % 3 == 0);
        CHECK(blame > 124 && blame < 128 && (blame - (size_t)shift) % 3 == 0);
    }
    sal_note_set(&note, "short");
    sal_note_blame(&note, NULL);
    CHECK(strcmp(note.text, "short") == 0 && note.blame[0] == '\0');
    sal_note_set(NULL, "nowhere");
}

typedef struct meter {
    size_t held;
    int blocks;
} meter;

static void *metered(void *user, void *block, size_t old, size_t bytes) {
    meter *m = user;
    m->held += bytes;
    m->held -= old;
    m->blocks += (bytes && !block) - (!bytes && block);
    const sal_allocator library = sal__allocator(NULL);
    return library.resize(NULL, block, old, bytes);
}

static void balances_its_memory(void) {
    meter m = {0, 0};
    const sal_allocator given = {metered, &m};
    const sal_allocator a = sal__allocator(&given);
    unsigned char *block = sal__alloc(&a, 10);
    CHECK(block && block[0] == 0 && block[9] == 0 && m.held == 10);
    block = sal__resize(&a, block, 10, 1000);
    CHECK(block && m.held == 1000);
    sal__free(&a, block, 1000);
    void *empty = sal__alloc(&a, 0);
    CHECK(empty && m.blocks == 1);
    sal__free(&a, empty, 0);
    sal__free(&a, NULL, 100);
    CHECK(m.held == 0 && m.blocks == 0);
}

static void frees_a_pool_as_a_whole(void) {
    meter m = {0, 0};
    sal__pool pool = {.mem = {metered, &m}};
    double *first = sal__pool_alloc(&pool, 3, sizeof *first);
    char *empty = sal__pool_alloc(&pool, 0, sizeof *empty);
    CHECK(first && first[0] == 0 && first[2] == 0 && empty && m.blocks == 2 && sal__pool_status(&pool) == SAL_OK);
    sal__pool_free(&pool);
    CHECK(m.held == 0 && m.blocks == 0);
    pool.failed = true;
    CHECK(!sal__pool_alloc(&pool, 1, 1) && m.blocks == 0 && sal__pool_status(&pool) == SAL_ENOMEM);
}

static void measures_ulps(void) {
    CHECK(sal__ulp(1) == 0x1p-52 && sal__ulp(-1) == 0x1p-52 && sal__ulp(1.5) == 0x1p-52);
    CHECK(sal__ulp(2) == 0x1p-51 && sal__ulp(0) == 0x1p-1074 && sal__ulp(1e-310) == 0x1p-1074);
    CHECK(isinf(sal__ulp(INFINITY)) && isnan(sal__ulp(NAN)));
    for (double x = 1e-300; x < 1e300; x *= 7.3)
        CHECK(x + sal__ulp(x) == nextafter(x, INFINITY));
}

static void takes_roots(void) {
    const int degrees[] = {2, 3, 4, 5, 6, 8, 9, 10, 50};
    for (size_t d = 0; d < sizeof degrees / sizeof *degrees; d++) {
        const int k = degrees[d];
        double worst = 0;
        for (double x = 1e-307; x < 1e308; x *= 1.37) {
            const double wanted = pow(x, 1. / k), got = sal__power_root(x, k);
            /* pow rounds its exponent 1/k: that shifts the result by log(x) / k ulps */
            const double slack = 4 + fabs(log(x)) / k;
            worst = fmax(worst, fabs(got - wanted) / (slack * sal__ulp(wanted)));
        }
        CHECK(worst <= 1);
    }
    for (double x = 1e-20; x < 1e20; x *= 1.01)
        CHECK(fabs(sal__power_root(x, 2) - sqrt(x)) <= 4 * sal__ulp(sqrt(x)) && sal__power_root(x, 1) == x);
    for (double x = 1e-100; x < 1e100; x *= 1.7)
        CHECK(fabs(sal__power_root(x, 3) - cbrt(x)) <= 4 * sal__ulp(cbrt(x)));
    CHECK_NEAR(sal__power_root(5e-324, 2) / sqrt(5e-324), 1, 1e-15);
    CHECK_NEAR(sal__power_root(1e-310, 3) / cbrt(1e-310), 1, 1e-15);
    CHECK_NEAR(sal__power_root(1.7976931348623157e308, 5) / pow(1.7976931348623157e308, 0.2), 1, 1e-13);
    CHECK(sal__power_root(1, 7) == 1);
}

static void estimates_logarithms(void) {
    double last = -2000, last_power = 0;
    for (double x = 1e-300; x < 1e300; x *= 1.0137) {
        const double got = sal__approx_log2(x);
        CHECK(fabs(got - log2(x)) < 0.09 && got > last);
        last = got;
    }
    for (double y = -999; y < 999; y += 0.137) {
        const double got = sal__approx_exp2(y);
        CHECK(fabs(got / exp2(y) - 1) < 0.005 && got > last_power);
        last_power = got;
    }
    CHECK(sal__approx_log2(1) == 0 && sal__approx_log2(0.25) == -2 && sal__approx_exp2(-3) == 0.125);
}

static uint64_t hash_in_one_piece(const void *bytes, size_t size, uint64_t seed) {
    sal__hasher h;
    sal__hasher_begin(&h, seed);
    sal__hasher_add(&h, bytes, size);
    return sal__hasher_end(&h);
}

/* The same bytes in pieces of any sizes. */
static void hashes_pieces_as_a_whole(void) {
    unsigned char bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(7 * i + 1);
    for (size_t size = 0; size <= sizeof bytes; size++)
        for (size_t piece = 1; piece < 70; piece += 3) {
            sal__hasher h;
            sal__hasher_begin(&h, size);
            for (size_t at = 0; at < size; at += piece)
                sal__hasher_add(&h, bytes + at, size - at < piece ? size - at : piece);
            CHECK(sal__hasher_end(&h) == hash_in_one_piece(bytes, size, size));
        }
}

/* Pieces that are copied and pieces that are only hashed, in turn. */
static void hashes_while_it_copies(void) {
    unsigned char bytes[400], copy[400];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(11 * i + 3);
    for (size_t size = 0; size <= sizeof bytes; size += 3)
        for (size_t piece = 1; piece < 200; piece += 7) {
            sal__hasher h;
            sal__hasher_begin(&h, size);
            memset(copy, 0, sizeof copy);
            for (size_t at = 0, k = 0; at < size; at += piece, k++) {
                const size_t count = size - at < piece ? size - at : piece;
                if (k % 3 == 2)
                    sal__hasher_add(&h, memcpy(copy + at, bytes + at, count), count);
                else
                    sal__hasher_copy(&h, copy + at, bytes + at, count);
            }
            CHECK(sal__hasher_end(&h) == hash_in_one_piece(bytes, size, size) && memcmp(copy, bytes, size) == 0);
            CHECK(size == sizeof copy || copy[size] == 0);
        }
}

/* Another bit, two sign bits, two numbers of the same sum, one byte more, or another seed. */
static void hashes_differ(void) {
    unsigned char bytes[401] = {0};
    const size_t size = sizeof bytes - 1;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i % 8 + i / 64);
    const uint64_t hash = hash_in_one_piece(bytes, size, 1);
    CHECK(hash_in_one_piece(bytes, size, 2) != hash && hash_in_one_piece(bytes, size + 1, 1) != hash);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(hash_in_one_piece(bytes, size, 1) != hash);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t i = 7; i < size; i += 8)
        for (size_t j = i + 8; j < size; j += 8) {
            bytes[i] ^= 0x80, bytes[j] ^= 0x80;
            CHECK(hash_in_one_piece(bytes, size, 1) != hash);
            bytes[i] ^= 0x80, bytes[j] ^= 0x80;
            const unsigned char kept = bytes[i];
            bytes[i] = (unsigned char)(bytes[i] + 1), bytes[j] = (unsigned char)(bytes[j] - 1);
            CHECK(hash_in_one_piece(bytes, size, 1) != hash);
            bytes[i] = kept, bytes[j] = (unsigned char)(bytes[j] + 1);
        }
}

int main(void) {
    hashes_differ();
    hashes_pieces_as_a_whole();
    hashes_while_it_copies();
    estimates_logarithms();
    names_every_status();
    cuts_notes_on_a_character();
    balances_its_memory();
    frees_a_pool_as_a_whole();
    measures_ulps();
    takes_roots();
    return check_summary();
}
