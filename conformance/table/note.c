#include "conformance/table/note.h"

#include "conformance/protocol/wire.h"
#include "conformance/table/case_read.h"

#include <string.h>

/* ---- the forms ------------------------------------------------------------------------------- */

/*
 * Behind whom it is about and the kind's word, each character is a word: t probe type, a attempt,
 * r result, h hook, d duration, k reason of a kill, o create or stop, n number, e type of an event,
 * w any word, c True, False or Unknown, q quoted; behind a ?, all may be missing.
 */
static const struct form {
    const char *words;
    size_t sort_at;
    const char *wanted;
} forms[] = {
    [KP_EFFECT_PROBE] = {"t?a", 2, "web/1 probe liveness [#2]"},
    [KP_EFFECT_RESULT] = {"tr", 2, "web/1 result liveness success|failure|unknown"},
    [KP_EFFECT_STARTED] = {"", 0, "web started, or: web not started"},
    [KP_EFFECT_READY] = {"", 0, "web ready, or: web not ready"},
    [KP_EFFECT_HOOK] = {"h", 2, "web/1 hook preStop|postStart"},
    [KP_EFFECT_KILL] = {"d?kq", 0, "web/1 kill 30s [liveness|startup|spec|unknown] [\"message\"]"},
    [KP_EFFECT_SANDBOX] = {"on", 2, "pod sandbox create|stop ATTEMPT"},
    [KP_EFFECT_START] = {"n", 0, "web start RESTARTS"},
    [KP_EFFECT_BACKOFF] = {"d", 0, "web backoff 1m20s"},
    [KP_EFFECT_EVENT] = {"ew?q", 3, "web event Normal|Warning REASON [\"message\"]"},
    [KP_EFFECT_STATE] = {"s?q", 0,
                         "web state running|waiting:REASON|terminated:REASON:CODE [\"message\"] "
                         "[last terminated:REASON:CODE] [restarts N]"},
    [KP_EFFECT_PHASE] = {"w", 0, "pod phase Running"},
    [KP_EFFECT_CONDITION] = {"wc?wq", 2,
                             "pod condition TYPE True|False|Unknown [REASON] [\"message\"]"},
    [KP_EFFECT_APIDELETE] = {"", 0, "pod apidelete"},
    [KP_EFFECT_SYNC] = {"?q", 0, "pod sync [\"cause\"]"},
};

size_t cf_note_sort_at(enum kp_effect_kind kind)
{
    return forms[kind].sort_at;
}

/* ---- from an effect to words ----------------------------------------------------------------- */

struct wording {
    struct cf_note *note;
    struct cf_arena *arena;
};

static void put_word(struct wording *w, struct kp_text text)
{
    w->note->words[w->note->word_count++] = (struct cf_word){text, false};
}

static void put(struct wording *w, const char *word)
{
    put_word(w, kp_text_of(word));
}

static void put_copy(struct wording *w, struct kp_text text, bool quoted)
{
    w->note->words[w->note->word_count++] = (struct cf_word){cf_arena_text(w->arena, text), quoted};
}

static void put_int(struct wording *w, int64_t number)
{
    put_word(w, cf_arena_format(w->arena, "%lld", (long long)number));
}

static void put_duration(struct wording *w, int64_t duration_ns)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    kp_buf_put_duration(&buf, duration_ns);
    put_copy(w, kp_buf_text(&buf), false);
}

static void put_grace(struct wording *w, int64_t grace_s)
{
    char bytes[40];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    cf_put_grace(&buf, grace_s);
    put_copy(w, kp_buf_text(&buf), false);
}

/* Measured first, so that one of any length is whole. */
struct kp_text cf_message_text(struct cf_arena *arena, const struct kp_message *message)
{
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf buf;

    kp_message_put(&measure, message);
    buf = cf_arena_buf(arena, measure.need);
    if (!buf.bytes)
        return KP_TEXT_NONE;
    kp_message_put(&buf, message);
    return kp_buf_text(&buf);
}

static void put_message(struct wording *w, const struct kp_message *message)
{
    struct kp_text text = cf_message_text(w->arena, message);

    if (!w->arena->failed)
        w->note->words[w->note->word_count++] = (struct cf_word){text, true};
}

