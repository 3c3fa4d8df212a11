/*
 * judge.c: plays the table on each mutant in turn and tells which cases kill it.
 *
 * The table is played once with all mutants asleep, to see on which mutants each case could differ
 * (mutant.h): on those it is played again, with the mutant awake.  Two processes take one mutant
 * after the other; one that crashes or never comes back is killed by the case under way.  First
 * each case at its newest version, then, for who survives that, at all others at which it takes
 * another path through the code.
 *
 * `judge LIST MATRIX`      stops at a mutant's first kill, once each case has killed something.
 * `judge LIST MATRIX all`  plays all cases at their newest versions whatever they kill.
 * `judge LIST MATRIX few [CASE]`  stops at a mutant's first kill: which cases kill nothing is not
 *                          asked.  CASE: as `probetest run` takes it, only these are played.
 * `judge LIST MATRIX shots`, `few-shots [CASE]`  the same by shots, for mutants of core/handlers:
 *                          shots.h.
 *
 * LIST has a line a mutant: number, name, place, sort, with tabs between.  MATRIX: number, cases
 * that kill, what LIST says; after that a line for each case that kills nothing, with number 0,
 * of those that were to judge.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "conformance/judge/run.h"
#include "conformance/table/selection.h"
#include "fuzz/mutants/mutant.h"
#include "fuzz/mutants/shots.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX 24 /* of shots, which mostly wait; of other cases two */
#define CASE_CPU_US 200000
#define SHOT_CPU_S 5  /* of one that judges a border */
#define CRASHES_MAX 2 /* of one mutant; then it is dead enough */
#define KILLS_MAX ((size_t)1 << 22)
#define NO_MUTANT SIZE_MAX
#define PERTURB 0x5a
#define SHOT_S 10    /* of real time; no case has as much to wait for */
#define SHOTS_MAX 48 /* that a mutant is tried on */

int kp_mutant;
unsigned char kp_mutant_met[KP_MUTANTS_MAX];
unsigned long kp_mutant_path;

struct mutant {
    int number;
    char *line; /* name, place, sort */
    bool differs_while_loading;
    bool met;             /* a case comes by */
    uint16_t *differs_in; /* selected cases, the last one first */
    size_t differs_count;
};

enum mark { UNTRIED, PASSED, KILLED };

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
struct ledger {
    atomic_size_t next; /* the mutant that nobody has taken yet */
    atomic_size_t kill_count;
    struct kill kills[KILLS_MAX];
    unsigned char is_dead[KP_MUTANTS_MAX]; /* one a mutant of the list */
    unsigned char
        has_killed[UINT16_MAX + 1]; /* one a selected case, counted at the newest version */
    struct bench benches[JOBS_MAX];
};

struct court {
    struct cf_suite suite;
    struct cf_selection selection; /* all cases at all versions */
    bool all_kills;
    bool few;   /* cases that have killed nothing need not have their turn */
    char *only; /* cases, or NULL: all */
    bool shots; /* these alone; else all but these */
    int jobs;
    bool newest; /* this round plays each case at its newest version; else at the others */
    struct mutant *mutants;
    size_t mutant_count;
    struct ledger *ledger;
    unsigned long *paths; /* one a selected case */
    const char *matrix_path;
};

static bool is_newest(const struct court *court, size_t i)
{
    const struct cf_selected *list = court->selection.list;

    return i + 1 == court->selection.count || list[i].item != list[i + 1].item;
}

static bool is_oldest(const struct court *court, size_t i)
{
    return i == 0 || is_newest(court, i - 1);
}

static bool is_shot(const struct court *court, size_t i)
{
    return court->selection.list[i].item->kind == CF_SHOT;
}

/* Is it a case of this trial? */
static bool is_ours(const struct court *court, size_t i)
{
    return is_shot(court, i) == court->shots;
}

