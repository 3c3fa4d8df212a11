#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "attempts.h"

#include "pairs.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 3

/* ---- where they differ ----------------------------------------------------------------------- */

struct survey {
    atomic_size_t next;
    struct kp_attempt_row rows[];
};

static void survey_one(struct kp_attempt_row *row, size_t i, bool (*plays)(void *ctx, size_t i),
                       void *ctx)
{
    for (int tried = 0; tried < TRIES && !row->passed; tried++) {
        int64_t began_ms = kp_now_ms();

        memset(kp_mutant_reached, 0, sizeof kp_mutant_reached);
        row->passed = plays(ctx, i);
        row->took_ms = (int)(kp_now_ms() - began_ms);
    }
    memcpy(row->met, kp_mutant_reached, sizeof row->met);
}

const struct kp_attempt_row *kp_attempts_survey(int jobs, size_t count,
                                                bool (*plays)(void *ctx, size_t i), void *ctx)
{
    struct survey *survey = mmap(NULL, sizeof *survey + count * sizeof survey->rows[0],
                                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t i;

    if (survey == MAP_FAILED)
        return NULL;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int job = 0; job < jobs; job++) {
        if (fork() != 0)
            continue;
        kp_keep_apart();
        while ((i = atomic_fetch_add(&survey->next, 1)) < count)
            survey_one(&survey->rows[i], i, plays, ctx);
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    return survey->rows;
}

/* ---- in which order -------------------------------------------------------------------------- */

static void swap(uint16_t *a, uint16_t *b)
{
    uint16_t kept = *a;

    *a = *b;
    *b = kept;
}

void kp_attempts_prefer(uint16_t *attempts, size_t count, const double *rarity, size_t at,
                        size_t end)
{
    for (; at < end && at < count; at++)
        for (size_t k = at + 1; k < count; k++)
            if (rarity[attempts[k]] > rarity[attempts[at]])
                swap(&attempts[k], &attempts[at]);
}

void kp_attempts_spread(uint16_t *attempts, size_t count, size_t at, size_t end)
{
    for (size_t i = at; i < end && end < count; i++)
        swap(&attempts[i], &attempts[at + (i - at) * (count - at) / (end - at)]);
}
