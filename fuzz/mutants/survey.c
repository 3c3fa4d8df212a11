/* survey.c: where a mutant could differ, and in which order it is tried. */
#include "fuzz/mutants/court.h"
#include "fuzz/mutants/pairs.h"
#include "fuzz/mutants/shots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOT_MS 10000 /* that a shot may take which was not played asleep */

static void keep_shots(struct court *court)
{
    size_t kept = 0;

    for (size_t i = 0; i < court->selection.count; i++)
        if (kp_is_shot(court, i))
            court->selection.list[kept++] = court->selection.list[i];
    court->selection.count = kept;
}

bool kp_court_load(struct court *court)
{
    cf_suite_init(&court->suite, cf_libc_mem());
    court->selection = (struct cf_selection){.arena = &court->suite.arena,
                                             .k8s = court->shots ? NULL : "all",
                                             .patterns = &court->only,
                                             .pattern_count = court->only != NULL};
    if (cf_suite_load(&court->suite, cf_cases_folder()) != KP_OK ||
        cf_select(&court->selection, &court->suite) != NULL)
        return false;
    if (court->shots)
        keep_shots(court);
    return true;
}

bool kp_court_passes(void *ctx, size_t i)
{
    const struct court *court = ctx;
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
        return kp_is_newest(court, i) || kp_is_oldest(court, i);
    return (met & KP_DIFFERED) && kp_is_ours(court, i) && (court->shots || !has_twin(court, i));
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
        if (kp_is_ours(court, i) ? !kp_court_passes(court, i) : !meet_borders(court, i)) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    court->selection.list[i].item->id.bytes);
            return false;
        }
        court->paths[i] = kp_mutant_path;
        note_met(court, i, kp_mutant_met);
    }
    return court->paths;
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
                                rarity, at, at + SHOTS_MAX / 4);
    }
}

/* Those to `at` at whose version few others are played. */
static void prefer_rare_versions(struct court *court, size_t at, double *rarity)
{
    const struct cf_selected *list = court->selection.list;

    for (size_t i = 0; i < court->selection.count; i++) {
        size_t same = 0;

        for (size_t k = 0; k < court->selection.count; k++)
            same += strcmp(list[k].version, list[i].version) == 0;
        rarity[i] = 1.0 / (double)same;
    }
    for (size_t m = 0; m < court->mutant_count; m++)
        kp_shots_prefer(court->mutants[m].differs_in, court->mutants[m].differs_count, rarity, at,
                        at + SHOTS_MAX / 4);
}

/* Of the shots that may show a mutant only some are played: those that see what others do not,
 * those of a version that few are played at, and some from all over the table. */
static bool order_shots(struct court *court)
{
    double *rarity = malloc(court->selection.count * sizeof *rarity);

    if (!rarity)
        return false;
    prefer_rare(court, ":", 0, rarity);
    prefer_rare(court, " ", SHOTS_MAX / 4, rarity);
    prefer_rare_versions(court, SHOTS_MAX / 2, rarity);
    for (size_t m = 0; m < court->mutant_count; m++)
        kp_shots_spread(court->mutants[m].differs_in, court->mutants[m].differs_count,
                        3 * SHOTS_MAX / 4, SHOTS_MAX);
    free(rarity);
    return true;
}

/* The same of shots, side by side.  What of their path hangs on time makes no difference. */
static bool survey_shots(struct court *court)
{
    const struct kp_shot_row *rows =
        kp_shots_survey(court->jobs, court->selection.count, kp_court_passes, court);

    for (size_t i = court->selection.count; rows && i-- > 0;) {
        if (!rows[i].passed) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    court->selection.list[i].item->id.bytes);
            return false;
        }
        court->limits_ms[i] = kp_limit_ms(rows[i].took_ms);
        note_met(court, i, rows[i].met);
    }
    return rows && order_shots(court);
}

/* A place where few cases come by shows best what those are for: it goes first. */
static bool order_mutants(struct court *court)
{
    size_t *order = calloc(court->mutant_count, sizeof *order);

    for (size_t m = 0, at; order && m < court->mutant_count; m++) {
        for (at = m; at > 0 &&
                     court->mutants[order[at - 1]].differs_count > court->mutants[m].differs_count;
             at--)
            order[at] = order[at - 1];
        order[at] = m;
    }
    court->order = order;
    return order != NULL;
}

static bool limit_shots(struct court *court)
{
    court->limits_ms = calloc(court->selection.count, sizeof *court->limits_ms);
    for (size_t i = 0; court->limits_ms && i < court->selection.count; i++)
        court->limits_ms[i] = SHOT_MS;
    return court->limits_ms != NULL;
}

bool kp_court_survey(struct court *court)
{
    return limit_shots(court) && (court->shots ? survey_shots(court) : survey(court)) &&
           order_mutants(court);
}
