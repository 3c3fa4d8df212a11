/* case_script.c: how the world answers, starts, stops and ends things, as a case says it. */
#include "conformance/table/case_read.h"
#include "conformance/table/fire_text.h"

#include <string.h>

/* ---- answers --------------------------------------------------------------------------------- */

static const struct answer_name {
    const char *name;
    char letter;
    enum kp_answer answer;
} answer_names[] = {
    {"success", '+', KP_ANSWER_SUCCESS}, {"failure", '-', KP_ANSWER_FAILURE},
    {"error", '!', KP_ANSWER_ERROR},     {"warning", 'w', KP_ANSWER_WARNING},
    {"unknown", 'u', KP_ANSWER_UNKNOWN}, {"timeout", 't', KP_ANSWER_TIMEOUT},
    {"broken", 'b', KP_ANSWER_BROKEN},
};

static const struct answer_name *find_answer(struct kp_text name, char letter)
{
    for (size_t i = 0; i < sizeof answer_names / sizeof *answer_names; i++)
        if (answer_names[i].letter == letter ||
            (!letter && kp_text_equal(kp_text_of(answer_names[i].name), name)))
            return &answer_names[i];
    return NULL;
}

static bool are_letters(struct kp_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!find_answer(KP_TEXT_NONE, word.bytes[i]))
            return false;
    return word.len > 0;
}

/* "error/error/success": the attempts of one execution. */
static bool take_attempts(struct kp_text word, struct fake_step *step)
{
    while (word.len > 0 && step->attempt_count < 3) {
        const char *slash = memchr(word.bytes, '/', word.len);
        size_t len = slash ? (size_t)(slash - word.bytes) : word.len;
        const struct answer_name *found = find_answer((struct kp_text){word.bytes, len}, '\0');

        if (!found)
            return false;
        step->attempts[step->attempt_count++] = found->answer;
        len += slash != NULL;
        word = kp_text_from(word, len);
    }
    return word.len == 0 && step->attempt_count > 0;
}

/* The words of one step: from `from` on, `count` of them. */
struct phrase {
    struct cf_reading *reading;
    const struct cf_line *line;
    size_t next;
    size_t end;
};

/* "until 30s" (of the instance's age) or "until @30s" (of the case). */
static bool take_until(struct phrase *phrase, struct fake_step *step)
{
    struct kp_text word = cf_line_word(phrase->line, phrase->next);

    step->until = FAKE_UNTIL_AGE;
    if (word.len > 0 && word.bytes[0] == '@') {
        step->until = FAKE_UNTIL_TIME;
        word = kp_text_from(word, 1);
    }
    if (cf_parse_duration(word, &step->bound))
        return true;
    cf_fault_at(phrase->reading, phrase->line->places[phrase->next - 1],
                "until: wanted a duration such as 30s (of the container) or @30s (of the case)");
    return false;
}

static bool take_times(struct phrase *phrase, struct fake_step *step)
{
    struct kp_text word = cf_line_word(phrase->line, phrase->next - 1);

    step->until = FAKE_TIMES;
    for (size_t i = 1; i < word.len; i++) {
        if (word.bytes[i] < '0' || word.bytes[i] > '9' || step->bound > 1000000)
            return false;
        step->bound = 10 * step->bound + (word.bytes[i] - '0');
    }
    return word.len > 1;
}

/* What stands behind the answer: its output, how long it takes, how often it is given. */
static bool take_option(struct phrase *phrase, struct fake_step *step)
{
    const struct cf_line *line = phrase->line;
    size_t at = phrase->next++;
    int64_t code;

    if (line->words[at].quoted) {
        step->output = cf_fire_expand(phrase->reading->arena, NULL, line->words[at].text);
        return true;
    }
    if (line->words[at].text.bytes[0] == 'x' && take_times(phrase, step))
        return true;
    if (phrase->next < phrase->end) {
        phrase->next++;
        if (cf_line_is(line, at, "in")) {
            step->takes_ns = cf_line_duration(phrase->reading, line, at + 1);
            return true;
        }
        phrase->next--;
        if (cf_line_is(line, at, "until")) {
            bool taken = take_until(phrase, step);

            phrase->next++;
            return taken;
        }
        if (cf_line_is(line, at, "code")) {
            phrase->next++;
            if (!cf_line_int(phrase->reading, line, at + 1, &code))
                return false;
            step->code = (int32_t)code;
            return true;
        }
    }
    cf_fault_at(phrase->reading, line->places[at],
                "'%.*s': wanted an output in quotes, in DURATION, xN, until DURATION or code N",
                KP_ARG(line->words[at].text));
    return false;
}

