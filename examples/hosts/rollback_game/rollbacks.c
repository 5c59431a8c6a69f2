#include "rollbacks.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/timeline.h"

enum { SEED = 7 };

/* Buttons change every eleventh frame; `salt` makes others. */
static sal_status play(timeline *game, uint64_t salt) {
    const int moment = timeline_frame(game) / 11;
    const uint64_t chance = sal_hash(&moment, sizeof moment, salt);
    return timeline_play(game, (unsigned[]){(unsigned)chance & 15, (unsigned)(chance >> 8) & 15});
}

static sal_status play_frames(timeline *game, int count, uint64_t salt) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < count; i++)
        status = play(game, salt);
    return status;
}

typedef struct tally {
    int elsewhere; /* detours that ended in another state */
    int differs;   /* frames of 8 after which the states differ */
    uint64_t straight, rolled_back;
} tally;

static sal_status one_rollback(timeline *straight, timeline *rolled, tally *t) {
    const int frame = timeline_frame(rolled);
    sal_status status = play_frames(rolled, FRAMES_BACK, SEED + 1);
    const uint64_t detour = timeline_hash(rolled, timeline_frame(rolled));
    if (status == SAL_OK)
        status = timeline_return_to(rolled, frame);
    if (status == SAL_OK)
        status = play_frames(rolled, FRAMES_BACK, SEED);
    if (status == SAL_OK)
        status = play_frames(straight, FRAMES_BACK, SEED);
    t->straight = timeline_hash(straight, timeline_frame(straight));
    t->rolled_back = timeline_hash(rolled, timeline_frame(rolled));
    t->elsewhere += detour != t->straight;
    t->differs += t->straight != t->rolled_back;
    return status;
}

bool rollbacks_test(int count) {
    timeline *straight = NULL, *rolled = NULL;
    tally t = {0};
    sal_status status = timeline_new(SEED, &straight);
    if (status == SAL_OK)
        status = timeline_new(SEED, &rolled);
    for (int i = 0; status == SAL_OK && i < count; i++)
        status = one_rollback(straight, rolled, &t);
    if (status == SAL_OK)
        printf("%d rollbacks of %d frames, %d of them from another state\nstraight    %016" PRIx64
               "\nrolled back %016" PRIx64 "\n%d differ\n",
               count, FRAMES_BACK, t.elsewhere, t.straight, t.rolled_back, t.differs);
    else
        fprintf(stderr, "%s\n", sal_status_text(status));
    timeline_free(straight);
    timeline_free(rolled);
    return status == SAL_OK && t.differs == 0;
}
