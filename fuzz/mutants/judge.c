/*
 * judge.c: plays the table on each mutant in turn and reports which cases kill it.
 *
 * The table is played once with all mutants asleep, to see on which mutants each case could differ
 * (mutant.h): on those it is played again, with the mutant awake.  Some processes take one mutant
 * after the other; one that crashes or never comes back is killed by the case under way, or, where
 * that is an attempt, if pairs.h says so.  First each case at its newest version, then, for who
 * survives that, at all others at which it takes another path through the code.  Mutants that few
 * cases come by go first, as they show best what those cases are for.
 *
 * `judge LIST MATRIX`      stops at a mutant's first kill, once each case has killed something.
 * `judge LIST MATRIX all`  plays all cases at their newest versions whatever they kill.
 * `judge LIST MATRIX few [CASE]`  stops at a mutant's first kill: which cases kill nothing is not
 *                          asked.  CASE: as `probetest run` takes it, only these are played.
 * `judge LIST MATRIX few-newest [CASE]`  the same, each case at its newest version alone.
 * `judge LIST MATRIX attempts`, `few-attempts [CASE]`  the same by attempts, for mutants of
 * core/handlers: attempts.h. `judge LIST MATRIX few-every-attempts [CASE]`  each on every attempt
 * that it could differ in.
 *
 * LIST has a line a mutant: number, name, place, sort, with tabs between.  MATRIX: number, cases
 * that kill, what LIST says; after that a line for each case that kills nothing, with number 0,
 * of those that were to judge.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fuzz/mutants/attempts.h"
#include "fuzz/mutants/campaign.h"
#include "fuzz/mutants/pairs.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE_CPU_MS 200
#define CRASHES_MAX 2 /* of one mutant; then it is dead enough */
#define NO_MUTANT SIZE_MAX
#define NO_CASE SIZE_MAX /* yet */
#define PERTURB 0x5a

int kp_mutant;
unsigned char kp_mutant_reached[KP_MUTANTS_MAX];
unsigned long kp_mutant_path;

/* ---- in the process of a mutant -------------------------------------------------------------- */

/* Its output goes to /dev/null, it dumps no core, and its memory is limited to what any case needs.
 */
