/* One player's side of the game over a network, as in GGPO. Own buttons count a few frames after they are pressed, so
 * that they often arrive in time. What the other presses is predicted: the same as last. Where the prediction was
 * wrong, the peer returns to that frame and plays the frames since then again. */
#ifndef PEER_H
#define PEER_H

#include "packet.h"
#include "model/timeline.h"

enum { INPUT_DELAY = 2, HISTORY = 64 }; /* frames */

/* A frame is confirmed when the buttons of both are known for all frames before it. `hash` is that of the state after
 * it; `buttons` are those of the frame. */
typedef void (*peer_confirmed)(void *user, int frame, const unsigned buttons[SHIPS], uint64_t hash);

typedef struct peer {
    timeline *game;
    int player;
    unsigned buttons[SHIPS][HISTORY]; /* of frame f at f % HISTORY, predicted ones too */
    int known[SHIPS];                 /* buttons of all frames before this one are known */
    int acknowledged;                 /* the other has ours of all frames before this one */
    int wrong_from;                   /* the first frame that was played with a wrong prediction; INT_MAX: none */
    int confirmed, other_confirmed;   /* frames */
    uint64_t hash[HISTORY];           /* of the state before confirmed frame f, at f % HISTORY */
    int other_frame, other_lead;      /* of the newest packet */
    double ahead;                     /* frames by which this clock is ahead of the other's: a running mean, doubled */
    int differs_at;                   /* the first frame whose hash differs from the other's; -1: none */
    peer_confirmed on_confirmed;      /* may be NULL */
    void *user;
    struct {
        int rollbacks, deepest, waits, compared;
        int64_t replayed;
    } count;
} peer;

/* Makes the game of a player, 0 or 1. The seed is that of the other peer too. */
sal_status peer_start(peer *p, int player, uint64_t seed);
void peer_end(peer *p);

/* Takes the bytes of a packet of the other; others are ignored. */
void peer_receive(peer *p, const unsigned char *bytes, size_t size);
/* Corrects the past, then plays one frame with these buttons, if the other is not too far behind. */
sal_status peer_play(peer *p, unsigned buttons);
/* Corrects the past, and plays no frame. */
sal_status peer_settle(peer *p);
/* Writes the packet to send after each frame; returns its size. */
size_t peer_send(const peer *p, unsigned char *bytes);

#endif
