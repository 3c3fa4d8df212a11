#define _GNU_SOURCE /* nftw */

#include "conformance/protocol/scratch.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_AT_ONCE 16

static char folder[PATH_MAX]; /* "": there is none */
static char before[PATH_MAX]; /* what TMPDIR was; "": it was not set */

static int drop(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    remove(path);
    return 0; /* what cannot be removed keeps nothing else from it */
}

void cf_scratch_remove(const char *path)
{
    nftw(path, drop, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

void cf_scratch_begin(void)
{
    const char *given = getenv("TMPDIR");
    int len;

    if (folder[0])
        return;
    if (given == NULL)
        given = "";
    len = snprintf(folder, sizeof folder, "%s/probetest-XXXXXX", given[0] ? given : "/tmp");
    if (len < 0 || (size_t)len >= sizeof folder || mkdtemp(folder) == NULL) {
        folder[0] = '\0';
        return;
    }
    memcpy(before, given, strlen(given) + 1); /* shorter than the folder's name, which fits */
    setenv("TMPDIR", folder, 1);
}

void cf_scratch_end(void)
{
    if (!folder[0])
        return;
    cf_scratch_remove(folder);
    folder[0] = '\0';
    if (before[0])
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
}
