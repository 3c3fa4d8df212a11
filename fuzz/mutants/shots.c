#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "shots.h"

#include "mutant.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 3
#define ROW_BYTES (KP_MUTANTS_MAX + 1) /* the first one says whether it passed */

/* ---- where they differ ----------------------------------------------------------------------- */

struct survey {
    atomic_size_t next;
    unsigned char rows[];
};

static void survey_one(struct survey *survey, size_t i, bool (*plays)(void *ctx, size_t i),
                       void *ctx)
{
    unsigned char *row = survey->rows + i * ROW_BYTES;

    for (int tried = 0; tried < TRIES && !row[0]; tried++) {
        memset(kp_mutant_met, 0, sizeof kp_mutant_met);
        row[0] = plays(ctx, i);
    }
    for (size_t m = 0; m < KP_MUTANTS_MAX; m++) /* most pages are never touched */
        if (kp_mutant_met[m])
            row[1 + m] = kp_mutant_met[m];
}

unsigned char *kp_shots_survey(int jobs, size_t count, bool (*plays)(void *ctx, size_t i),
                               void *ctx)
{
    struct survey *survey = mmap(NULL, sizeof *survey + count * ROW_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t i;

    if (survey == MAP_FAILED)
        return NULL;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int job = 0; job < jobs; job++) {
        if (fork() != 0)
            continue;
        kp_shots_keep_apart();
        while ((i = atomic_fetch_add(&survey->next, 1)) < count)
            survey_one(survey, i, plays, ctx);
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    return (unsigned char *)survey;
}

const unsigned char *kp_shots_met(const unsigned char *survey, size_t i)
{
    return ((const struct survey *)(const void *)survey)->rows + i * ROW_BYTES + 1;
}

bool kp_shots_fine(const unsigned char *survey, size_t i)
{
    return kp_shots_met(survey, i)[-1];
}

static void swap(uint16_t *a, uint16_t *b)
{
    uint16_t kept = *a;

    *a = *b;
    *b = kept;
}

void kp_shots_prefer(uint16_t *shots, size_t count, const double *rarity, size_t at, size_t end)
{
    for (; at < end && at < count; at++)
        for (size_t k = at + 1; k < count; k++)
            if (rarity[shots[k]] > rarity[shots[at]])
                swap(&shots[k], &shots[at]);
}

void kp_shots_spread(uint16_t *shots, size_t count, size_t at, size_t end)
{
    for (size_t i = at; i < end && end < count; i++)
        swap(&shots[i], &shots[at + (i - at) * (count - at) / (end - at)]);
}

/* ---- processes ------------------------------------------------------------------------------- */

void kp_shots_keep_apart(void)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* The session's number, or 0. */
static long session_of(long pid)
{
    char path[64];
    char text[512];
    size_t got;
    const char *end;
    long session = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    end = strrchr(text, ')');
    if (end && sscanf(end + 1, " %*c %*d %*d %ld", &session) != 1)
        session = 0;
    return session;
}

/* Those that are children of this process by now. */
static bool end_some_orphans(pid_t ended)
{
    char path[64];
    long pid;
    FILE *file;
    bool any = false;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "re");
    while (file && fscanf(file, "%ld", &pid) == 1)
        if (session_of(pid) == ended) {
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, 0);
            any = true;
        }
    if (file)
        fclose(file);
    return any;
}

void kp_shots_end_orphans(pid_t ended)
{
    while (end_some_orphans(ended))
        ; /* who ends leaves its own */
}
