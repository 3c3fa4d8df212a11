/* word_search_test.c: what people ask finds a rule, a word's row, or nothing. */
#include "conformance/table/word_search.h"
#include "fakes/unit.h"

#include <stdio.h>

/* A suite without cases: what a rule's cases add is no more than a point. */
static const struct cf_suite none;

static void a_sentence_finds_the_rule_that_says_most_of_it(void)
{
    static const struct {
        const char *words;
        enum kp_rule best; /* KP_RULE_NONE: none fits */
    } rows[] = {
        {"readiness during termination", KP_RULE_READINESS_IN_TERMINATION},
        {"image pull", KP_RULE_EVENT_PULLED},
        {"why is my pod killed", KP_RULE_PROBE_FAILURE_KILLS},
        {"readiness probe failed", KP_RULE_EVENT_PROBE_FAILED},
        {"Liveness probe failed: HTTP probe failed with statuscode: 503", KP_RULE_HTTP_STATUS_CODE},
        {"initialDelaySeconds", KP_RULE_INITIAL_DELAY},
        {"exit code 137", KP_RULE_KILL_GRACE},
        /* Marks are no letters. */
        {"during termination, readiness?", KP_RULE_READINESS_IN_TERMINATION},
        /* Half of the words are too few, and small words are none. */
        {"readiness of colours", KP_RULE_NONE},
        {"colours", KP_RULE_NONE},
        {"how does it get that", KP_RULE_NONE},
        {"my pod is slow", KP_RULE_NONE},
        {"", KP_RULE_NONE},
        {" ? ", KP_RULE_NONE},
        {"oo", KP_RULE_NONE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kp_rule rules[CF_FOUND_RULES_MAX] = {KP_RULE_NONE};
        size_t count = cf_search_rules(&none, kp_text_of(rows[i].words), rules);

        if (!CHECK_INT(count > 0, rows[i].best != KP_RULE_NONE) ||
            !CHECK_INT(rules[0], rows[i].best))
            printf("  %s\n", rows[i].words);
    }
}

/* The first that is among the words; an id is not made of words. */
static void a_word_is_found_among_others(void)
{
    static const struct {
        const char *words;
        const char *name; /* NULL: none */
    } rows[] = {
        {"why does my container restart?", "restart"},
        {"restarted", "restart"},
        {"restart-policy", NULL},
        {"^count-kills-next", NULL},
        {"a kill-switch", "kill"},
        {"back-off", "Back-off"},
        {"Back-off restarting failed container", "Back-off"},
        {"restartCount", "restartCount"},
        {"how long may my start take", "how long"},
        {"skill", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cf_word_row *row = cf_word_find(kp_text_of(rows[i].words));

        CHECK_STRING(row ? row->name : "", rows[i].name ? rows[i].name : "");
    }
}

const struct unit_test word_search_test[] = {
    {"a sentence finds the rule that says most of it",
     a_sentence_finds_the_rule_that_says_most_of_it},
    {"a word is found among others", a_word_is_found_among_others},
    {0},
};
