#include "conformance/table/word_search.h"

#include "conformance/table/rule_table.h"

#include <ctype.h>
#include <string.h>

/* How the sentences of rules speak of what users know by another name: the rule that says most of
 * it first. */
static const struct {
    const char *name;
    const char *words;
    enum kp_rule best;
} names[] = {
    {"initialDelaySeconds", "initial delay", KP_RULE_INITIAL_DELAY},
    {"httpHeaders", "header", KP_RULE_HEADER_CANONICAL},
    {"periodSeconds", "period", KP_RULE_TICKER_GRID},
    {"timeoutSeconds", "timeoutSeconds takes too long timeout", KP_RULE_TIMEOUT_SPAN},
    {"successThreshold", "threshold successes", KP_RULE_BELOW_THRESHOLD},
    {"failureThreshold", "threshold failures", KP_RULE_THRESHOLD_REACHED},
    {"terminationGracePeriodSeconds", "grace", KP_RULE_KILL_GRACE},
    {"restartPolicy", "restart policy restarted", KP_RULE_DELETED_POD_NO_RESTART},
    {"CrashLoopBackOff", "back-off window", KP_RULE_BACK_OFF_DOUBLES},
    {"livenessProbe", "liveness", KP_RULE_LIVENESS_KILL_RESETS_RUN},
    {"readinessProbe", "readiness ready", KP_RULE_READY_FROM_RESULT},
    {"startupProbe", "startup started", KP_RULE_STARTUP_FIRST},
    {"preStop", "preStop hook", KP_RULE_KILLING_EVENT_FIRST},
    {"httpGet", "HTTP request redirect", KP_RULE_HTTP_STATUS_CODE},
    {"tcpSocket", "TCP connect", KP_RULE_TCP_CONNECT},
    {"grpc", "gRPC", KP_RULE_GRPC_HEALTH_CHECK},
    {"exec", "exec exit code", KP_RULE_EXEC_EXIT_CODE},
};

/* Without regard to case. */
static bool holds(struct kp_text text, struct kp_text word)
{
    for (size_t at = 0; at + word.len <= text.len; at++) {
        size_t k = 0;

        while (k < word.len &&
               tolower((unsigned char)text.bytes[at + k]) == tolower((unsigned char)word.bytes[k]))
            k++;
        if (k == word.len)
            return true;
    }
    return false;
}

static bool next_word(struct kp_text *rest, struct kp_text *word)
{
    while (rest->len > 0 && *rest->bytes == ' ')
        *rest = (struct kp_text){rest->bytes + 1, rest->len - 1};
    for (word->bytes = rest->bytes, word->len = 0; word->len < rest->len; word->len++)
        if (rest->bytes[word->len] == ' ')
            break;
    *rest = (struct kp_text){rest->bytes + word->len, rest->len - word->len};
    return word->len > 0;
}

/* Ten for each word that stands in the sentence or the place. */
static int score_words(const struct kp_rule_row *row, struct kp_text words)
{
    struct kp_text word;
    int score = 0;

    while (next_word(&words, &word))
        if (word.len > 2 &&
            (holds(kp_text_of(row->sentence), word) || holds(kp_text_of(row->place), word)))
            score += 10;
    return score;
}

static int score_of(enum kp_rule rule, struct kp_text words)
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    int score = score_words(row, words);

    if (holds(kp_text_of(row->sentence), words))
        score += 50;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!holds(words, kp_text_of(names[i].name)))
            continue;
        score += score_words(row, kp_text_of(names[i].words));
        if (rule == names[i].best)
            score += 200;
    }
    return score;
}

static void insert(enum kp_rule *rules, int *scores, size_t *count, enum kp_rule rule, int score)
{
    size_t at = *count;

    while (at > 0 && scores[at - 1] < score)
        at--;
    if (at == CF_FOUND_RULES_MAX)
        return;
    if (*count < CF_FOUND_RULES_MAX)
        ++*count;
    memmove(&rules[at + 1], &rules[at], (*count - at - 1) * sizeof *rules);
    memmove(&scores[at + 1], &scores[at], (*count - at - 1) * sizeof *scores);
    rules[at] = rule;
    scores[at] = score;
}

size_t cf_search_rules(const struct cf_suite *suite, struct kp_text words,
                       enum kp_rule rules[CF_FOUND_RULES_MAX])
{
    int scores[CF_FOUND_RULES_MAX];
    size_t count = 0;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        int score = score_of((enum kp_rule)rule, words);

        if (score > 0 && cf_rule_case_next(suite, (enum kp_rule)rule, NULL))
            score++;
        if (score > 0)
            insert(rules, scores, &count, (enum kp_rule)rule, score);
    }
    return count;
}

bool cf_case_says(struct cf_arena *arena, const struct cf_case *item, struct kp_text words)
{
    struct kp_text json = cf_node_json(arena, item->node);
    struct kp_text word;

    while (next_word(&words, &word))
        if (!holds(item->why, word) && !holds(json, word))
            return false;
    return true;
}
