/* The state that an integrator's next step depends on, in an archive. */
#ifndef SAL_INTEGRATOR_SNAPSHOT_H
#define SAL_INTEGRATOR_SNAPSHOT_H

#include "base/archive.h"
#include "saltus/integrator.h"

/* integrator_snapshot.c. The integrator's bytes are the last in an archive; those of another configuration are
 * skipped, except for the step size. */
void sal__integrator_archive(sal__archive *a, sal_integrator *in);
/* implicit_snapshot.c: the Jacobian, the factors, and the guesses for the next step. */
struct sal__implicit;
void sal__implicit_archive(sal__archive *a, struct sal__implicit *im);

#endif