/* Effects that are about one instance; the others speak of a container or of the pod. */
static bool is_of_instance(enum kp_effect_kind kind)
{
    return kind == KP_EFFECT_PROBE || kind == KP_EFFECT_RESULT || kind == KP_EFFECT_HOOK ||
           kind == KP_EFFECT_KILL;
}

/* "web-1" of container web is web/1; any other id stands behind the name as it is. */
static void put_whom(struct wording *w, const struct kp_effect *effect, bool many)
{
    struct kp_text name = KP_TEXT("pod");
    struct kp_text cid = is_of_instance(effect->kind) ? effect->cid : KP_TEXT_NONE;
    struct kp_text pod = many ? effect->spec->name : KP_TEXT_NONE;

    if (effect->container >= 0)
        name = effect->spec->containers[effect->container].name;
    if (effect->container >= 0 && cid.len > name.len + 1 && cid.bytes[name.len] == '-' &&
        memcmp(cid.bytes, name.bytes, name.len) == 0)
        cid = (struct kp_text){cid.bytes + name.len + 1, cid.len - name.len - 1};
    put_word(w, cf_arena_format(w->arena, "%.*s%s%.*s%s%.*s", KP_ARG(pod), many ? ":" : "",
                                KP_ARG(name), cid.len > 0 ? "/" : "", KP_ARG(cid)));
}

/* As on the wire a reason ends at its first ": ", behind which up to 1.21 an error may stand. */
static void put_waiting(struct wording *w, const struct kp_state *state)
{
    struct kp_text reason = state->reason;
    size_t at = 0;

    while (at + 1 < reason.len && (reason.bytes[at] != ':' || reason.bytes[at + 1] != ' '))
        at++;
    if (at + 1 >= reason.len) {
        put_word(w, cf_arena_format(w->arena, "waiting:%.*s", KP_ARG(reason)));
        if (state->message.len > 0)
            put_copy(w, state->message, true);
        return;
    }
    put_word(w, cf_arena_format(w->arena, "waiting:%.*s", (int)at, reason.bytes));
    put_copy(w,
             cf_arena_format(w->arena, "%.*s%s%.*s", (int)(reason.len - at - 2),
                             reason.bytes + at + 2, state->message.len > 0 ? ": " : "",
                             KP_ARG(state->message)),
             true);
}

static void put_state(struct wording *w, const struct kp_state *state)
{
    if (state->kind == KP_STATE_WAITING) {
        put_waiting(w, state);
        return;
    }
    if (state->kind == KP_STATE_TERMINATED)
        put_word(w, cf_arena_format(w->arena, "terminated:%.*s:%d", KP_ARG(state->reason),
                                    (int)state->exit_code));
    else
        put(w, state->kind == KP_STATE_RUNNING ? "running" : "none");
    if (state->message.len > 0)
        put_copy(w, state->message, true);
}

static void word_state(struct wording *w, const struct kp_effect *effect)
{
    put_state(w, effect->u.state.state);
    if (effect->u.state.last && effect->u.state.last->kind != KP_STATE_NONE) {
        put(w, "last");
        put_state(w, effect->u.state.last);
    }
    if (effect->u.state.restarts != 0) {
        put(w, "restarts");
        put_int(w, effect->u.state.restarts);
    }
}

static void word_condition(struct wording *w, const struct kp_condition *condition)
{
    put_copy(w, condition->type, false);
    put(w, cf_word(&cf_condition_words, condition->status));
    if (condition->reason.len > 0)
        put_copy(w, condition->reason, false);
    if (condition->message.len > 0)
        put_copy(w, condition->message, true);
}

