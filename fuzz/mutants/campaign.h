/* campaign.h: who is judged, by which cases, and what has come of it: judge.c and survey.c. */
#pragma once

#include "conformance/judge/run.h"
#include "conformance/table/selection.h"
#include "fuzz/mutants/mutant.h"

#include <stdatomic.h>
#include <sys/types.h>

#define JOBS_MAX 48 /* of attempts, which mostly wait */
#define CASE_JOBS 4 /* of other cases, which compute, but for the attempts of borders */
#define KILLS_MAX ((size_t)1 << 22)
#define ATTEMPTS_MAX 64 /* that a mutant is tried on at first */

struct mutant {
    int number;
    char *line; /* name, place, sort */
    bool differs_while_loading;
    bool met;             /* a case comes by */
    uint16_t *differs_in; /* selected cases, the last one first */
    size_t differs_count;
};

/* SUSPECT: an attempt that was red, or did not come back; that counts if pairs.h says so. */
enum mark { UNTRIED, PASSED, SUSPECT, KILLED };

/* What a process under way leaves for its parent to see, should it not come back. */
struct bench {
    pid_t pid;
    size_t mutant; /* in the list, or NO_MUTANT */
    size_t at;     /* the selected case under way */
    int crashes;
    unsigned char marks[UINT16_MAX + 1]; /* one a selected case */
};

struct kill {
    uint16_t mutant;
    uint16_t by; /* a selected case */
};

/* In memory that all processes share. */
struct results {
    atomic_size_t next; /* the mutant that nobody has taken yet */
    atomic_size_t kill_count;
    struct kill kills[KILLS_MAX];
    unsigned char is_dead[KP_MUTANTS_MAX]; /* one a mutant of the list */
    unsigned char
        has_killed[UINT16_MAX + 1]; /* one a selected case, counted at the newest version */
    struct bench benches[JOBS_MAX];
};

struct campaign {
    struct cf_suite suite;
    struct cf_selection selection; /* all cases at all versions */
    bool all_kills;
    bool few;      /* cases that have killed nothing need not have their turn */
    char *only;    /* cases, or NULL: all */
    bool attempts; /* these alone, at their newest versions; else all but these */
    bool every;    /* of these a mutant is tried on more than ATTEMPTS_MAX */
    int jobs;
    bool newest; /* this round plays each case at its newest version; else at the others */
    struct mutant *mutants;
    size_t mutant_count;
    size_t *order; /* of the mutants: how they are tried */
    struct results *results;
    unsigned long *paths; /* one a selected case */
    int *limits_ms;       /* one a selected case: how long it may take, if an attempt */
    const char *matrix_path;
};

static inline bool kp_is_newest(const struct campaign *campaign, size_t i)
{
    const struct cf_selected *list = campaign->selection.list;

    return i + 1 == campaign->selection.count || list[i].item != list[i + 1].item;
}

static inline bool kp_is_oldest(const struct campaign *campaign, size_t i)
{
    return i == 0 || kp_is_newest(campaign, i - 1);
}

static inline bool kp_is_attempt(const struct campaign *campaign, size_t i)
{
    return campaign->selection.list[i].item->kind == CF_ATTEMPT;
}

/* Is it a case of this trial? */
static inline bool kp_is_ours(const struct campaign *campaign, size_t i)
{
    return kp_is_attempt(campaign, i) == campaign->attempts;
}

/* The table; false: it does not load. */
bool kp_campaign_load(struct campaign *campaign);

/* Of a campaign, as pairs.h and attempts.h ask it. */
bool kp_campaign_passes(void *campaign, size_t i);

/* Play the table with all mutants asleep, to see in which cases each could differ, and put the
 * mutants into an order.  False: a case is red, which it says, or there is no memory. */
bool kp_campaign_survey(struct campaign *campaign);