static void be_quiet(const struct campaign *campaign)
{
    const struct rlimit none = {0, 0};
    const rlim_t bytes = (rlim_t)1 << (campaign->attempts ? 33 : 30); /* stacks of many threads */
    const struct rlimit memory = {bytes, bytes};
    int null = open("/dev/null", O_RDWR);

    mallopt(M_PERTURB, PERTURB); /* nothing is zero by luck */
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

static void note_kill(struct campaign *campaign, size_t mutant, size_t i)
{
    struct results *results = campaign->results;
    size_t n = atomic_fetch_add(&results->kill_count, 1);

    if (n < KILLS_MAX)
        results->kills[n] = (struct kill){(uint16_t)mutant, (uint16_t)i};
    results->is_dead[mutant] = 1;
    if (campaign->newest)
        results->has_killed[i] = 1;
}

/* The process ends after so much time; 0: it need not. */
static void limit_to(int clock, int ms)
{
    const struct itimerval limit = {.it_value = {ms / 1000, ms % 1000 * 1000}};

    setitimer(clock, &limit, NULL);
}

/* A red attempt leaves this process, which may be of no more use, to be judged by the next one. */
static enum mark play_attempt(struct campaign *campaign, struct bench *bench, size_t i)
{
    const struct kp_play apart = {kp_campaign_passes, campaign};

    if (bench->marks[i] == SUSPECT)
        return kp_is_guilty(&apart, i, kp_mutant) ? KILLED : PASSED;
    limit_to(ITIMER_REAL, campaign->limits_ms[i]);
    if (!kp_campaign_passes(campaign, i))
        _exit(1);
    limit_to(ITIMER_REAL, 0);
    return PASSED;
}

static enum mark play_case(struct campaign *campaign, size_t i)
{
    enum mark mark;

    limit_to(ITIMER_VIRTUAL, CASE_CPU_MS);
    mark = kp_campaign_passes(campaign, i) ? PASSED : KILLED;
    limit_to(ITIMER_VIRTUAL, 0);
    return mark;
}

static bool try_case(struct campaign *campaign, struct bench *bench, size_t i)
{
    if (bench->marks[i] == PASSED || bench->marks[i] == KILLED ||
        kp_is_newest(campaign, i) != campaign->newest)
        return false;
    bench->at = i;
    bench->marks[i] = (unsigned char)(kp_is_attempt(campaign, i) ? play_attempt(campaign, bench, i)
                                                                 : play_case(campaign, i));
    if (bench->marks[i] == KILLED)
        note_kill(campaign, bench->mutant, i);
    return bench->marks[i] == KILLED;
}

/* Cases that have killed nothing yet go first, and go whatever the others do; what judges beside
 * its own trial goes last. */
static void play(struct campaign *campaign, const struct mutant *mutant, struct bench *bench)
{
    const unsigned char *is_dead = &campaign->results->is_dead[bench->mutant];
    const uint16_t *differs_in = mutant->differs_in;
    size_t count = mutant->differs_count;

    for (size_t k = 0; campaign->newest && !campaign->few && k < count; k++)
        if (kp_is_ours(campaign, differs_in[k]) && !campaign->results->has_killed[differs_in[k]])
            try_case(campaign, bench, differs_in[k]);
    if (campaign->attempts && !campaign->every && count > ATTEMPTS_MAX)
        count = ATTEMPTS_MAX;
    for (size_t k = 0; k < count && (!*is_dead || campaign->all_kills); k++)
        if (kp_is_ours(campaign, differs_in[k]))
            try_case(campaign, bench, differs_in[k]);
    for (size_t k = 0; k < count && !*is_dead; k++)
        try_case(campaign, bench, differs_in[k]);
}

static bool has_business(const struct campaign *campaign, size_t m)
{
    const struct mutant *mutant = &campaign->mutants[m];

    return !campaign->results->is_dead[m] &&
           (mutant->differs_count > 0 || (!campaign->newest && mutant->differs_while_loading));
}

/* The next mutant that is to be tried, or none. */
static bool take(struct campaign *campaign, struct bench *bench)
{
    size_t next;

    do {
        next = atomic_fetch_add(&campaign->results->next, 1);
        bench->mutant = next < campaign->mutant_count ? campaign->order[next] : NO_MUTANT;
        if (bench->mutant == NO_MUTANT)
            return false;
    } while (!has_business(campaign, bench->mutant));
    memset(bench->marks, UNTRIED, campaign->selection.count);
    bench->at = NO_CASE;
    bench->crashes = 0;
    return true;
}

/* What a mutant has left behind must not be put down to the next one: with all asleep the case that
 * it failed last has to pass. */
static bool is_sane(struct campaign *campaign, const struct bench *bench)
{
    kp_mutant = 0;
    return !campaign->results->is_dead[bench->mutant] || kp_campaign_passes(campaign, bench->at);
}

static void judge(struct campaign *campaign, struct bench *bench)
{
    const struct mutant *mutant = &campaign->mutants[bench->mutant];
    bool reload = !campaign->newest && mutant->differs_while_loading;

    kp_mutant = mutant->number;
    if (reload && !kp_campaign_load(campaign))
        _exit(1);
    play(campaign, mutant, bench);
    if (campaign->attempts) /* the next one starts without what this one has left open or running */
        reload = campaign->results->is_dead[bench->mutant];
    else
        reload = reload || !is_sane(campaign, bench);
    bench->mutant = NO_MUTANT;
    if (reload)
        _exit(0);
}

/* ---- some at a time -------------------------------------------------------------------------- */

/* One mutant after the other in one process, until one crashes it; `again`: with the same one. */
static void start(struct campaign *campaign, struct bench *bench, bool again)
{
    pid_t pid;

    if (!again && !take(campaign, bench))
        return;
    pid = fork();
    if (pid != 0) {
        bench->pid = pid;
        return;
    }
    be_quiet(campaign);
    if (campaign->attempts)
        kp_keep_apart();
    do
        judge(campaign, bench);
    while (take(campaign, bench));
    _exit(0);
}

static void proceed(struct campaign *campaign, struct bench *bench)
{
    bool again = false;

    if (bench->mutant != NO_MUTANT && bench->at == NO_CASE) {
        note_kill(campaign, bench->mutant, 0); /* the table does not load, which is all cases' */
    } else if (bench->mutant != NO_MUTANT && kp_is_attempt(campaign, bench->at)) {
        bench->marks[bench->at] = bench->marks[bench->at] == UNTRIED ? SUSPECT : PASSED;
        again = true;
    } else if (bench->mutant != NO_MUTANT) {
        bench->marks[bench->at] = KILLED;
        note_kill(campaign, bench->mutant, bench->at);
        again = campaign->newest && ++bench->crashes < CRASHES_MAX;
    }
    start(campaign, bench, again);
}

static void judge_all(struct campaign *campaign)
{
    pid_t pid;

    campaign->results->next = 0;
    for (int job = 0; job < campaign->jobs; job++)
        start(campaign, &campaign->results->benches[job], false);
    while ((pid = wait(NULL)) > 0) {
        int job = 0;

        while (job < campaign->jobs && campaign->results->benches[job].pid != pid)
            job++;
        if (job == campaign->jobs)
            continue; /* what a mutant of a handler has left running */
        if (campaign->attempts)
            kp_end_orphans(pid);
        proceed(campaign, &campaign->results->benches[job]);
    }
}

/* ---- the list, and what is reported -------------------------------------------------------------
 */

static bool read_list(struct campaign *campaign, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[8192];

    while (file && fgets(line, sizeof line, file)) {
        char *tab = strchr(line, '\t');

        if (!tab || atoi(line) <= 0 || atoi(line) >= KP_MUTANTS_MAX)
            continue;
        line[strcspn(line, "\n")] = 0;
        campaign->mutants =
            realloc(campaign->mutants, (campaign->mutant_count + 1) * sizeof *campaign->mutants);
        campaign->mutants[campaign->mutant_count++] =
            (struct mutant){.number = atoi(line), .line = strdup(tab + 1)};
    }
    if (file)
        fclose(file);
    return campaign->mutant_count > 0;
}

/* Between pages that nobody may touch: a mutant that writes on and on dies before it gets there. */
static struct results *shared_results(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (sizeof(struct results) + page - 1) / page * page;
    char *at = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mprotect(at + page, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return (struct results *)(void *)(at + page);
}

static const char *error_of(const struct mutant *survivor)
{
    if (survivor->differs_count > 0)
        return "-";
    return survivor->met ? "(never differs)" : "(met by no case)";
}

static int by_mutant(const void *a, const void *b)
{
    const struct kill *l = a;
    const struct kill *r = b;

    return l->mutant != r->mutant ? (int)l->mutant - r->mutant : (int)l->by - r->by;
}

static void print_kill(const struct campaign *campaign, FILE *matrix, const struct kill *kill,
                       bool first)
{
    const struct cf_selected *one = &campaign->selection.list[kill->by];
    bool newest = kp_is_newest(campaign, kill->by);

    fprintf(matrix, "%s%s%s%s", first ? "" : " ", one->item->id.bytes, newest ? "" : "@",
            newest ? "" : one->version);
}

/* After each round: who interrupts the second one has the first. */
static bool tell(struct campaign *campaign)
{
    FILE *matrix = fopen(campaign->matrix_path, "w");
    struct results *results = campaign->results;
    size_t count = results->kill_count < KILLS_MAX ? results->kill_count : KILLS_MAX;
    size_t k = 0;

    if (!matrix)
        return false;
    qsort(results->kills, count, sizeof *results->kills, by_mutant);
    for (size_t m = 0; m < campaign->mutant_count; m++) {
        size_t first = k;

        fprintf(matrix, "%d\t", campaign->mutants[m].number);
        for (; k < count && results->kills[k].mutant == m; k++)
            print_kill(campaign, matrix, &results->kills[k], k == first);
        fprintf(matrix, "%s\t%s\n", k == first ? error_of(&campaign->mutants[m]) : "",
                campaign->mutants[m].line);
    }
    for (size_t i = 0; i < campaign->selection.count && !campaign->few; i++)
        if (kp_is_newest(campaign, i) && !results->has_killed[i] && kp_is_ours(campaign, i))
            fprintf(matrix, "0\t%s\n", campaign->selection.list[i].item->id.bytes);
    return fclose(matrix) == 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 3 ? argv[3] : "";
    struct campaign campaign = {.all_kills = strcmp(how, "all") == 0,
                                .few = strncmp(how, "few", 3) == 0,
                                .attempts = strstr(how, "attempts") != NULL,
                                .every = strstr(how, "every") != NULL,
                                .only = argc > 4 ? argv[4] : NULL,
                                .newest = true};

    if (argc < 3 || !read_list(&campaign, argv[1])) {
        fprintf(stderr,
                "usage: judge LIST MATRIX [all | few [CASE] | few-newest [CASE] | attempts | "
                "few-attempts [CASE] | few-every-attempts [CASE]]\n");
        return 2;
    }
    campaign.jobs = campaign.attempts ? JOBS_MAX : CASE_JOBS;
    campaign.matrix_path = argv[2];
    if (!kp_campaign_load(&campaign)) {
        cf_suite_print_faults(&campaign.suite);
        return 3;
    }
    campaign.results = shared_results();
    if (!campaign.results || campaign.selection.count > UINT16_MAX ||
        !kp_campaign_survey(&campaign))
        return 1;
    judge_all(&campaign);
    if (!tell(&campaign))
        return 3;
    if (campaign.attempts || strstr(how, "newest"))
        return 0;
    campaign.newest = false;
    campaign.all_kills = false;
    judge_all(&campaign);
    return tell(&campaign) ? 0 : 3;
}