/* One phrase becomes a step, or one for each of its letters. */
static bool read_phrase(struct phrase *phrase, bool last, struct fake_step *steps, size_t *count)
{
    struct kp_text word = cf_line_word(phrase->line, phrase->next);
    struct fake_step step = {.until = FAKE_FOREVER};
    size_t first = phrase->next++;
    bool letters = are_letters(word);

    if (!letters && !cf_line_is(phrase->line, first, "never") && !take_attempts(word, &step)) {
        cf_fault_at(phrase->reading, phrase->line->places[first],
                    "'%.*s': wanted success, failure, error, warning, unknown, timeout, never or "
                    "letters of +-!wutb",
                    KP_ARG(word));
        return false;
    }
    while (phrase->next < phrase->end)
        if (!take_option(phrase, &step))
            return false;
    if (!letters) {
        if (step.until == FAKE_FOREVER && !last) {
            step.until = FAKE_TIMES;
            step.bound = 1;
        }
        steps[(*count)++] = step;
        return true;
    }
    for (size_t i = 0; i < word.len; i++) {
        struct fake_step *one = &steps[(*count)++];

        *one = step;
        one->attempts[0] = find_answer(KP_TEXT_NONE, word.bytes[i])->answer;
        one->attempt_count = 1;
        one->until = FAKE_TIMES;
        one->bound = 1;
    }
    return true;
}

/* A comma ends a phrase: it stands alone or at the end of a bare word. */
static bool ends_phrase(struct cf_line *line, size_t k)
{
    struct kp_text *word = &line->words[k].text;

    if (line->words[k].quoted || word->len < 2 || word->bytes[word->len - 1] != ',')
        return false;
    word->len--;
    return true;
}

bool cf_case_read_steps(struct cf_reading *reading, struct kp_text text, struct cf_place at,
                        struct fake_answers *answers)
{
    struct cf_line line;
    struct phrase phrase = {reading, &line, 0, 0};
    struct fake_step *steps = cf_arena_array(reading->arena, text.len + 1, sizeof *steps);
    size_t count = 0;

    if (!steps || !cf_line_split(reading, text, at, &line))
        return false;
    while (phrase.next < line.count) {
        size_t end = phrase.next;
        bool comma = false;

        while (end < line.count && !comma) {
            comma = cf_line_is(&line, end, ",");
            if (!comma) {
                comma = ends_phrase(&line, end);
                end++;
            }
        }
        phrase.end = end;
        if (!read_phrase(&phrase, end == line.count, steps, &count))
            return false;
        phrase.next = end + cf_line_is(&line, end, ",");
    }
    if (count == 0)
        cf_fault_at(reading, at, "no answer is given");
    answers->steps = steps;
    answers->step_count = count;
    return count > 0;
}

static const char *const call_names[] = {"liveness", "readiness", "startup", "preStop",
                                         "postStart"};

static bool find_call(struct kp_text name, enum fake_call *call)
{
    for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++)
        if (kp_text_equal(name, kp_text_of(call_names[i]))) {
            *call = (enum fake_call)i;
            return true;
        }
    return false;
}

bool cf_case_read_call(struct cf_reading *reading, const struct cf_case *item, struct kp_text word,
                       struct cf_place at, struct fake_answers *answers)
{
    const char *slash = word.len > 0 ? memchr(word.bytes, '/', word.len) : NULL;
    struct kp_text type = word;
    struct cf_line line = {.at = at, .count = 1};
    int container;

    answers->container = KP_TEXT_NONE;
    if (slash) {
        line.words[0].text = (struct kp_text){word.bytes, (size_t)(slash - word.bytes)};
        line.places[0] = at;
        type = (struct kp_text){slash + 1, word.len - line.words[0].text.len - 1};
        if (!cf_case_subject(reading, item, &line, 0, &answers->pod, &container))
            return false;
        if (container >= 0)
            answers->container = cf_case_container_name(item, answers->pod, container);
    }
    if (find_call(type, &answers->call))
        return true;
    cf_fault_at(
        reading, at,
        "'%.*s': wanted liveness, readiness, startup, preStop or postStart, or web/liveness",
        KP_ARG(word));
    return false;
}

bool cf_case_check_call(struct cf_reading *reading, const struct cf_case *item, struct kp_text word,
                        struct cf_place at, const struct fake_answers *answers)
{
    if (cf_node_find(item->node, "updates") || cf_case_can_ask(item, answers))
        return true;
    cf_fault_at(reading, at, "'%.*s': the pod has no such probe or hook", KP_ARG(word));
    return false;
}

