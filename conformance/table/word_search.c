#include "conformance/table/word_search.h"

#include "conformance/table/rule_table.h"
#include "conformance/table/standing.h"

#include <ctype.h>
#include <string.h>

static const struct cf_word_row names[] = {
#define WORD(name, words, best, what) {name, words, KP_RULE_##best, what},
#include "conformance/table/words.def"
#undef WORD
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Ends a word here?  One of four letters and more may have an ending: restarts, restarted. */
static bool ends(struct kp_text text, size_t at, size_t word_len)
{
    for (int more = 0; word_len >= 4 && more < 3; more++)
        if (at < text.len && islower((unsigned char)text.bytes[at]))
            at++;
    return at == text.len || !is_letter(text.bytes[at]);
}

/* Whole words, without regard to case. */
static bool holds(struct kp_text text, struct kp_text word)
{
    for (size_t at = 0; at + word.len <= text.len; at++) {
        size_t k = 0;

        if (at > 0 && is_letter(text.bytes[at - 1]))
            continue;
        while (k < word.len &&
               tolower((unsigned char)text.bytes[at + k]) == tolower((unsigned char)word.bytes[k]))
            k++;
        if (k == word.len && ends(text, at + k, word.len))
            return true;
    }
    return false;
}

/* What stands at a word's ends: "statuscode:", "restarted?" */
static bool is_mark(char c)
{
    return c == ' ' || c == '?' || c == '!' || c == ',' || c == '.' || c == ':' || c == ';' ||
           c == '"' || c == '\'' || c == '(' || c == ')';
}

static bool next_word(struct kp_text *rest, struct kp_text *word)
{
    while (rest->len > 0 && is_mark(*rest->bytes))
        *rest = kp_text_from(*rest, 1);
    for (word->bytes = rest->bytes, word->len = 0; word->len < rest->len; word->len++)
        if (rest->bytes[word->len] == ' ')
            break;
    *rest = kp_text_from(*rest, word->len);
    while (word->len > 0 && is_mark(word->bytes[word->len - 1]))
        word->len--;
    return word->len > 0;
}

static bool is_in_rule(const struct kp_rule_row *row, struct kp_text word)
{
    return holds(kp_text_of(row->sentence), word) || holds(kp_text_of(row->place), word);
}

/* Ten for each word that stands in the sentence or the place. */
static int score_words(const struct kp_rule_row *row, struct kp_text words)
{
    struct kp_text word;
    int score = 0;

    while (next_word(&words, &word))
        if (word.len > 2 && is_in_rule(row, word))
            score += 10;
    return score;
}

/* ---- a sentence ------------------------------------------------------------------------------ */

enum { WORDS_MAX = 16, RARE = 10, COMMON = 1 };

/* Those of its words that say what it is about, and how much each says: what is in many rules says
 * little. */
struct sentence {
    struct kp_text words[WORDS_MAX];
    int weights[WORDS_MAX];
    size_t count;
};

static bool is_said_of_anything(struct kp_text word)
{
    static const char *const said[] = {
        "and",   "are", "been", "but",  "can",  "did",   "does", "for",  "from", "get",  "gets",
        "had",   "has", "have", "how",  "into", "its",   "may",  "must", "not",  "our",  "should",
        "that",  "the", "them", "then", "they", "this",  "was",  "were", "what", "when", "where",
        "which", "who", "why",  "will", "with", "would", "you",  "your", NULL};

    return word.len <= 2 || kp_text_is_one_of(word, said);
}

static int weight_of(struct kp_text word)
{
    int rules = 0;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++)
        rules += is_in_rule(kp_rule_get((enum kp_rule)rule), word);
    return rules > KP_RULES / 10 ? COMMON : RARE;
}

static struct sentence sentence_of(struct kp_text words)
{
    struct sentence sentence = {0};
    struct kp_text word;

    while (sentence.count < WORDS_MAX && next_word(&words, &word)) {
        if (is_said_of_anything(word))
            continue;
        sentence.weights[sentence.count] = weight_of(word);
        sentence.words[sentence.count++] = word;
    }
    return sentence;
}

/* 0: it has no more than half of them. */
static int score_sentence(const struct kp_rule_row *row, const struct sentence *sentence)
{
    size_t found = 0;
    int score = 0;

    for (size_t i = 0; i < sentence->count; i++)
        if (is_in_rule(row, sentence->words[i])) {
            score += sentence->weights[i];
            found++;
        }
    return 2 * found > sentence->count ? score : 0;
}

/* An id, which is no sentence with words in it: ^count-kills-next */
static bool is_id(struct kp_text words)
{
    return memchr(words.bytes, '-', words.len) && !memchr(words.bytes, ' ', words.len);
}

const struct cf_word_row *cf_word_find(struct kp_text words)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (holds(words, kp_text_of(names[i].name)) &&
            (!is_id(words) || words.len == strlen(names[i].name)))
            return &names[i];
    return NULL;
}

static int score_of(enum kp_rule rule, struct kp_text words, const struct sentence *sentence)
{
    const struct kp_rule_row *row = kp_rule_get(rule);
    const struct cf_word_row *word = cf_word_find(words);
    int score = score_sentence(row, sentence);

    if (sentence->count > 0 && holds(kp_text_of(row->sentence), words))
        score += 50;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!holds(words, kp_text_of(names[i].name)))
            continue;
        score += score_words(row, kp_text_of(names[i].words));
    }
    return score + (word && rule == word->best ? 200 : 0);
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
    const struct sentence sentence = sentence_of(words);
    int scores[CF_FOUND_RULES_MAX];
    size_t count = 0;

    for (int rule = KP_RULE_NONE + 1; rule < KP_RULES; rule++) {
        int score = score_of((enum kp_rule)rule, words, &sentence);

        if (score > 0 && cf_rule_case_next(suite, (enum kp_rule)rule, NULL))
            score++;
        if (score > 0)
            insert(rules, scores, &count, (enum kp_rule)rule, score);
    }
    return count;
}

static bool says_all(struct kp_text text, struct kp_text words)
{
    struct kp_text word;

    while (next_word(&words, &word))
        if (!holds(text, word))
            return false;
    return true;
}

/* What the documentation promises first, defaults and validation last. */
static int rank_of(const struct cf_case *item)
{
    char letter = kp_rule_get(item->rules[0])->id[0];

    if (letter == 'D' || letter == 'V')
        return 2;
    return cf_case_in_contract(item) ? 0 : 1;
}

int cf_case_says(struct cf_arena *arena, const struct cf_case *item, struct kp_text words)
{
    const struct cf_word_row *row = cf_word_find(words);

    if (says_all(item->why, words) ||
        (row && row->words[0] && says_all(item->why, kp_text_of(row->words))))
        return rank_of(item);
    return says_all(cf_node_json(arena, item->node), words) ? CF_SAID_IN_DATA : -1;
}