static bool load(struct court *court)
{
    cf_suite_init(&court->suite, cf_libc_mem());
    court->selection = (struct cf_selection){.arena = &court->suite.arena,
                                             .k8s = "all",
                                             .patterns = &court->only,
                                             .pattern_count = court->only != NULL};
    return cf_suite_load(&court->suite, cf_cases_folder()) == KP_OK &&
           cf_select(&court->selection, &court->suite) == NULL;
}

static bool passes(const struct court *court, size_t i)
{
    const struct cf_selected *one = &court->selection.list[i];
    struct cf_run run = {.mem = cf_libc_mem(), .seed = 1};
    struct cf_outcome outcome;
    struct cf_arena arena;

    cf_arena_init(&arena, cf_libc_mem());
    run.subject = cf_subject_new_engine(run.mem);
    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    cf_subject_free(run.subject);
    cf_arena_deinit(&arena);
    return cf_verdict_conforms(outcome.verdict);
}

/* ---- where it could differ ------------------------------------------------------------------- */

/* At a later version the case took the very same path: it is not played twice. */
static bool has_twin(const struct court *court, size_t i)
{
    const struct cf_selected *list = court->selection.list;

    for (size_t k = i + 1; k < court->selection.count && list[k].item == list[i].item; k++)
        if (court->paths[k] == court->paths[i])
            return true;
    return false;
}

/* A border is the matter of the cases that begin or end beside it: who wants the same on both sides
 * does not ask about it. */
static bool may_differ(const struct court *court, size_t i, unsigned char met)
{
    if (met & KP_BORDER)
        return is_newest(court, i) || is_oldest(court, i);
    return (met & KP_DIFFERED) && is_ours(court, i) && (court->shots || !has_twin(court, i));
}

static void note_met(struct court *court, size_t i, const unsigned char *met)
{
    for (size_t m = 0; m < court->mutant_count; m++) {
        struct mutant *mutant = &court->mutants[m];

        mutant->met = mutant->met || met[mutant->number];
        if (!may_differ(court, i, met[mutant->number]))
            continue;
        if ((mutant->differs_count & (mutant->differs_count - 1)) == 0)
            mutant->differs_in =
                realloc(mutant->differs_in, (mutant->differs_count * 2 + 1) * sizeof(uint16_t));
        mutant->differs_in[mutant->differs_count++] = (uint16_t)i;
    }
}

/* A shot takes real time: of it the version is met alone, unless shots are what judges. */
static bool meet_borders(const struct court *court, size_t i)
{
    struct kp_profile profile;

    return kp_profile_init(&profile, kp_text_of(court->selection.list[i].version)) == KP_OK;
}

/* Without a mutant every case must pass.  Newest versions first. */
static bool survey(struct court *court)
{
    court->paths = calloc(court->selection.count, sizeof *court->paths);
    for (size_t m = 0; m < court->mutant_count; m++)
        court->mutants[m].differs_while_loading =
            (kp_mutant_met[court->mutants[m].number] & (KP_DIFFERED | KP_BORDER)) == KP_DIFFERED;
    for (size_t i = court->selection.count; court->paths && i-- > 0;) {
        memset(kp_mutant_met, 0, sizeof kp_mutant_met);
        kp_mutant_path = 0;
        if (is_ours(court, i) ? !passes(court, i) : !meet_borders(court, i)) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    court->selection.list[i].item->id.bytes);
            return false;
        }
        court->paths[i] = kp_mutant_path;
        note_met(court, i, kp_mutant_met);
    }
    return court->paths;
}

static bool plays_newest_shot(void *ctx, size_t i)
{
    const struct court *court = ctx;

    return !is_ours(court, i) || !is_newest(court, i) || passes(court, i);
}

/* Where names begin alike up to `end`, a mutant's function or file is the same. */
static bool is_of_same(const struct mutant *a, const struct mutant *b, const char *end)
{
    size_t len = strcspn(a->line, end);

    return strncmp(a->line, b->line, len + 1) == 0;
}

