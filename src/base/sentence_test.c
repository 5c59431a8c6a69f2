/* Numbers as text against printf's, and cuts of texts. */
#include <stdio.h>

#include "sentence.h"
#include "test_check.h"

static uint64_t state = 1;

static uint64_t next_bits(void) { /* splitmix64 */
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void compare(double x) {
    for (int digits = 1; digits <= 17; digits++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%.*g", digits, x);
        const sal__number_text found = sal__real_number(x, digits);
        if (strcmp(found.text, wanted) != 0)
            printf("%s, not %s\n", found.text, wanted);
        CHECK(strcmp(found.text, wanted) == 0);
    }
}

static void numbers_are_those_of_printf(void) {
    const double special[] = {0,
                              -0.0,
                              1,
                              -1,
                              10,
                              99.5,
                              0.5,
                              2.5,
                              9.995,
                              0.0001,
                              0.00001,
                              1e15,
                              1e16,
                              1e17,
                              123456789,
                              5e-324,
                              2.2250738585072014e-308,
                              1.7976931348623157e308,
                              1e22,
                              1e23,
                              0x1p70,
                              0.1,
                              1.0 / 3,
                              999999.5,
                              1e5,
                              100000.5,
                              4503599627370497.5};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        compare(special[i]);
    for (int i = 0; i < check_share(1000); i++) { /* of any exponent, and of the usual size */
        const double any = sal__from_bits(next_bits());
        if (isfinite(any))
            compare(any);
        compare((double)(int64_t)(next_bits() >> 40) / 1024 - 4000);
    }
    CHECK(strcmp(sal__real_number(NAN, 6).text, "NaN") == 0 && strcmp(sal__real_number(-NAN, 6).text, "NaN") == 0);
    CHECK(strcmp(sal__real_number(INFINITY, 6).text, "infinity") == 0);
    CHECK(strcmp(sal__real_number(-INFINITY, 6).text, "-infinity") == 0);
    CHECK(strcmp(sal__whole_number(INT64_MIN).text, "-9223372036854775808") == 0);
    CHECK(strcmp(sal__whole_number(0).text, "0") == 0 && strcmp(sal__whole_number(-17).text, "-17") == 0);
    CHECK(strcmp(sal__time_text(0.1).text, "0.1") == 0 && strcmp(sal__time_text(123456.25).text, "123456.25") == 0);
}

static void texts_are_cut_at_whole_characters(void) {
    char text[8];
    CHECK(sal__write_pieces(text, sizeof text, SAL__PIECES("abc", "", "def")) == 6 && strcmp(text, "abcdef") == 0);
    CHECK(sal__write_pieces(text, sizeof text, SAL__PIECES("abcd", "efgh")) == 8 && strcmp(text, "abcdefg") == 0);
    CHECK(sal__write_pieces(text, sizeof text, SAL__PIECES("abcdef", "\xC2\xB5")) == 8 && strcmp(text, "abcdef") == 0);
    CHECK(sal__write_pieces(text, sizeof text, SAL__PIECES("abcde\xC2\xB5", "!")) == 8 &&
          strcmp(text, "abcde\xC2\xB5") == 0);
    CHECK(sal__write_pieces(text, 1, SAL__PIECES("a")) == 1 && text[0] == '\0');
    CHECK(sal__write_pieces(NULL, 0, SAL__PIECES("abc")) == 3);
}

int main(void) {
    numbers_are_those_of_printf();
    texts_are_cut_at_whole_characters();
    return check_summary();
}
