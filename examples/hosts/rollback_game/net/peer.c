#include "peer.h"

#include <limits.h>

sal_status peer_start(peer *p, int player, uint64_t seed) {
    *p = (peer){.player = player, .wrong_from = INT_MAX, .differs_at = -1};
    for (int ship = 0; ship < SHIPS; ship++) /* nothing is pressed before the first buttons count */
        p->known[ship] = INPUT_DELAY;
    return timeline_new(seed, &p->game);
}

void peer_end(peer *p) {
    timeline_free(p->game);
}

static int other(const peer *p) {
    return 1 - p->player;
}

/* ---- the other's packets ---- */

/* Frames that are played already were played with a prediction. */
static void learn(peer *p, int frame, unsigned buttons) {
    if (frame >= timeline_frame(p->game) + HISTORY / 2)
        return; /* no peer is that far ahead */
    unsigned *slot = &p->buttons[other(p)][frame % HISTORY];
    if (frame < timeline_frame(p->game) && *slot != buttons && frame < p->wrong_from)
        p->wrong_from = frame;
    *slot = buttons;
    p->known[other(p)] = frame + 1;
}

static void compare(peer *p, int frame, uint64_t hash) {
    if (frame > p->confirmed || frame <= p->confirmed - HISTORY || frame < 1)
        return;
    p->count.compared++;
    if (p->hash[frame % HISTORY] != hash && p->differs_at < 0)
        p->differs_at = frame;
}

void peer_receive(peer *p, const unsigned char *bytes, size_t size) {
    packet in;
    if (!packet_read(&in, bytes, size) || in.frame < p->other_frame)
        return; /* newer packets have all that this one has */
    p->other_frame = in.frame;
    p->other_lead = in.lead;
    p->other_confirmed = in.checked;
    if (in.acknowledged > p->acknowledged && in.acknowledged <= p->known[p->player])
        p->acknowledged = in.acknowledged;
    if (in.first <= p->known[other(p)])
        for (int i = p->known[other(p)] - in.first; i < in.count; i++)
            learn(p, in.first + i, in.buttons[i]);
    compare(p, in.checked, in.hash);
}

/* ---- frames ---- */

static sal_status play_frame(peer *p) {
    const int frame = timeline_frame(p->game);
    unsigned *predicted = &p->buttons[other(p)][frame % HISTORY];
    if (frame >= p->known[other(p)])
        *predicted = p->buttons[other(p)][(p->known[other(p)] - 1) % HISTORY];
    unsigned both[SHIPS];
    for (int ship = 0; ship < SHIPS; ship++)
        both[ship] = p->buttons[ship][frame % HISTORY];
    return timeline_play(p->game, both);
}

static sal_status correct(peer *p) {
    const int now = timeline_frame(p->game);
    if (p->wrong_from >= now)
        return SAL_OK;
    const int depth = now - p->wrong_from;
    p->count.rollbacks++;
    p->count.replayed += depth;
    p->count.deepest = depth > p->count.deepest ? depth : p->count.deepest;
    sal_status status = timeline_return_to(p->game, p->wrong_from);
    while (status == SAL_OK && timeline_frame(p->game) < now)
        status = play_frame(p);
    p->wrong_from = INT_MAX;
    return status;
}

static void confirm(peer *p) {
    while (p->confirmed < timeline_frame(p->game) && p->confirmed < p->known[other(p)]) {
        const int frame = p->confirmed++;
        const uint64_t hash = timeline_hash(p->game, p->confirmed);
        p->hash[p->confirmed % HISTORY] = hash;
        const unsigned both[] = {p->buttons[0][frame % HISTORY], p->buttons[1][frame % HISTORY]};
        if (p->on_confirmed)
            p->on_confirmed(p->user, frame, both, hash);
    }
}

static int lead(const peer *p) {
    return timeline_frame(p->game) - p->other_frame;
}

/* Both see the same delay, so half the difference of the leads is how far this clock is ahead. A peer that is a frame
 * ahead waits for one, so that both predict about as much. */
static bool is_ahead(peer *p) {
    p->ahead += (lead(p) - p->other_lead - p->ahead) / 64;
    if (p->ahead < 2)
        return false;
    p->ahead = 0;
    return true;
}

static bool must_wait(peer *p) {
    return is_ahead(p) || timeline_frame(p->game) >= p->known[other(p)] + FRAMES_BACK ||
           p->known[p->player] - p->acknowledged >= PACKET_INPUTS;
}

sal_status peer_play(peer *p, unsigned buttons) {
    sal_status status = correct(p);
    if (status == SAL_OK && must_wait(p)) {
        p->count.waits++;
    } else if (status == SAL_OK) {
        p->buttons[p->player][p->known[p->player]++ % HISTORY] = buttons;
        status = play_frame(p);
    }
    if (status == SAL_OK)
        confirm(p);
    return status;
}

sal_status peer_settle(peer *p) {
    const sal_status status = correct(p);
    if (status == SAL_OK)
        confirm(p);
    return status;
}

size_t peer_send(const peer *p, unsigned char *bytes) {
    packet out = {.frame = timeline_frame(p->game),
                  .lead = lead(p),
                  .acknowledged = p->known[other(p)],
                  .checked = p->confirmed,
                  .hash = p->hash[p->confirmed % HISTORY],
                  .first = p->acknowledged,
                  .count = p->known[p->player] - p->acknowledged};
    for (int i = 0; i < out.count; i++)
        out.buttons[i] = (uint8_t)p->buttons[p->player][(out.first + i) % HISTORY];
    return packet_write(&out, bytes);
}
