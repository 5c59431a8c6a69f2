/* What an integrator's next step hangs on, in an archive. */
#ifndef SAL_INTEGRATOR_SNAPSHOT_H
#define SAL_INTEGRATOR_SNAPSHOT_H

#include "base/archive.h"
#include "saltus/integrator.h"

/* integrator_snapshot.c. An archive that is loaded ends with the integrator's bytes: those of another configuration
 * are passed over, but for the step size. */
void sal__integrator_archive(sal__archive *a, sal_integrator *in);
/* implicit_snapshot.c: the Jacobian, the factors, and what the next step begins with. */
struct sal__implicit;
void sal__implicit_archive(sal__archive *a, struct sal__implicit *im);

#endif
