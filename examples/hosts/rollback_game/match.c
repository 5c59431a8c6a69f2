#include "match.h"

#include <stdlib.h>

static void write_record(void *user, int frame, const unsigned buttons[SHIPS], uint64_t hash) {
    record *r = user;
    if (frame >= r->room)
        return;
    r->hash[frame] = hash;
    for (int ship = 0; ship < SHIPS; ship++)
        r->buttons[frame][ship] = buttons[ship];
    r->frames = frame + 1;
}

static sal_status start_peer(match *m, int player, int frames, uint64_t seed) {
    record *r = &m->record[player];
    r->hash = calloc((size_t)frames, sizeof *r->hash);
    r->buttons = calloc((size_t)frames, sizeof *r->buttons);
    if (!r->hash || !r->buttons)
        return SAL_ENOMEM;
    r->room = frames;
    m->bot[player] = (bot){.seed = seed + 1 + (uint64_t)player, .ship = player};
    const sal_status status = peer_start(&m->peer[player], player, seed);
    m->peer[player].on_confirmed = write_record;
    m->peer[player].user = r;
    return status;
}

sal_status match_start(match *m, int frames, uint64_t seed) {
    *m = (match){.next = {0, 0.007}};
    network_start(&m->net, seed);
    sal_status status = start_peer(m, 0, frames, seed);
    return status == SAL_OK ? start_peer(m, 1, frames, seed) : status;
}

void match_end(match *m) {
    for (int player = 0; player < SHIPS; player++) {
        peer_end(&m->peer[player]);
        free(m->record[player].hash);
        free(m->record[player].buttons);
    }
}

int match_next(const match *m) {
    return m->next[1] < m->next[0];
}

/* The clock of the second player is 0.1 % fast. */
static double frame_time(int player) {
    return (player == 0 ? 1.0 : 0.999) / FRAMES_PER_SECOND;
}

sal_status match_visit(match *m, unsigned buttons) {
    const int player = match_next(m);
    const double now = m->next[player];
    peer *p = &m->peer[player];
    unsigned char bytes[PACKET_ROOM];
    for (size_t size = 0; (size = network_receive(&m->net, player, now, bytes)) > 0;)
        peer_receive(p, bytes, size);
    const sal_status status = peer_play(p, buttons);
    network_send(&m->net, 1 - player, now, bytes, peer_send(p, bytes));
    m->next[player] += frame_time(player);
    m->visits++;
    return status;
}

sal_status match_play(match *m, int frames) {
    sal_status status = SAL_OK;
    while (status == SAL_OK && (m->peer[0].confirmed < frames || m->peer[1].confirmed < frames)) {
        const int player = match_next(m);
        const timeline *game = m->peer[player].game;
        arena_view view;
        timeline_look(game, &view);
        status = match_visit(m, bot_choose(&m->bot[player], timeline_frame(game), &view));
    }
    return status;
}

int match_difference(const match *m) {
    const record *a = &m->record[0], *b = &m->record[1];
    for (int frame = 0; frame < a->frames && frame < b->frames; frame++)
        if (a->hash[frame] != b->hash[frame])
            return frame;
    return -1;
}

sal_status match_replay(const match *m, uint64_t seed, uint64_t *hash) {
    timeline *game = NULL;
    const record *r = &m->record[0];
    sal_status status = timeline_new(seed, &game);
    for (int frame = 0; status == SAL_OK && frame < r->frames; frame++)
        status = timeline_play(game, r->buttons[frame]);
    if (status == SAL_OK)
        *hash = timeline_hash(game, r->frames);
    timeline_free(game);
    return status;
}