/* For each mutant: of its shots put those to `at` that go where few others go in its function, or
 * its file. */
static void prefer_rare(struct court *court, const char *end, size_t at, double *rarity)
{
    size_t next;

    for (size_t begin = 0; begin < court->mutant_count; begin = next) {
        memset(rarity, 0, court->selection.count * sizeof *rarity);
        for (next = begin; next < court->mutant_count &&
                           is_of_same(&court->mutants[begin], &court->mutants[next], end);
             next++)
            for (size_t k = 0; k < court->mutants[next].differs_count; k++)
                rarity[court->mutants[next].differs_in[k]] +=
                    1.0 / (double)court->mutants[next].differs_count;
        for (size_t m = begin; m < next; m++)
            if (court->mutants[m].differs_count > SHOTS_MAX)
                kp_shots_prefer(court->mutants[m].differs_in, court->mutants[m].differs_count,
                                rarity, at, at + SHOTS_MAX / 3);
    }
}

/* Of the shots that may show a mutant only some are played: those that see what others do not, and
 * some from all over the table. */
static bool order_shots(struct court *court)
{
    double *rarity = malloc(court->selection.count * sizeof *rarity);

    if (!rarity)
        return false;
    prefer_rare(court, ":", 0, rarity);
    prefer_rare(court, " ", SHOTS_MAX / 3, rarity);
    for (size_t m = 0; m < court->mutant_count; m++)
        kp_shots_spread(court->mutants[m].differs_in, court->mutants[m].differs_count,
                        2 * SHOTS_MAX / 3, SHOTS_MAX);
    free(rarity);
    return true;
}

/* The same of shots, side by side.  What of their path hangs on time makes no difference. */
static bool survey_shots(struct court *court)
{
    unsigned char *met =
        kp_shots_survey(court->jobs, court->selection.count, plays_newest_shot, court);

    for (size_t i = court->selection.count; met && i-- > 0;) {
        if (!kp_shots_fine(met, i)) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    court->selection.list[i].item->id.bytes);
            return false;
        }
        if (is_ours(court, i) && is_newest(court, i))
            note_met(court, i, kp_shots_met(met, i));
    }
    return met != NULL && order_shots(court);
}

/* ---- in the process of a mutant -------------------------------------------------------------- */

