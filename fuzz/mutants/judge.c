/*
 * judge.c: plays the table on each mutant in turn and tells which cases kill it.
 *
 * The table is played once with all mutants asleep, to see which mutants each case comes by: on
 * those it is played again, with the mutant awake, each mutant in a process of its own.  One that
 * crashes or never comes back is killed by the case under way.  First each case at its newest
 * version, then, for who survives that, at all others.
 *
 * `judge LIST MATRIX`      stops at a mutant's first kill, once each case has killed something.
 * `judge LIST MATRIX all`  plays all cases at their newest versions whatever they kill.
 *
 * LIST has a line a mutant: number, name, place, sort, with tabs between.  MATRIX: number, cases
 * that kill, what LIST says; after that a line for each case that kills nothing, with number 0.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "conformance/judge/run.h"
#include "conformance/table/selection.h"
#include "fuzz/mutants/mutant.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS 2
#define CASE_CPU_US 500000
#define CRASHES_MAX 2 /* of one mutant; then it is dead enough */

int kp_mutant;
unsigned char kp_mutant_met[KP_MUTANTS_MAX];

struct mutant {
    int number;
    char *line; /* name, place, sort */
    bool alive;
    bool met_while_loading;
    uint16_t *met_by; /* selected cases, ascending */
    size_t met_count;
};

enum mark { UNTRIED, PASSED, KILLED };

/* What the process of one mutant leaves for its parent to see. */
struct record {
    size_t at; /* the selected case under way */
    bool over;
    unsigned char marks[]; /* one a selected case */
};

struct trial {
    pid_t pid;
    struct mutant *mutant; /* NULL: none is under way */
    int crashes;
    struct record *record;
};

struct court {
    struct cf_suite suite;
    struct cf_selection selection; /* all cases at all versions */
    bool all_kills;
    bool newest; /* this round plays each case at its newest version; else at the others */
    struct mutant *mutants;
    size_t mutant_count;
    struct trial trials[JOBS];
    size_t record_bytes;
    bool *has_killed; /* one a selected case, counted at the newest version */
    FILE *matrix;
};

static bool is_newest(const struct court *court, size_t i)
{
    const struct cf_selected *list = court->selection.list;

    return i + 1 == court->selection.count || list[i].item != list[i + 1].item;
}

static bool load(struct court *court)
{
    cf_suite_init(&court->suite, cf_libc_mem());
    court->selection = (struct cf_selection){.arena = &court->suite.arena, .k8s = "all"};
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

/* ---- who comes by what ------------------------------------------------------------------------
 */

static void note_met(struct court *court, size_t i)
{
    for (size_t m = 0; m < court->mutant_count; m++) {
        struct mutant *mutant = &court->mutants[m];

        if (!kp_mutant_met[mutant->number])
            continue;
        if ((mutant->met_count & (mutant->met_count - 1)) == 0)
            mutant->met_by =
                realloc(mutant->met_by, (mutant->met_count * 2 + 1) * sizeof(uint16_t));
        mutant->met_by[mutant->met_count++] = (uint16_t)i;
    }
}

/* Without a mutant every case must pass. */
static bool survey(struct court *court)
{
    for (size_t m = 0; m < court->mutant_count; m++)
        court->mutants[m].met_while_loading = kp_mutant_met[court->mutants[m].number];
    for (size_t i = 0; i < court->selection.count; i++) {
        if (court->selection.list[i].item->kind == CF_SHOT)
            continue; /* real probes take real time, and are not what is mutated here */
        memset(kp_mutant_met, 0, sizeof kp_mutant_met);
        if (!passes(court, i)) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    court->selection.list[i].item->id.bytes);
            return false;
        }
        note_met(court, i);
    }
    return true;
}

/* ---- in the process of a mutant -------------------------------------------------------------- */

