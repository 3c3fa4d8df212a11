#include "conformance/table/standing.h"

#include "conformance/table/index.h"
#include "conformance/table/list.h"

#include <string.h>

static const char folder[] = "contract/";

/* ---- tiers ----------------------------------------------------------------------------------- */

bool cf_case_in_contract(const struct cf_case *item)
{
    return kp_text_begins(item->topic, folder);
}

static bool shows_bug(const struct cf_case *item)
{
    for (size_t i = 0; cf_bug_at(i); i++)
        if (cf_bug_has(cf_bug_at(i), item))
            return true;
    return false;
}

enum kp_standing cf_case_standing(const struct cf_case *item)
{
    enum kp_standing weakest =
        cf_case_in_contract(item) ? KP_STANDING_CONTRACT : KP_STANDING_KUBELET;

    for (size_t i = 0; i < item->rule_count; i++)
        if (kp_rule_standing(item->rules[i]) > weakest)
            weakest = kp_rule_standing(item->rules[i]);
    return shows_bug(item) && !cf_case_in_contract(item) ? KP_STANDING_QUIRK : weakest;
}

bool cf_tier_has(enum cf_tier tier, const struct cf_case *item)
{
    static const enum kp_standing weakest[] = {
        [CF_TIER_EXACT] = KP_STANDING_QUIRK,
        [CF_TIER_KUBELET] = KP_STANDING_KUBELET,
        [CF_TIER_CONTRACT] = KP_STANDING_CONTRACT,
    };

    return weakest[tier] == KP_STANDING_QUIRK || cf_case_standing(item) <= weakest[tier];
}

/* ---- the contract as a document -------------------------------------------------------------- */

enum { WIDTH = 80 };

/* Words, broken before the edge; what follows a break stands `indent` columns in. */
static void put_wrapped(struct cf_out *out, struct kp_text text, size_t indent)
{
    size_t column = indent;

    while (text.len > 0) {
        const char *space = memchr(text.bytes, ' ', text.len);
        size_t len = space ? (size_t)(space - text.bytes) : text.len;

        if (column > indent && column + 1 + len > WIDTH) {
            cf_out_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            cf_out_put_char(out, ' ');
            column++;
        }
        cf_out_put(out, (struct kp_text){text.bytes, len});
        column += len;
        text.bytes += len + (space != NULL);
        text.len -= len + (space != NULL);
    }
    cf_out_put_char(out, '\n');
}

/* A family's name: the id up to its last dot, or all of it. */
static struct kp_text family_of(const struct cf_case *item)
{
    struct kp_text id = item->id;
    const char *dot = memchr(id.bytes, '.', id.len);

    return dot ? (struct kp_text){id.bytes, (size_t)(dot - id.bytes)} : id;
}

/* The family's sentence: a row's own stands behind a colon. */
static struct kp_text sentence_of(const struct cf_case *item)
{
    struct kp_text text = item->why;
    const char *colon = memchr(text.bytes, ':', text.len);

    if (family_of(item).len < item->id.len && colon)
        text.len = (size_t)(colon - text.bytes);
    return text;
}

static void put_evidence(struct cf_out *out, const struct cf_case *item)
{
    for (size_t i = 0; i < item->rule_count; i++) {
        struct cf_out line = {0};

        cf_out_printf(&line, "%s: %s", kp_rule_get(item->rules[i])->id,
                      kp_rule_evidence(item->rules[i]));
        cf_out_put_string(out, "      ");
        put_wrapped(out, cf_out_text(&line), 13);
        cf_out_deinit(&line);
    }
}

/* The cases from `first` on that are one family's; its name once, then how many rows it has. */
static size_t put_sentence(struct cf_out *out, const struct cf_case *first, size_t left,
                           int chapter, int number)
{
    struct kp_text family = family_of(first);
    struct cf_out head = {0};
    size_t count = 1;

    while (count < left && kp_text_equal(family_of(first + count), family))
        count++;
    cf_out_printf(&head, "%d.%d", chapter, number);
    cf_out_printf(out, "%-6.*s", KP_ARG(head));
    cf_out_deinit(&head);
    put_wrapped(out, sentence_of(first), 6);
    cf_out_printf(out, "      %.*s", KP_ARG(family));
    cf_out_printf(out, count > 1 ? ", %zu cases\n" : "\n", count);
    put_evidence(out, first);
    return count;
}

/* A topic's title is what its file is about. */
static void put_chapter(struct cf_out *out, const struct cf_case *item, int chapter)
{
    cf_out_printf(out, "%s%d. %.*s\n\n", chapter > 1 ? "\n" : "", chapter, KP_ARG(item->about));
}

/* The topics as a reader wants them; others stand behind them. */
static const char *const chapters[] = {"asking",   "fields",    "handlers", "thresholds",
                                       "startup",  "readiness", "liveness", "termination",
                                       "restarts", "sidecars"};

enum { CHAPTERS = sizeof chapters / sizeof chapters[0] };

/* Of a case of the contract, whose topic begins with its folder. */
static int chapter_of(const struct cf_case *item)
{
    const size_t skip = sizeof folder - 1;
    struct kp_text name = {item->topic.bytes + skip, item->topic.len - skip};
    int at = 0;

    while (at < CHAPTERS && !kp_text_equal(name, kp_text_of(chapters[at])))
        at++;
    return at;
}

size_t cf_put_contract(struct cf_out *out, const struct cf_suite *suite)
{
    struct kp_text topic = KP_TEXT_NONE;
    size_t count = 0;
    int chapter = 0;
    int number = 0;

    for (int at = 0; at <= CHAPTERS; at++)
        for (size_t i = 0; i < suite->case_count;) {
            const struct cf_case *item = &suite->cases[i];
            size_t taken = 1;

            if (cf_case_in_contract(item) && chapter_of(item) == at) {
                if (!kp_text_equal(item->topic, topic)) {
                    topic = item->topic;
                    number = 0;
                    put_chapter(out, item, ++chapter);
                }
                taken = put_sentence(out, item, suite->case_count - i, chapter, ++number);
                count += taken;
            }
            i += taken;
        }
    return count;
}

/* ---- what is missing ------------------------------------------------------------------------- */

static bool is_shown(const struct cf_suite *suite, enum kp_rule rule)
{
    for (size_t i = 0; i < suite->case_count; i++)
        if (cf_case_in_contract(&suite->cases[i]) && cf_case_shows(&suite->cases[i], rule))
            return true;
    return false;
}

size_t cf_contract_put_holes(struct cf_out *out, const struct cf_suite *suite)
{
    size_t count = 0;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        if (kp_rule_standing((enum kp_rule)rule) == KP_STANDING_CONTRACT &&
            !is_shown(suite, (enum kp_rule)rule)) {
            cf_out_printf(out, "%s: it is documented, and no case of contract/ shows it\n",
                          kp_rule_get((enum kp_rule)rule)->id);
            count++;
        }
    for (size_t i = 0; i < suite->case_count; i++)
        if (cf_case_in_contract(&suite->cases[i]) &&
            cf_case_standing(&suite->cases[i]) != KP_STANDING_CONTRACT) {
            cf_out_printf(out, "%.*s: a case of contract/ shows a rule that nothing promises\n",
                          KP_ARG(suite->cases[i].id));
            count++;
        }
    return count;
}