/* Deaf and without a core dump; with memory for any case, and no more. */
static void be_quiet(const struct court *court)
{
    const struct rlimit none = {0, 0};
    const rlim_t bytes = (rlim_t)1 << (court->shots ? 33 : 30); /* stacks of many threads */
    const struct rlimit memory = {bytes, bytes};
    int null = open("/dev/null", O_RDWR);

    mallopt(M_PERTURB, PERTURB); /* nothing is zero by luck */
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

static void note_kill(struct court *court, size_t mutant, size_t i)
{
    struct ledger *ledger = court->ledger;
    size_t n = atomic_fetch_add(&ledger->kill_count, 1);

    if (n < KILLS_MAX)
        ledger->kills[n] = (struct kill){(uint16_t)mutant, (uint16_t)i};
    ledger->is_dead[mutant] = 1;
    if (court->newest)
        ledger->has_killed[i] = 1;
}

/* A shot that judges a border may miss because the machine is busy: then it does so without the
 * mutant, too. */
static bool turns_red(const struct court *court, size_t i)
{
    int awake = kp_mutant;
    bool red = !passes(court, i);

    if (red && !is_ours(court, i)) {
        kp_mutant = 0;
        red = passes(court, i);
        kp_mutant = awake;
    }
    return red;
}

static bool try_case(struct court *court, struct bench *bench, size_t i)
{
    const struct itimerval limit = {.it_value = {is_ours(court, i) ? 0 : SHOT_CPU_S, CASE_CPU_US}};

    if (bench->marks[i] != UNTRIED || is_newest(court, i) != court->newest)
        return false;
    bench->at = i;
    if (court->shots)
        alarm(SHOT_S);
    else
        setitimer(ITIMER_VIRTUAL, &limit, NULL);

    bench->marks[i] = turns_red(court, i) ? KILLED : PASSED;
    if (bench->marks[i] == KILLED)
        note_kill(court, bench->mutant, i);
    return bench->marks[i] == KILLED;
}

/* Cases that have killed nothing yet go first, and go whatever the others do. */
static void play(struct court *court, const struct mutant *mutant, struct bench *bench)
{
    size_t count = mutant->differs_count;

    for (size_t k = 0; court->newest && !court->few && k < count; k++)
        if (!court->ledger->has_killed[mutant->differs_in[k]])
            try_case(court, bench, mutant->differs_in[k]);
    if (court->shots && count > SHOTS_MAX)
        count = SHOTS_MAX;
    for (size_t k = 0; k < count; k++) {
        if (court->ledger->is_dead[bench->mutant] && !court->all_kills)
            return;
        try_case(court, bench, mutant->differs_in[k]);
    }
}

static bool has_business(const struct court *court, size_t m)
{
    const struct mutant *mutant = &court->mutants[m];

    return !court->ledger->is_dead[m] &&
           (mutant->differs_count > 0 || (!court->newest && mutant->differs_while_loading));
}

/* The next mutant that is to be tried, or none. */
static bool take(struct court *court, struct bench *bench)
{
    do {
        bench->mutant = atomic_fetch_add(&court->ledger->next, 1);
        if (bench->mutant >= court->mutant_count) {
            bench->mutant = NO_MUTANT;
            return false;
        }
    } while (!has_business(court, bench->mutant));
    memset(bench->marks, UNTRIED, court->selection.count);
    bench->crashes = 0;
    return true;
}

/* What a mutant has left behind must not be put down to the next one: with all asleep the case that
 * it failed last has to pass. */
static bool is_sane(struct court *court, const struct bench *bench)
{
    kp_mutant = 0;
    return !court->ledger->is_dead[bench->mutant] || passes(court, bench->at);
}

static void judge(struct court *court, struct bench *bench)
{
    const struct mutant *mutant = &court->mutants[bench->mutant];
    bool reload = !court->newest && mutant->differs_while_loading;

    kp_mutant = mutant->number;
    /* A table that does not load under the mutant shows in the first case. */
    if (reload && !load(court))
        _exit(1);
    play(court, mutant, bench);
    if (court->shots) /* the next one starts without what this one has left open or running */
        reload = court->ledger->is_dead[bench->mutant];
    else
        reload = reload || !is_sane(court, bench);
    bench->mutant = NO_MUTANT;
    if (reload)
        _exit(0);
}

/* ---- some at a time -------------------------------------------------------------------------- */

/* One mutant after the other in one process, until one crashes it; `again`: with the same one. */
static void start(struct court *court, struct bench *bench, bool again)
{
    pid_t pid;

    if (!again && !take(court, bench))
        return;
    pid = fork();
    if (pid != 0) {
        bench->pid = pid;
        return;
    }
    be_quiet(court);
    if (court->shots)
        kp_shots_keep_apart();
    do
        judge(court, bench);
    while (take(court, bench));
    _exit(0);
}

static void go_on(struct court *court, struct bench *bench)
{
    bool again = false;

    if (bench->mutant != NO_MUTANT) {
        bench->marks[bench->at] = KILLED;
        note_kill(court, bench->mutant, bench->at);
        again = court->newest && ++bench->crashes < CRASHES_MAX;
    }
    start(court, bench, again);
}

static void judge_all(struct court *court)
{
    pid_t pid;

    court->ledger->next = 0;
    for (int job = 0; job < court->jobs; job++)
        start(court, &court->ledger->benches[job], false);
    while ((pid = wait(NULL)) > 0) {
        int job = 0;

        while (job < court->jobs && court->ledger->benches[job].pid != pid)
            job++;
        if (job == court->jobs)
            continue; /* what a mutant of a handler has left running */
        if (court->shots)
            kp_shots_end_orphans(pid);
        go_on(court, &court->ledger->benches[job]);
    }
}

/* ---- the list, and what is told -----------------------------------------------------------------
 */

static bool read_list(struct court *court, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[8192];

    while (file && fgets(line, sizeof line, file)) {
        char *tab = strchr(line, '\t');

        if (!tab || atoi(line) <= 0 || atoi(line) >= KP_MUTANTS_MAX)
            continue;
        line[strcspn(line, "\n")] = 0;
        court->mutants =
            realloc(court->mutants, (court->mutant_count + 1) * sizeof *court->mutants);
        court->mutants[court->mutant_count++] =
            (struct mutant){.number = atoi(line), .line = strdup(tab + 1)};
    }
    if (file)
        fclose(file);
    return court->mutant_count > 0;
}

/* Between pages that nobody may touch: a mutant that writes on and on dies before it gets there. */
static struct ledger *shared_ledger(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (sizeof(struct ledger) + page - 1) / page * page;
    char *at = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mprotect(at + page, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return (struct ledger *)(void *)(at + page);
}

static const char *fate_of(const struct mutant *survivor)
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

static void tell_kill(const struct court *court, FILE *matrix, const struct kill *kill, bool first)
{
    const struct cf_selected *one = &court->selection.list[kill->by];
    bool newest = is_newest(court, kill->by);

    fprintf(matrix, "%s%s%s%s", first ? "" : " ", one->item->id.bytes, newest ? "" : "@",
            newest ? "" : one->version);
}

/* After each round: who interrupts the second one has the first. */
static bool tell(struct court *court)
{
    FILE *matrix = fopen(court->matrix_path, "w");
    struct ledger *ledger = court->ledger;
    size_t count = ledger->kill_count < KILLS_MAX ? ledger->kill_count : KILLS_MAX;
    size_t k = 0;

    if (!matrix)
        return false;
    qsort(ledger->kills, count, sizeof *ledger->kills, by_mutant);
    for (size_t m = 0; m < court->mutant_count; m++) {
        size_t first = k;

        fprintf(matrix, "%d\t", court->mutants[m].number);
        for (; k < count && ledger->kills[k].mutant == m; k++)
            tell_kill(court, matrix, &ledger->kills[k], k == first);
        fprintf(matrix, "%s\t%s\n", k == first ? fate_of(&court->mutants[m]) : "",
                court->mutants[m].line);
    }
    for (size_t i = 0; i < court->selection.count && !court->few; i++)
        if (is_newest(court, i) && !ledger->has_killed[i] && is_ours(court, i))
            fprintf(matrix, "0\t%s\n", court->selection.list[i].item->id.bytes);
    return fclose(matrix) == 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 3 ? argv[3] : "";
    struct court court = {.all_kills = strcmp(how, "all") == 0,
                          .few = strncmp(how, "few", 3) == 0,
                          .shots = strstr(how, "shots") != NULL,
                          .only = argc > 4 ? argv[4] : NULL,
                          .newest = true};

    if (argc < 3 || !read_list(&court, argv[1])) {
        fprintf(stderr, "usage: judge LIST MATRIX [all | few [CASE] | shots | few-shots [CASE]]\n");
        return 2;
    }
    court.jobs = court.shots ? JOBS_MAX : 2;
    court.matrix_path = argv[2];
    if (!load(&court)) {
        cf_suite_complain(&court.suite);
        return 3;
    }
    court.ledger = shared_ledger();
    if (!court.ledger || court.selection.count > UINT16_MAX ||
        !(court.shots ? survey_shots(&court) : survey(&court)))
        return 1;
    judge_all(&court);
    if (!tell(&court))
        return 3;
    if (court.shots)
        return 0;
    court.newest = false;
    court.all_kills = false;
    judge_all(&court);
    return tell(&court) ? 0 : 3;
}
