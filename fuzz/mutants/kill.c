/*
 * kill.c: a mutant may signal any number: it reaches no group of its parent's, no process of
 * everybody's, and init least of all.  A test's own kill goes before this one.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((weak)) int kill(pid_t pid, int signal_number)
{
    if (pid == 0 || pid == 1 || pid == -1) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_kill, pid, signal_number);
}
