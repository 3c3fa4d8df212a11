#include "own_socket.h"

#include "fakes/unit.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int dial(const struct sockaddr_un *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* A name that the kernel gave: a zero byte and five digits. */
    CHECK_INT(
        connect(fd, (const struct sockaddr *)name, offsetof(struct sockaddr_un, sun_path) + 6), 0);
    return fd;
}

/* Another process comes first, and is sent away. */
static void only_this_process_is_let_in(void)
{
    struct sockaddr_un name;
    int listener = kp_own_listen(&name);
    pid_t other = fork();
    int ours;
    int free_fd;
    int let_in;

    if (other == 0) {
        dial(&name);
        _exit(0);
    }
    CHECK_INT(waitpid(other, NULL, 0), other);
    ours = dial(&name);
    free_fd = dup(listener);
    close(free_fd);
    let_in = kp_own_accept(listener);
    CHECK_INT(let_in, free_fd); /* no other is held open */
    CHECK_INT(write(ours, "x", 1), 1);
    CHECK_INT(read(let_in, (char[1]){0}, 1), 1);
    CHECK_INT(kp_own_accept(listener), -1); /* nobody else waits */
    close(let_in);
    close(ours);
    close(listener);
}

const struct unit_test own_socket_test[] = {
    {"only this process is let in", only_this_process_is_let_in},
    {0},
};
