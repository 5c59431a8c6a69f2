#define _POSIX_C_SOURCE 200809L
#include "udp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct sockaddr_in address;

/* Binds to a port that is free, and writes the address. */
static int open_socket(address *here) {
    *here = (address){.sin_family = AF_INET};
    here->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof *here;
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (s < 0)
        return -1;
    if (bind(s, (struct sockaddr *)here, sizeof *here) == 0 && getsockname(s, (struct sockaddr *)here, &size) == 0 &&
        fcntl(s, F_SETFL, O_NONBLOCK) == 0)
        return s;
    close(s);
    return -1;
}

static bool is_connected(int socket, const address *to) {
    return connect(socket, (const struct sockaddr *)to, sizeof *to) == 0;
}

bool udp_open_pair(int socket[2]) {
    address at[2];
    for (int i = 0; i < 2; i++)
        socket[i] = open_socket(&at[i]);
    if (socket[0] >= 0 && socket[1] >= 0 && is_connected(socket[0], &at[1]) && is_connected(socket[1], &at[0]))
        return true;
    for (int i = 0; i < 2; i++)
        if (socket[i] >= 0)
            close(socket[i]);
    return false;
}

void udp_close(int socket) {
    close(socket);
}

/* A packet that cannot be sent is one more that is lost. */
void udp_send(int socket, const unsigned char *bytes, size_t size) {
    const ssize_t sent = send(socket, bytes, size, 0);
    (void)sent;
}

size_t udp_receive(int socket, unsigned char *bytes, size_t room) {
    const ssize_t size = recv(socket, bytes, room, 0);
    return size > 0 ? (size_t)size : 0;
}
