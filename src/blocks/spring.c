/* Forces between two bodies: springs depend on their positions, dampers on their speeds. The law is the same on a
 * line and on an axis. */
#include "block.h"

enum { STIFFNESS, REST };

/* output1 acts on the body of input1; output2 is the reaction. */
static sal_status between(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *a = NULL, *b = NULL;
    sal_status status = sal__input(ctx, 0, &a);
    if (status == SAL_OK)
        status = sal__input(ctx, 1, &b);
    const bool rests = self->values.count > 3; /* springs have a rest length */
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        const double rest = rests ? sal__at(sal__param_each(self, ctx, REST), i) : 0;
        const double pull = sal__at(sal__param_each(self, ctx, STIFFNESS), i) * (b[i] - a[i] - rest);
        y[i] = port == 0 ? pull : -pull;
    }
    return status;
}

static void declare(sal__block_builder *b) {
    sal__add_numbers(b, SAL_INPUT, "input1", sal__size(b), 0);
    sal__add_numbers(b, SAL_INPUT, "input2", sal__size(b), 0);
    sal__add_numbered_output(b, 1, sal__size(b));
    sal__add_numbered_output(b, 2, sal__size(b));
}

#define STIFFNESS_OPTION(option_name, option_unit) \
    SAL_OPTION(SIGNAL, option_name, "stiffness or damping", .unit = option_unit, .required = true, \
               .rules = SAL_IS_NOT_NEGATIVE)

SAL_BLOCK(spring,
          SAL_OPTIONS(STIFFNESS_OPTION("stiffness", "N/m"),
                      SAL_OPTION(SIGNAL, "rest", "input2 - input1 without force", .unit = "m"), SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = between),
          .doc = "A spring between two positions; an input that is not connected is a wall.",
          .law = "output1 = stiffness (input2 - input1 - rest), output2 = -output1",
          .units = "input1=m input2=m output1=N output2=N", .time_invariant = true,
          .example = "saltus.blocks.spring { stiffness = 100, rest = 0.2 }");

SAL_BLOCK(damper, SAL_OPTIONS(STIFFNESS_OPTION("damping", "N s/m"), SAL_SIZE_OPTION), declare,
          SAL_FUNCTIONS(.output = between),
          .doc = "A damper between two speeds; an input that is not connected is a wall.",
          .law = "output1 = damping (input2 - input1), output2 = -output1",
          .units = "input1=m/s input2=m/s output1=N output2=N", .time_invariant = true,
          .example = "saltus.blocks.damper { damping = 5 }");

SAL_BLOCK(rotational_spring,
          SAL_OPTIONS(STIFFNESS_OPTION("stiffness", "N m/rad"),
                      SAL_OPTION(SIGNAL, "rest", "input2 - input1 without force", .unit = "rad"), SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = between),
          .doc = "A spring between two angles; an input that is not connected is a wall.",
          .law = "output1 = stiffness (input2 - input1 - rest), output2 = -output1",
          .units = "input1=rad input2=rad output1=N_m output2=N_m", .time_invariant = true,
          .example = "saltus.blocks.rotational_spring { stiffness = 10 }");

SAL_BLOCK(rotational_damper, SAL_OPTIONS(STIFFNESS_OPTION("damping", "N m s/rad"), SAL_SIZE_OPTION), declare,
          SAL_FUNCTIONS(.output = between),
          .doc = "A damper between two rates; an input that is not connected is a wall.",
          .law = "output1 = damping (input2 - input1), output2 = -output1",
          .units = "input1=rad/s input2=rad/s output1=N_m output2=N_m", .time_invariant = true,
          .example = "saltus.blocks.rotational_damper { damping = 0.5 }");
