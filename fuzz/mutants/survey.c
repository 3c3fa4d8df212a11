/* survey.c: where a mutant could differ, and in which order it is tried. */
#include "fuzz/mutants/attempts.h"
#include "fuzz/mutants/campaign.h"
#include "fuzz/mutants/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPT_MS 10000 /* that an attempt may take which was not played asleep */

static void keep_attempts(struct campaign *campaign)
{
    size_t kept = 0;

    for (size_t i = 0; i < campaign->selection.count; i++)
        if (kp_is_attempt(campaign, i))
            campaign->selection.list[kept++] = campaign->selection.list[i];
    campaign->selection.count = kept;
}

bool kp_campaign_load(struct campaign *campaign)
{
    campaign->suite = (struct cf_suite){.arena.mem = cf_libc_mem()};
    campaign->selection = (struct cf_selection){.arena = &campaign->suite.arena,
                                                .k8s = campaign->attempts ? NULL : "all",
                                                .patterns = &campaign->only,
                                                .pattern_count = campaign->only != NULL};
    if (cf_suite_load(&campaign->suite, cf_cases_folder()) != KP_OK ||
        cf_select(&campaign->selection, &campaign->suite) != NULL)
        return false;
    if (campaign->attempts)
        keep_attempts(campaign);
    return true;
}

bool kp_campaign_passes(void *ctx, size_t i)
{
    const struct campaign *campaign = ctx;
    const struct cf_selected *one = &campaign->selection.list[i];
    struct cf_run run = {.mem = cf_libc_mem(), .seed = 1};
    struct cf_outcome outcome;
    struct cf_arena arena = {.mem = cf_libc_mem()};

    run.subject = cf_subject_new_engine(run.mem);
    cf_run_case(&run, one->item, kp_text_of(one->version), &arena, &outcome);
    cf_subject_free(run.subject);
    cf_arena_deinit(&arena);
    return cf_verdict_conforms(outcome.verdict);
}

/* At a later version the case took the very same path: it is not played twice. */
static bool has_twin(const struct campaign *campaign, size_t i)
{
    const struct cf_selected *list = campaign->selection.list;

    for (size_t k = i + 1; k < campaign->selection.count && list[k].item == list[i].item; k++)
        if (campaign->paths[k] == campaign->paths[i])
            return true;
    return false;
}

/* A border is the matter of the cases that begin or end beside it: who wants the same on both sides
 * does not ask about it. */
static bool may_differ(const struct campaign *campaign, size_t i, unsigned char met)
{
    if (met & KP_BORDER)
        return kp_is_newest(campaign, i) || kp_is_oldest(campaign, i);
    return (met & KP_DIFFERED) && kp_is_ours(campaign, i) &&
           (campaign->attempts || !has_twin(campaign, i));
}

static void note_met(struct campaign *campaign, size_t i, const unsigned char *met)
{
    for (size_t m = 0; m < campaign->mutant_count; m++) {
        struct mutant *mutant = &campaign->mutants[m];

        mutant->met = mutant->met || met[mutant->number];
        if (!may_differ(campaign, i, met[mutant->number]))
            continue;
        if ((mutant->differs_count & (mutant->differs_count - 1)) == 0)
            mutant->differs_in =
                realloc(mutant->differs_in, (mutant->differs_count * 2 + 1) * sizeof(uint16_t));
        mutant->differs_in[mutant->differs_count++] = (uint16_t)i;
    }
}

/* An attempt takes real time: of it the version is met alone, unless attempts are what judges. */
static bool meet_borders(const struct campaign *campaign, size_t i)
{
    struct kp_profile profile;

    return kp_profile_init(&profile, kp_text_of(campaign->selection.list[i].version)) == KP_OK;
}

/* Without a mutant every case must pass.  Newest versions first. */
static bool survey(struct campaign *campaign)
{
    campaign->paths = calloc(campaign->selection.count, sizeof *campaign->paths);
    for (size_t m = 0; m < campaign->mutant_count; m++)
        campaign->mutants[m].differs_while_loading =
            (kp_mutant_reached[campaign->mutants[m].number] & (KP_DIFFERED | KP_BORDER)) ==
            KP_DIFFERED;
    for (size_t i = campaign->selection.count; campaign->paths && i-- > 0;) {
        memset(kp_mutant_reached, 0, sizeof kp_mutant_reached);
        kp_mutant_path = 0;
        if (kp_is_ours(campaign, i) ? !kp_campaign_passes(campaign, i)
                                    : !meet_borders(campaign, i)) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    campaign->selection.list[i].item->id.bytes);
            return false;
        }
        campaign->paths[i] = kp_mutant_path;
        note_met(campaign, i, kp_mutant_reached);
    }
    return campaign->paths;
}