/* All behind whom and what. */
static void word_rest(struct wording *w, const struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        put(w, cf_word(&cf_probe_type_words, effect->u.probe.type));
        if (effect->u.probe.attempt != 1)
            put_word(w, cf_arena_format(w->arena, "#%d", effect->u.probe.attempt));
        break;
    case KP_EFFECT_RESULT:
        put(w, cf_word(&cf_probe_type_words, effect->u.result.type));
        put(w, cf_word(&cf_result_words, effect->u.result.value));
        break;
    case KP_EFFECT_HOOK:
        put(w, cf_word(&cf_hook_words, effect->u.hook.type));
        break;
    case KP_EFFECT_KILL:
        put_grace(w, effect->u.kill.grace_s);
        if (effect->u.kill.reason != KP_KILL_NO_REASON)
            put(w, cf_word(&cf_kill_reason_words, effect->u.kill.reason));
        put_message(w, &effect->u.kill.message);
        break;
    case KP_EFFECT_SANDBOX:
        put(w, cf_word(&cf_sandbox_words, effect->u.sandbox.what));
        put_int(w, effect->u.sandbox.attempt);
        break;
    case KP_EFFECT_START:
        put_int(w, effect->u.restart);
        break;
    case KP_EFFECT_BACKOFF:
        put_duration(w, effect->u.delay_ns);
        break;
    case KP_EFFECT_EVENT:
        put(w, cf_word(&cf_event_type_words, effect->u.event.type));
        put_copy(w, effect->u.event.reason, false);
        put_message(w, &effect->u.event.message);
        break;
    case KP_EFFECT_STATE:
        word_state(w, effect);
        break;
    case KP_EFFECT_PHASE:
        put(w, cf_word(&cf_phase_words, effect->u.phase));
        break;
    case KP_EFFECT_CONDITION:
        word_condition(w, effect->u.condition);
        break;
    case KP_EFFECT_SYNC:
        put_copy(w, effect->u.cause, true);
        break;
    case KP_EFFECT_STARTED:
    case KP_EFFECT_READY:
    case KP_EFFECT_APIDELETE:
        break;
    }
}

/* Values of which only the last of an instant is published. */
static bool is_published(enum kp_effect_kind kind)
{
    return kind == KP_EFFECT_STARTED || kind == KP_EFFECT_READY || kind == KP_EFFECT_STATE ||
           kind == KP_EFFECT_PHASE || kind == KP_EFFECT_CONDITION;
}

void cf_note_init(struct cf_note *note, struct cf_arena *arena, const struct kp_effect *effect,
                  bool many)
{
    struct wording w = {note, arena};
    struct kp_text type = KP_TEXT_NONE;

    *note = (struct cf_note){.kind = effect->kind, .rule = effect->rule, .pod = effect->pod};
    put_whom(&w, effect, many);
    if ((effect->kind == KP_EFFECT_STARTED || effect->kind == KP_EFFECT_READY) && !effect->u.value)
        put(&w, "not");
    put(&w, cf_word(&cf_effect_words, effect->kind));
    word_rest(&w, effect);
    if (!is_published(effect->kind))
        return;
    if (effect->kind == KP_EFFECT_CONDITION)
        type = effect->u.condition->type;
    note->key = cf_arena_format(arena, "%.*s %s %.*s", KP_ARG(note->words[0].text),
                                cf_word(&cf_effect_words, effect->kind), KP_ARG(type));
}

void cf_words_put(struct kp_buf *buf, const struct cf_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            kp_buf_put_char(buf, ' ');
        if (words[i].quoted)
            kp_buf_put_quoted(buf, words[i].text);
        else
            kp_buf_put(buf, words[i].text);
    }
}

void cf_time_put(struct kp_buf *buf, int64_t at_ns)
{
    int64_t ms = at_ns / KP_NS_PER_MS;
    int64_t part = ms < 0 ? -(ms % 1000) : ms % 1000;

    if (ms < 0 && ms > -1000)
        kp_buf_put_char(buf, '-');
    kp_buf_put_int(buf, ms / 1000);
    if (part > 0) {
        kp_buf_put_char(buf, '.');
        for (int64_t digit = 100; part > 0; digit /= 10) {
            kp_buf_put_char(buf, (char)('0' + part / digit));
            part %= digit;
        }
    }
    kp_buf_put_char(buf, 's');
}

/* ---- from a trace's line to words ------------------------------------------------------------ */

static bool is_number(struct kp_text word)
{
    return word.len > 0 && word.len < 10 && kp_text_digits(word) == word.len;
}

static bool is_state(struct kp_text word)
{
    return kp_text_equal(word, KP_TEXT("running")) || kp_text_begins(word, "waiting:") ||
           (kp_text_begins(word, "terminated:") && word.len > sizeof "terminated:" - 1);
}

/* The words that a form's letter stands for; NULL: others. */
static const struct cf_words *words_of(char letter)
{
    switch (letter) {
    case 't':
        return &cf_probe_type_words;
    case 'r':
        return &cf_result_words;
    case 'h':
        return &cf_hook_words;
    case 'k':
        return &cf_kill_reason_words;
    case 'o':
        return &cf_sandbox_words;
    case 'e':
        return &cf_event_type_words;
    case 'c':
        return &cf_condition_words;
    default:
        return NULL;
    }
}

