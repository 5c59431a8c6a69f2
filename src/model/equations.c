/* What is declared about the equations of a part: error weights, constraints, the mass matrix. */
#include <math.h>

#include "model.h"

static const char *const partition_names[] = {"q", "v", "z"};

sal_status sal_system_set_weight(sal_system *sys, sal_partition partition, int element, double weight, bool relative) {
    const sal_status status = sal__check_open_leaf(sys, "error weights");
    if (status != SAL_OK)
        return status;
    if ((unsigned)partition > SAL_Z)
        return SAL__REFUSE(sys, "error weights are of q, v and z, not of partition ",
                           sal__whole_number((int)partition).text, "; use SAL_Q, SAL_V or SAL_Z");
    if (element < 0 || element >= sys->size[partition])
        return SAL__REFUSE(sys, "the weight is of element ", sal__whole_number(element).text, " of ",
                           partition_names[partition], ", which has ", sal__whole_number(sys->size[partition]).text,
                           " numbers; declare the value first, and count from 0");
    if (!(weight >= 0))
        return SAL__REFUSE(sys, "the weight of element ", sal__whole_number(element).text, " of ",
                           partition_names[partition], " is ", sal__real_number(weight, 6).text,
                           "; use 1, or 0 where errors do not count");
    sys->weight[partition].item[element] = weight;
    sys->absolute[partition].item[element] = !relative || partition == SAL_Q;
    return SAL_OK;
}

sal_status sal_system_set_constraints(sal_system *sys, int constraints, int rates) {
    const sal_status status = sal__check_open_leaf(sys, "constraints");
    if (status != SAL_OK)
        return status;
    if (constraints < 0 || rates < 0)
        return SAL__REFUSE(sys, "it has ", sal__whole_number(constraints).text, " constraints and ",
                           sal__whole_number(rates).text, " rates; neither number can be negative");
    if (constraints > 0 && !sys->behaviour->constraints)
        return SAL__REFUSE(sys, "its constraints need the function constraints, which its class does not have; set "
                                ".constraints");
    if (rates > 0 && !sys->behaviour->constraint_rates)
        return SAL__REFUSE(sys, "its constraint rates need the function constraint_rates, which its class does not "
                                "have; set .constraint_rates, or declare 0 rates");
    sys->constraints.residuals = constraints;
    sys->constraints.rates = rates;
    return SAL_OK;
}

size_t sal__mass_bytes(const sal_system *sys) {
    const size_t n = (size_t)sal__continuous_size(sys);
    return n * n * sizeof(double);
}

static sal_status check_mass(sal_system *sys, const double *rows) {
    const sal_status status = sal__check_open_leaf(sys, "mass matrix");
    if (status != SAL_OK)
        return status;
    const int n = sal__continuous_size(sys);
    if (n == 0)
        return SAL__REFUSE(sys, "the mass matrix comes before the states; declare all q, v and z first");
    if (!rows)
        return SAL__REFUSE(sys, "the mass matrix is NULL; it has ", sal__whole_number((int64_t)n * n).text,
                           " numbers, row by row");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!isfinite(rows[(size_t)i * (size_t)n + (size_t)j]))
                return SAL__REFUSE(sys, "row ", sal__whole_number(i).text, ", column ", sal__whole_number(j).text,
                                   " of the mass matrix is not finite; its numbers must be");
    return SAL_OK;
}

sal_status sal_system_set_mass(sal_system *sys, const double *rows) {
    const sal_status status = check_mass(sys, rows);
    if (status != SAL_OK)
        return status;
    const size_t bytes = sal__mass_bytes(sys);
    if (!sys->mass)
        sys->mass = sal__alloc(&sys->mem, bytes);
    if (!sys->mass)
        return SAL_ENOMEM;
    memcpy(sys->mass, rows, bytes);
    return SAL_OK;
}