/* Deaf and without a core dump; with memory for any case, and no more. */
static void be_quiet(void)
{
    const struct rlimit none = {0, 0};
    const struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    int null = open("/dev/null", O_RDWR);

    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

static bool try_case(struct court *court, struct record *record, size_t i)
{
    const struct itimerval limit = {.it_value = {0, CASE_CPU_US}};

    if (record->marks[i] != UNTRIED || is_newest(court, i) != court->newest)
        return false;
    record->at = i;
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    record->marks[i] = passes(court, i) ? PASSED : KILLED;
    return record->marks[i] == KILLED;
}

/* Cases that have killed nothing yet go first, and go whatever the others do. */
static void play(struct court *court, const struct mutant *mutant, struct record *record)
{
    for (size_t k = 0; court->newest && k < mutant->met_count; k++)
        if (!court->has_killed[mutant->met_by[k]])
            try_case(court, record, mutant->met_by[k]);
    if (!memchr(record->marks, KILLED, court->selection.count) || court->all_kills)
        for (size_t k = 0; k < mutant->met_count; k++)
            if (try_case(court, record, mutant->met_by[k]) && !court->all_kills)
                break;
}

static void judge(struct court *court, struct trial *trial)
{
    fflush(court->matrix);
    trial->pid = fork();
    if (trial->pid != 0)
        return;
    be_quiet();
    kp_mutant = trial->mutant->number;
    /* A table that does not load under the mutant shows in the first case. */
    if (!court->newest && trial->mutant->met_while_loading && !load(court))
        _exit(1);
    play(court, trial->mutant, trial->record);
    trial->record->over = true;
    _exit(0);
}

/* ---- two at a time --------------------------------------------------------------------------- */

static void conclude(struct court *court, struct trial *trial)
{
    const unsigned char *marks = trial->record->marks;
    struct mutant *mutant = trial->mutant;
    const char *between = "";

    trial->mutant = NULL;
    mutant->alive = !memchr(marks, KILLED, court->selection.count);
    if (mutant->alive)
        return;
    fprintf(court->matrix, "%d\t", mutant->number);
    for (size_t i = 0; i < court->selection.count; i++) {
        const struct cf_selected *one = &court->selection.list[i];

        if (marks[i] != KILLED)
            continue;
        fprintf(court->matrix, "%s%s%s%s", between, one->item->id.bytes, court->newest ? "" : "@",
                court->newest ? "" : one->version);
        between = " ";
        court->has_killed[i] = true;
    }
    fprintf(court->matrix, "\t%s\n", mutant->line);
}

static bool has_business(const struct court *court, const struct mutant *mutant)
{
    return mutant->alive &&
           (mutant->met_count > 0 || (!court->newest && mutant->met_while_loading));
}

/* The next mutant that is to be tried, or none. */
static void start(struct court *court, struct trial *trial, size_t *next)
{
    while (*next < court->mutant_count && !has_business(court, &court->mutants[*next]))
        ++*next;
    trial->mutant = NULL;
    if (*next == court->mutant_count)
        return;
    memset(trial->record, 0, court->record_bytes);
    trial->mutant = &court->mutants[(*next)++];
    trial->crashes = 0;
    judge(court, trial);
}

static void go_on(struct court *court, struct trial *trial, size_t *next)
{
    if (!trial->record->over) {
        trial->record->marks[trial->record->at] = KILLED;
        trial->crashes++;
        if (court->newest && trial->crashes < CRASHES_MAX) {
            judge(court, trial);
            return;
        }
    }
    conclude(court, trial);
    start(court, trial, next);
}

static void judge_all(struct court *court)
{
    size_t next = 0;
    pid_t pid;

    for (int job = 0; job < JOBS; job++)
        start(court, &court->trials[job], &next);
    while ((pid = wait(NULL)) > 0)
        for (int job = 0; job < JOBS; job++)
            if (court->trials[job].mutant && court->trials[job].pid == pid)
                go_on(court, &court->trials[job], &next);
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
            (struct mutant){.number = atoi(line), .line = strdup(tab + 1), .alive = true};
    }
    if (file)
        fclose(file);
    return court->mutant_count > 0;
}

static void make_room(struct court *court)
{
    court->record_bytes = sizeof(struct record) + court->selection.count;
    court->has_killed = calloc(court->selection.count, sizeof *court->has_killed);
    for (int job = 0; job < JOBS; job++)
        court->trials[job].record = mmap(NULL, court->record_bytes, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void tell_rest(const struct court *court)
{
    for (size_t m = 0; m < court->mutant_count; m++)
        if (court->mutants[m].alive)
            fprintf(court->matrix, "%d\t%s\t%s\n", court->mutants[m].number,
                    court->mutants[m].met_count > 0 ? "-" : "(met by no case)",
                    court->mutants[m].line);
    for (size_t i = 0; i < court->selection.count; i++)
        if (is_newest(court, i) && !court->has_killed[i])
            fprintf(court->matrix, "0\t%s\n", court->selection.list[i].item->id.bytes);
}

int main(int argc, char **argv)
{
    struct court court = {.all_kills = argc == 4, .newest = true};

    if (argc < 3 || !read_list(&court, argv[1])) {
        fprintf(stderr, "usage: judge LIST MATRIX [all]\n");
        return 2;
    }
    court.matrix = fopen(argv[2], "w");
    if (!court.matrix || !load(&court)) {
        cf_suite_complain(&court.suite);
        return 3;
    }
    make_room(&court);
    if (!survey(&court))
        return 1;
    judge_all(&court);
    court.newest = false;
    court.all_kills = false;
    judge_all(&court);
    tell_rest(&court);
    return fclose(court.matrix) == 0 ? 0 : 3;
}
