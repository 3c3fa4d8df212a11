#define _GNU_SOURCE /* accept4, struct ucred */
#include "own_socket.h"

#include <sys/socket.h>
#include <unistd.h>

int kp_own_listen(struct sockaddr_un *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t len = sizeof *name;

    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (fd >= 0 && bind(fd, (struct sockaddr *)name, sizeof name->sun_family) == 0 &&
        listen(fd, 1) == 0 && getsockname(fd, (struct sockaddr *)name, &len) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* From this process alone: others may connect to it, too. */
int kp_own_accept(int listener)
{
    for (;;) {
        struct ucred peer = {0};
        socklen_t len = sizeof peer;
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0 ||
            (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.pid == getpid()))
            return fd;
        close(fd);
    }
}
