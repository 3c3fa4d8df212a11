/* suite.c: the list of cases, found by their ids (suite_load.c reads a folder of them). */
#include "conformance/table/case.h"
#include "conformance/text/print.h"

#include <stdio.h>
#include <string.h>

/* The slot where a case of that id stands, or would. */
static uint32_t *slot_of(const struct cf_suite *suite, struct kp_text id)
{
    size_t at = (size_t)kp_text_hash(KP_HASH, id);

    for (;; at++) {
        uint32_t *slot = &suite->by_id[at & (2 * suite->case_room - 1)];

        if (*slot == 0 || kp_text_equal(suite->cases[*slot - 1].id, id))
            return slot;
    }
}

/* Of cases with the same id, which is a fault, the first one is found. */
static void index_case(struct cf_suite *suite, size_t i)
{
    uint32_t *slot = slot_of(suite, suite->cases[i].id);

    if (*slot == 0)
        *slot = (uint32_t)i + 1;
}

static bool make_room(struct cf_suite *suite)
{
    size_t room = suite->case_room > 0 ? 4 * suite->case_room : 512;
    struct cf_case *cases = cf_arena_array(&suite->arena, room, sizeof *cases);
    uint32_t *by_id = cf_arena_array(&suite->arena, 2 * room, sizeof *by_id);

    if (!cases || !by_id)
        return false;
    if (suite->case_count > 0)
        memcpy(cases, suite->cases, suite->case_count * sizeof *cases);
    suite->cases = cases;
    suite->by_id = by_id;
    suite->case_room = room;
    for (size_t i = 0; i < suite->case_count; i++)
        index_case(suite, i);
    return true;
}

void cf_suite_put(struct cf_suite *suite, const struct cf_case *item)
{
    if (suite->case_count == suite->case_room && !make_room(suite))
        return;
    suite->cases[suite->case_count] = *item;
    index_case(suite, suite->case_count++);
}

void cf_suite_deinit(struct cf_suite *suite)
{
    cf_arena_deinit(&suite->arena);
}

void cf_suite_print_faults(const struct cf_suite *suite)
{
    if (suite->arena.failed)
        fputs("probetest: out of memory\n", stderr);
    for (size_t i = 0; i < suite->fault_count; i++) {
        const struct cf_suite_fault *fault = &suite->faults[i];

        if (fault->at.line > 0)
            cf_print(stderr, "%s:%d:%d: ", fault->file, fault->at.line, fault->at.column);
        else /* the file as a whole */
            cf_print(stderr, "%s: ", fault->file);
        cf_print(stderr, "%.*s\n", KP_ARG(fault->message));
    }
}

const struct cf_case *cf_suite_find(const struct cf_suite *suite, struct kp_text id)
{
    uint32_t found = suite->case_room > 0 ? *slot_of(suite, id) : 0;

    return found > 0 ? &suite->cases[found - 1] : NULL;
}
