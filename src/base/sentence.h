/* Texts made of pieces, without stdio and without the locale: for sentences about what was refused or failed. */
#ifndef SAL_SENTENCE_H
#define SAL_SENTENCE_H

#include "base.h"

/* Writes the pieces one after another, up to NULL. A text that is too long is cut at a whole UTF-8 character. Returns
 * the length that the whole text has. */
size_t sal__write_pieces(char *to, size_t room, const char *const *pieces);
#define SAL__PIECES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A number as a piece: `.text` lives as long as the expression in which it stands. */
typedef struct sal__number_text {
    char text[32];
} sal__number_text;

sal__number_text sal__whole_number(int64_t number);
/* As "%.<digits>g" with a decimal point, correctly rounded, 1 to 17 digits; or "NaN", "infinity", "-infinity". */
sal__number_text sal__real_number(double x, int digits);
/* A time in seconds, with the digits that it needs far from 0. */
sal__number_text sal__time_text(double t);

#endif