/* Where names begin alike up to `end`, a mutant's function or file is the same. */
static bool is_of_same(const struct mutant *a, const struct mutant *b, const char *end)
{
    size_t len = strcspn(a->line, end);

    return strncmp(a->line, b->line, len + 1) == 0;
}

/* For each mutant: of its attempts put those to `at` that go where few others go in its function,
 * or its file. */
static void prefer_rare(struct campaign *campaign, const char *end, size_t at, double *rarity)
{
    size_t next;

    for (size_t begin = 0; begin < campaign->mutant_count; begin = next) {
        memset(rarity, 0, campaign->selection.count * sizeof *rarity);
        for (next = begin; next < campaign->mutant_count &&
                           is_of_same(&campaign->mutants[begin], &campaign->mutants[next], end);
             next++)
            for (size_t k = 0; k < campaign->mutants[next].differs_count; k++)
                rarity[campaign->mutants[next].differs_in[k]] +=
                    1.0 / (double)campaign->mutants[next].differs_count;
        for (size_t m = begin; m < next; m++)
            if (campaign->mutants[m].differs_count > ATTEMPTS_MAX)
                kp_attempts_prefer(campaign->mutants[m].differs_in,
                                   campaign->mutants[m].differs_count, rarity, at,
                                   at + ATTEMPTS_MAX / 4);
    }
}

/* Those to `at` at whose version few others are played. */
static void prefer_rare_versions(struct campaign *campaign, size_t at, double *rarity)
{
    const struct cf_selected *list = campaign->selection.list;

    for (size_t i = 0; i < campaign->selection.count; i++) {
        size_t same = 0;

        for (size_t k = 0; k < campaign->selection.count; k++)
            same += strcmp(list[k].version, list[i].version) == 0;
        rarity[i] = 1.0 / (double)same;
    }
    for (size_t m = 0; m < campaign->mutant_count; m++)
        kp_attempts_prefer(campaign->mutants[m].differs_in, campaign->mutants[m].differs_count,
                           rarity, at, at + ATTEMPTS_MAX / 4);
}

/* Of the attempts that may show a mutant only some are played: those that see what others do not,
 * those of a version that few are played at, and some from all over the table. */
static bool order_attempts(struct campaign *campaign)
{
    double *rarity = malloc(campaign->selection.count * sizeof *rarity);

    if (!rarity)
        return false;
    prefer_rare(campaign, ":", 0, rarity);
    prefer_rare(campaign, " ", ATTEMPTS_MAX / 4, rarity);
    prefer_rare_versions(campaign, ATTEMPTS_MAX / 2, rarity);
    for (size_t m = 0; m < campaign->mutant_count; m++)
        kp_attempts_spread(campaign->mutants[m].differs_in, campaign->mutants[m].differs_count,
                           3 * ATTEMPTS_MAX / 4, ATTEMPTS_MAX);
    free(rarity);
    return true;
}

/* The same of attempts, side by side.  What of their path hangs on time makes no difference. */
static bool survey_attempts(struct campaign *campaign)
{
    const struct kp_attempt_row *rows =
        kp_attempts_survey(campaign->jobs, campaign->selection.count, kp_campaign_passes, campaign);

    for (size_t i = campaign->selection.count; rows && i-- > 0;) {
        if (!rows[i].passed) {
            fprintf(stderr, "judge: %s is red without any mutant\n",
                    campaign->selection.list[i].item->id.bytes);
            return false;
        }
        campaign->limits_ms[i] = kp_limit_ms(rows[i].took_ms);
        note_met(campaign, i, rows[i].met);
    }
    return rows && order_attempts(campaign);
}

/* A place where few cases come by shows best what those are for: it goes first. */
static bool order_mutants(struct campaign *campaign)
{
    size_t *order = calloc(campaign->mutant_count, sizeof *order);

    for (size_t m = 0, at; order && m < campaign->mutant_count; m++) {
        for (at = m; at > 0 && campaign->mutants[order[at - 1]].differs_count >
                                   campaign->mutants[m].differs_count;
             at--)
            order[at] = order[at - 1];
        order[at] = m;
    }
    campaign->order = order;
    return order != NULL;
}

static bool limit_attempts(struct campaign *campaign)
{
    campaign->limits_ms = calloc(campaign->selection.count, sizeof *campaign->limits_ms);
    for (size_t i = 0; campaign->limits_ms && i < campaign->selection.count; i++)
        campaign->limits_ms[i] = ATTEMPT_MS;
    return campaign->limits_ms != NULL;
}

bool kp_campaign_survey(struct campaign *campaign)
{
    return limit_attempts(campaign) &&
           (campaign->attempts ? survey_attempts(campaign) : survey(campaign)) &&
           order_mutants(campaign);
}
