/* An explicit method while that is best, of an order that suits the accuracy, and an implicit one if the problem is
 * stiff: see method_switching.c. The values here hold for all of them. */
#include "methods.h"

static const sal_method *const parts[SAL__METHOD_KINDS] = {[SAL__ORDER_5] = &sal__tsitouras5,
                                                           [SAL__ORDER_8] = &sal__dormand_prince8,
                                                           [SAL__ONE_MATRIX] = &sal__rodas4,
                                                           [SAL__ITERATED] = &sal__radau5};

const sal_method sal__auto = {.name = "auto",
                              .order = 5,
                              .error_order = 5,
                              .dense_order = 3,
                              .dense_degree = 4,
                              .default_accuracy = 1e-6,
                              .loosest_accuracy = 1e-2,
                              .takes_mass = true,
                              .methods_by_kind = parts};
