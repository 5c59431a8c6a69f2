/* The state that an integrator's next step depends on, in an archive. */
#ifndef SAL_INTEGRATOR_SNAPSHOT_H
#define SAL_INTEGRATOR_SNAPSHOT_H

#include "base/archive.h"
#include "saltus/integrator.h"

/* integrator_snapshot.c. The integrator's bytes are the last in an archive; those of another configuration are
 * skipped, except for the step size. */
void sal__integrator_archive(sal__archive *a, sal_integrator *in);
/* Gives a new integrator the settings that were changed since the other one, of the same configuration, was made. */
void sal__integrator_adopt_settings(sal_integrator *to, const sal_integrator *from);
/* Do both have the same method, steps and matrices? Then one takes the state of the other, as from its bytes. */
bool sal__integrator_is_alike(const sal_integrator *a, const sal_integrator *b);
void sal__integrator_copy(sal_integrator *to, const sal_integrator *from);
/* implicit_snapshot.c: the Jacobian, the factors, and the guesses for the next step. */
struct sal__implicit;
void sal__implicit_archive(sal__archive *a, struct sal__implicit *im);
void sal__implicit_copy(struct sal__implicit *to, const struct sal__implicit *from);

#endif