void cf_case_read_answers(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *map = cf_node_find(item->node, "answers");
    struct fake_answers *answers;
    size_t count = 0;

    if (!map)
        return;
    if (map->kind != CF_MAP) {
        cf_fault_at(reading, map->at, "answers: wanted a map such as {web/liveness: success}");
        return;
    }
    answers = cf_arena_array(reading->arena, map->count + 1, sizeof *answers);
    for (const struct cf_node *one = map->first; answers && one; one = one->next) {
        struct kp_text text = cf_read_text(reading, one);

        if (text.len > 0 &&
            cf_case_read_call(reading, item, one->key, one->key_at, &answers[count]) &&
            cf_case_read_steps(reading, text, one->at, &answers[count]))
            count++;
    }
    item->script.answers = answers;
    item->script.answers_count = count;
}

/* ---- plays ----------------------------------------------------------------------------------- */

/* The steps that a play's letters stand for: "|" gives the letter before it a new container behind
 * it, "_" asks for nothing. */
static bool play_steps(struct cf_reading *reading, struct cf_case *item, struct fake_step *steps,
                       size_t *count)
{
    for (size_t i = 0; i < item->saw.len; i++) {
        char letter = item->saw.bytes[i];
        const struct answer_name *found = find_answer(KP_TEXT_NONE, letter);

        if (letter == '|' && *count > 0) {
            steps[*count - 1].replaces = true;
        } else if (found) {
            struct fake_step *step = &steps[(*count)++];

            step->attempts[0] = found->answer;
            step->attempt_count = 1;
            step->until = FAKE_TIMES;
            step->bound = 1;
        } else if (letter != '_') {
            cf_fault_at(reading, item->at, "saw: '%c' is none of +-!wutb, | and _", letter);
            return false;
        }
    }
    return *count > 0;
}

static bool is_play(struct kp_text saw, struct kp_text told)
{
    if (saw.len != told.len)
        return false;
    for (size_t i = 0; i < told.len; i++) {
        bool mark = saw.bytes[i] == '|' || saw.bytes[i] == '_';

        if (mark ? told.bytes[i] != saw.bytes[i] : !memchr("+-?", told.bytes[i], 3))
            return false;
    }
    return true;
}

/* Long enough for every letter to be asked for, and every rest to be seen. */
static int64_t play_end_ns(const struct cf_case *item)
{
    const struct cf_node *probe = cf_node_find(item->node, "probe");
    int64_t period_s = 10;
    int64_t delay_s = 0;

    cf_node_int_value(cf_node_find(probe, "periodSeconds"), &period_s);
    cf_node_int_value(cf_node_find(probe, "initialDelaySeconds"), &delay_s);
    if (period_s < 1 || period_s > 100000)
        period_s = 10;
    return ((int64_t)item->saw.len + 2) * period_s * KP_NS_PER_S +
           (delay_s > 0 && delay_s < 100000 ? delay_s : 0) * KP_NS_PER_S;
}

/* A bare --- begins a document where it comes first in its line. */
static struct kp_text read_letters(struct cf_reading *reading, const struct cf_case *item,
                                   const char *key)
{
    const struct cf_node *node = cf_node_find(item->node, key);
    struct kp_text text = cf_read_text(reading, node);

    if (node && node->kind == CF_STRING && !cf_is_quoted(reading, node))
        cf_fault_at(reading, node->at, "%s: put the letters in quotes: \"%.*s\"", key,
                    KP_ARG(text));
    return text;
}

void cf_case_read_play(struct cf_reading *reading, struct cf_case *item)
{
    struct fake_answers *answers = cf_arena_array(reading->arena, 1, sizeof *answers);
    struct fake_script_event *script_event =
        cf_arena_array(reading->arena, 1, sizeof *script_event);
    struct fake_step *steps;
    size_t count = 0;

    item->saw = read_letters(reading, item, "saw");
    item->told = read_letters(reading, item, "told");
    if (!cf_node_find(item->node, "probe"))
        cf_fault_at(reading, item->at, "a play needs a probe");
    if (!is_play(item->saw, item->told))
        cf_fault_at(reading, item->at,
                    "told: wanted a letter of +-? for each of saw, and its | and _ as they are");
    steps = cf_arena_array(reading->arena, item->saw.len + 1, sizeof *steps);
    if (!answers || !steps || !script_event || !play_steps(reading, item, steps, &count))
        return;
    answers->call = (enum fake_call)item->play_type;
    answers->steps = steps;
    answers->step_count = count;
    item->script.answers = answers;
    item->script.answers_count = 1;
    script_event->event.kind = KP_EVENT_RUNNING;
    item->script.script_events = script_event;
    item->script.script_event_count = 1;
    item->end_ns = play_end_ns(item);
}
