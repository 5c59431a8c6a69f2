/* Two peers in one program over a bad network, on a virtual clock: ten minutes pass in a second or two, and the same
 * seed always makes the same match. */
#ifndef MATCH_H
#define MATCH_H

#include "bot.h"
#include "net/network.h"
#include "net/peer.h"

/* What a peer has confirmed. */
typedef struct record {
    int frames, room;
    uint64_t *hash;             /* of the state after each frame */
    unsigned (*buttons)[SHIPS]; /* of each frame */
} record;

typedef struct match {
    network net;
    peer peer[SHIPS];
    bot bot[SHIPS];
    record record[SHIPS];
    double next[SHIPS]; /* s: when a peer plays its next frame */
    int64_t visits;     /* frames that the clock had time for */
} match;

/* Makes a match of `frames` frames, which match_end frees also after a failure. */
sal_status match_start(match *m, int frames, uint64_t seed);
void match_end(match *m);
/* The peer whose clock is first: match_visit(m) lets it receive, play a frame and send. */
int match_next(const match *m);
sal_status match_visit(match *m, unsigned buttons);
/* Plays until both have confirmed the first `frames` frames. */
sal_status match_play(match *m, int frames);
/* Returns the first frame whose hashes differ between the peers, or -1. */
int match_difference(const match *m);
/* Plays the confirmed buttons again, without a network; writes the last hash. */
sal_status match_replay(const match *m, uint64_t seed, uint64_t *hash);

#endif