/* #1, #2 or #3. */
static bool is_attempt(struct kp_text word)
{
    return word.len == 2 && word.bytes[0] == '#' && word.bytes[1] >= '1' && word.bytes[1] <= '3';
}

/* Is it the sort of word that the form's letter stands for? */
static bool is_of(const struct cf_word *word, char letter)
{
    const struct cf_words *words = words_of(letter);

    if (word->quoted || letter == 'q')
        return word->quoted && letter == 'q';
    if (words)
        return cf_find_word(words, word->text) != CF_NO_WORD;
    return letter == 'w' || (letter == 'a' && is_attempt(word->text)) ||
           (letter == 'n' && is_number(word->text)) || (letter == 's' && is_state(word->text));
}

/* [last STATE ["message"]] [restarts N] */
static bool check_state_rest(const struct cf_word *words, size_t k, size_t count)
{
    if (k < count && kp_text_equal(words[k].text, KP_TEXT("last"))) {
        if (k + 1 == count || !is_of(&words[k + 1], 's'))
            return false;
        k += 2;
        k += k < count && words[k].quoted;
    }
    if (k < count && kp_text_equal(words[k].text, KP_TEXT("restarts"))) {
        if (k + 1 == count || !is_number(words[k + 1].text))
            return false;
        k += 2;
    }
    return k == count;
}

static bool check_form(enum kp_effect_kind kind, const struct cf_word *words, size_t count)
{
    bool optional = false;
    size_t k = 2;

    for (const char *letter = forms[kind].words; *letter; letter++) {
        if (*letter == '?') {
            optional = true;
            continue;
        }
        if (*letter == 'd' ? k < count && !words[k].quoted && words[k].text.len > 1
                           : k < count && is_of(&words[k], *letter))
            k++;
        else if (!optional)
            return false;
    }
    return kind == KP_EFFECT_STATE ? check_state_rest(words, k, count) : k == count;
}

bool cf_note_check(struct cf_word *words, size_t *count, enum kp_effect_kind *kind,
                   const char **wanted)
{
    bool negated = *count == 3 && !words[1].quoted && kp_text_equal(words[1].text, KP_TEXT("not"));
    int found = *count < 2 ? CF_NO_WORD : cf_find_word(&cf_effect_words, words[1 + negated].text);

    *wanted = "WHO WHAT ..., as in: web/1 probe liveness";
    if (found == CF_NO_WORD || words[0].quoted)
        return false;
    *kind = (enum kp_effect_kind)found;
    *wanted = forms[*kind].wanted;
    if (*kind == KP_EFFECT_STARTED || *kind == KP_EFFECT_READY)
        return *count == (size_t)(2 + negated);
    if (*kind == KP_EFFECT_PROBE && *count == 4 && kp_text_equal(words[3].text, KP_TEXT("#1")) &&
        check_form(*kind, words, 4)) {
        *count = 3; /* the first attempt needs no number */
        return true;
    }
    return !negated && check_form(*kind, words, *count);
}

bool cf_note_fits(const struct cf_note *note, enum kp_effect_kind kind, const struct cf_word *words,
                  size_t count)
{
    size_t k = 0;

    if (note->kind != kind)
        return false;
    for (size_t i = 0; i < note->word_count; i++) {
        const struct cf_word *got = &note->words[i];

        if (k < count && words[k].quoted == got->quoted &&
            kp_text_equal(words[k].text, got->text)) {
            k++;
            continue;
        }
        if (got->quoted && (k == count || !words[k].quoted))
            continue;
        if (kind == KP_EFFECT_CONDITION && i == 4 && (k == count || words[k].quoted))
            continue;
        return false;
    }
    return k == count;
}

bool cf_note_fits_in_any_words(const struct cf_note *note, enum kp_effect_kind kind,
                               const struct cf_word *words, size_t count)
{
    struct cf_word kept[sizeof note->words / sizeof *note->words];
    bool no_reason =
        kind == KP_EFFECT_CONDITION && (note->word_count == 4 || note->words[4].quoted);
    size_t kept_count = 0;

    for (size_t i = 0; i < count && kept_count < sizeof kept / sizeof *kept; i++)
        if (!words[i].quoted && !(i == 4 && no_reason))
            kept[kept_count++] = words[i];
    return cf_note_fits(note, kind, kept, kept_count);
}
