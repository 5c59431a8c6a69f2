/* Tsitouras' pair while that is best, RODAS where the problem is stiff: stiffness.c
 * says when. Both begin every step afresh, so that a run goes on from its state, its step
 * size and a few counts alone. What is written here holds for both of them. */
#include "methods.h"

const sal_method sal__auto = {.name = "auto",
                              .order = 5,
                              .error_order = 5,
                              .dense_order = 3,
                              .dense_degree = 4,
                              .default_accuracy = 1e-6,
                              .loosest_accuracy = 1e-2,
                              .mild = &sal__tsitouras5,
                              .stiff = &sal__rodas4};
