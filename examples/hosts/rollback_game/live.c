#define _POSIX_C_SOURCE 200809L
#include "live.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bot.h"
#include "net/network.h"
#include "net/peer.h"
#include "net/udp.h"

#define PATIENCE 5.0 /* s, for the other to start and to end */

enum { SEED = 7, GOODBYES = 30 /* packets after both are done: some are lost */ };

typedef struct live {
    peer peer;
    bot bot;
    network net;
    int socket, frames;
    double start; /* s */
    uint64_t last_hash;
} live;

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double t) {
    const double rest = t - clock_now();
    if (rest <= 0)
        return;
    const struct timespec pause = {(time_t)rest, (long)(1e9 * fmod(rest, 1))};
    nanosleep(&pause, NULL);
}

static void keep_hash(void *user, int frame, const unsigned buttons[SHIPS], uint64_t hash) {
    live *l = user;
    (void)buttons;
    if (frame == l->frames - 1)
        l->last_hash = hash;
}

static void receive(live *l, double now) {
    unsigned char bytes[PACKET_ROOM];
    for (size_t size = 0; (size = udp_receive(l->socket, bytes, sizeof bytes)) > 0;)
        network_send(&l->net, l->peer.player, now, bytes, size);
    for (size_t size = 0; (size = network_receive(&l->net, l->peer.player, now, bytes)) > 0;)
        peer_receive(&l->peer, bytes, size);
}

static sal_status tick(live *l, double now) {
    receive(l, now);
    const int frame = timeline_frame(l->peer.game);
    arena_view view;
    timeline_look(l->peer.game, &view);
    const sal_status status =
        frame < l->frames ? peer_play(&l->peer, bot_choose(&l->bot, frame, &view)) : peer_settle(&l->peer);
    unsigned char bytes[PACKET_ROOM];
    udp_send(l->socket, bytes, peer_send(&l->peer, bytes));
    return status;
}

static bool is_done(const live *l) {
    return l->peer.confirmed >= l->frames && l->peer.other_confirmed >= l->frames;
}

static sal_status play(live *l) {
    const double give_up = l->frames / (double)FRAMES_PER_SECOND + PATIENCE;
    sal_status status = SAL_OK;
    double now = 0;
    l->start = clock_now();
    for (int i = 0, after = 0; status == SAL_OK && after < GOODBYES && now < give_up; i++) {
        sleep_until(l->start + i / (double)FRAMES_PER_SECOND);
        now = clock_now() - l->start;
        status = tick(l, now);
        after += is_done(l);
    }
    return status;
}

static bool report(const live *l, sal_status status) {
    const peer *p = &l->peer;
    if (status != SAL_OK) {
        fprintf(stderr, "%s: %s\n", sal_status_text(status), timeline_trouble(p->game));
        return false;
    }
    if (!is_done(l)) {
        fprintf(stderr, "the other peer is silent: %d of %d frames are confirmed\n", p->confirmed, l->frames);
        return false;
    }
    printf("player %d: %d frames, %d rollbacks, deepest %d, %d waits, %" PRId64 " of %" PRIu64 " packets lost\n",
           p->player, p->confirmed, p->count.rollbacks, p->count.deepest, p->count.waits, l->net.lost, l->net.sent);
    if (p->differs_at >= 0)
        printf("the peers differ at frame %d\n", p->differs_at);
    else
        printf("%d hashes of the other are the same here; the last: %016" PRIx64 "\n", p->count.compared, l->last_hash);
    return p->differs_at < 0;
}

static bool play_peer(int player, int socket, double seconds) {
    live l = {.bot = {.seed = SEED + 1 + (uint64_t)player, .ship = player},
              .socket = socket,
              .frames = (int)(seconds * FRAMES_PER_SECOND)};
    network_start(&l.net, SEED + (uint64_t)player);
    sal_status status = peer_start(&l.peer, player, SEED);
    l.peer.on_confirmed = keep_hash;
    l.peer.user = &l;
    if (status == SAL_OK)
        status = play(&l);
    const bool good = report(&l, status);
    peer_end(&l.peer);
    udp_close(socket);
    return good;
}

static bool play_other(int socket, double seconds) {
    const bool good = play_peer(1, socket, seconds);
    fflush(stdout);
    _exit(!good);
}

bool live_play(double seconds) {
    int socket[2], ended = 1;
    if (!udp_open_pair(socket)) {
        fputs("no UDP sockets\n", stderr);
        return false;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        return play_other(socket[1], seconds);
    const bool good = play_peer(0, socket[0], seconds);
    udp_close(socket[1]);
    return child > 0 && waitpid(child, &ended, 0) == child && ended == 0 && good;
}
