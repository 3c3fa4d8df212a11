/*
 * preload.c: a libc that fails once, where it is told to; for LD_PRELOAD.
 *
 * $FAULT is KIND:N, and the N-th call of that kind, from 1, goes wrong: `alloc` finds no memory;
 * `write` finds no space; `short` writes one byte; `eintr` is interrupted, reading or writing.
 * $FAULT_REPORT is a file that gets, at the end, "calls live": how many calls of that kind there
 * were, and how many blocks were not given back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);
extern void __libc_free(void *block);

enum kind { NONE, ALLOC, WRITE, SHORT, EINTR_ };

static enum kind kind;
static long at;
static long calls;
static long live;

static int is_due(enum kind one)
{
    return kind == one && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == at;
}

void *malloc(size_t bytes)
{
    void *block = is_due(ALLOC) ? NULL : __libc_malloc(bytes);

    if (block)
        __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    else
        errno = ENOMEM;
    return block;
}

void *calloc(size_t count, size_t bytes)
{
    void *block = is_due(ALLOC) ? NULL : __libc_calloc(count, bytes);

    if (block)
        __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    else
        errno = ENOMEM;
    return block;
}

void *realloc(void *old, size_t bytes)
{
    void *block = is_due(ALLOC) ? NULL : __libc_realloc(old, bytes);

    if (block && !old)
        __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    if (!block)
        errno = ENOMEM;
    return block;
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
    void *block = is_due(ALLOC) ? NULL : __libc_memalign(align, bytes);

    if (!block)
        return ENOMEM;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    *out = block;
    return 0;
}

void free(void *block)
{
    if (block)
        __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    __libc_free(block);
}

static bool interrupted(void)
{
    if (!is_due(EINTR_))
        return false;
    errno = EINTR;
    return true;
}

static size_t shortened(size_t count)
{
    return count > 1 && is_due(SHORT) ? 1 : count;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    static ssize_t (*next)(int, const void *, size_t);

    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (is_due(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return interrupted() ? -1 : next(fd, bytes, shortened(count));
}

ssize_t read(int fd, void *bytes, size_t count)
{
    static ssize_t (*next)(int, void *, size_t);

    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    return interrupted() ? -1 : next(fd, bytes, shortened(count));
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const names[] = {"", "alloc", "write", "short", "eintr"};
    const char *said = getenv("FAULT");
    const char *colon = said ? strchr(said, ':') : NULL;

    for (int i = ALLOC; colon && i <= EINTR_; i++)
        if (strncmp(said, names[i], (size_t)(colon - said)) == 0)
            kind = (enum kind)i;
    at = colon ? atol(colon + 1) : 0;
    calls = live = 0;
    unsetenv("LD_PRELOAD"); /* whom we start is not told */
}

__attribute__((destructor)) static void end(void)
{
    const char *report = getenv("FAULT_REPORT");
    char line[64];
    int len = snprintf(line, sizeof line, "%ld %ld\n", calls, live);
    int fd = report ? open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    kind = NONE;
    if (fd >= 0 && write(fd, line, (size_t)len) != len)
        abort();
    if (fd >= 0)
        close(fd);
}
