#include "conformance/table/note.h"

#include "conformance/table/case_read.h"

#include <string.h>

/* ---- the forms ------------------------------------------------------------------------------- */

/*
 * Behind whom it is about and the kind's name, each character is a word: t probe type, a attempt,
 * r result, h hook, d duration, k reason of a kill, o create or stop, n number, e type of an event,
 * w any word, c True, False or Unknown, q quoted; behind a ?, all may be missing.
 */
static const struct form {
    const char *name;
    const char *words;
    size_t sort_at;
    const char *wanted;
} forms[] = {
    [KP_EFFECT_PROBE] = {"probe", "t?a", 2, "web/1 probe liveness [#2]"},
    [KP_EFFECT_RESULT] = {"result", "tr", 2, "web/1 result liveness success|failure|unknown"},
    [KP_EFFECT_STARTED] = {"started", "", 0, "web started, or: web not started"},
    [KP_EFFECT_READY] = {"ready", "", 0, "web ready, or: web not ready"},
    [KP_EFFECT_HOOK] = {"hook", "h", 2, "web/1 hook preStop|postStart"},
    [KP_EFFECT_KILL] = {"kill", "d?kq", 0,
                        "web/1 kill 30s [liveness|startup|spec|unknown] [\"message\"]"},
    [KP_EFFECT_SANDBOX] = {"sandbox", "on", 2, "pod sandbox create|stop ATTEMPT"},
    [KP_EFFECT_START] = {"start", "n", 0, "web start RESTARTS"},
    [KP_EFFECT_BACKOFF] = {"backoff", "d", 0, "web backoff 1m20s"},
    [KP_EFFECT_EVENT] = {"event", "ew?q", 3, "web event Normal|Warning REASON [\"message\"]"},
    [KP_EFFECT_STATE] = {"state", "s?q", 0,
                         "web state running|waiting:REASON|terminated:REASON:CODE [\"message\"] "
                         "[last terminated:REASON:CODE] [restarts N]"},
    [KP_EFFECT_PHASE] = {"phase", "w", 0, "pod phase Running"},
    [KP_EFFECT_CONDITION] = {"condition", "wc?wq", 2,
                             "pod condition TYPE True|False|Unknown [REASON] [\"message\"]"},
    [KP_EFFECT_APIDELETE] = {"apidelete", "", 0, "pod apidelete"},
    [KP_EFFECT_SYNC] = {"sync", "?q", 0, "pod sync [\"cause\"]"},
};

enum { KINDS = sizeof forms / sizeof *forms };

const char *cf_note_kind_name(enum kp_effect_kind kind)
{
    return forms[kind].name;
}

bool cf_note_kind_find(struct kp_text name, enum kp_effect_kind *kind)
{
    for (int i = 0; i < KINDS; i++)
        if (kp_text_equal(name, kp_text_of(forms[i].name))) {
            *kind = (enum kp_effect_kind)i;
            return true;
        }
    return false;
}

size_t cf_note_sort_at(enum kp_effect_kind kind)
{
    return forms[kind].sort_at;
}

/* ---- from an effect to words ----------------------------------------------------------------- */

static const char *const type_names[] = {"liveness", "readiness", "startup"};
static const char *const kill_reasons[] = {"", "liveness", "startup", "spec", "unknown"};
static const char *const phase_names[] = {"",          "Pending", "Running",
                                          "Succeeded", "Failed",  "Unknown"};
static const char *const condition_names[] = {"True", "False", "Unknown"};

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

/* Messages are measured first, so that one of any length is whole. */
static void put_message(struct wording *w, const struct kp_message *message)
{
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf buf;

    kp_message_put(&measure, message);
    buf = (struct kp_buf){cf_arena_alloc(w->arena, measure.need + 1), measure.need, 0};
    if (!buf.bytes)
        return;
    kp_message_put(&buf, message);
    w->note->words[w->note->word_count++] = (struct cf_word){kp_buf_text(&buf), true};
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
    put_word(w, cf_arena_format(w->arena, "%.*s%s%.*s%s%.*s", (int)pod.len, pod.bytes,
                                many ? ":" : "", (int)name.len, name.bytes, cid.len > 0 ? "/" : "",
                                (int)cid.len, cid.bytes));
}

/* As on the wire a reason ends at its first ": ", behind which up to 1.21 an error may stand. */
static void put_waiting(struct wording *w, const struct kp_state *state)
{
    struct kp_text reason = state->reason;
    size_t at = 0;

    while (at + 1 < reason.len && (reason.bytes[at] != ':' || reason.bytes[at + 1] != ' '))
        at++;
    if (at + 1 >= reason.len) {
        put_word(w, cf_arena_format(w->arena, "waiting:%.*s", (int)reason.len, reason.bytes));
        if (state->message.len > 0)
            put_copy(w, state->message, true);
        return;
    }
    put_word(w, cf_arena_format(w->arena, "waiting:%.*s", (int)at, reason.bytes));
    put_copy(w,
             cf_arena_format(w->arena, "%.*s%s%.*s", (int)(reason.len - at - 2),
                             reason.bytes + at + 2, state->message.len > 0 ? ": " : "",
                             (int)state->message.len, state->message.bytes),
             true);
}

static void put_state(struct wording *w, const struct kp_state *state)
{
    if (state->kind == KP_STATE_WAITING) {
        put_waiting(w, state);
        return;
    }
    if (state->kind == KP_STATE_TERMINATED)
        put_word(w, cf_arena_format(w->arena, "terminated:%.*s:%d", (int)state->reason.len,
                                    state->reason.bytes, (int)state->exit_code));
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
    put(w, condition_names[condition->status]);
    if (condition->reason.len > 0)
        put_copy(w, condition->reason, false);
    if (condition->message.len > 0)
        put_copy(w, condition->message, true);
}

static void word_result(struct wording *w, const struct kp_effect *effect)
{
    enum kp_result value = effect->u.result.value;

    put(w, type_names[effect->u.result.type]);
    put(w, value == KP_RESULT_SUCCESS   ? "success"
           : value == KP_RESULT_FAILURE ? "failure"
                                        : "unknown");
}

/* All behind whom and what. */
static void word_rest(struct wording *w, const struct kp_effect *effect)
{
    switch (effect->kind) {
    case KP_EFFECT_PROBE:
        put(w, type_names[effect->u.probe.type]);
        if (effect->u.probe.attempt != 1)
            put_word(w, cf_arena_format(w->arena, "#%d", effect->u.probe.attempt));
        break;
    case KP_EFFECT_RESULT:
        word_result(w, effect);
        break;
    case KP_EFFECT_HOOK:
        put(w, effect->u.hook.type == KP_PRE_STOP ? "preStop" : "postStart");
        break;
    case KP_EFFECT_KILL:
        put_grace(w, effect->u.kill.grace_s);
        if (effect->u.kill.reason != KP_KILL_NO_REASON)
            put(w, kill_reasons[effect->u.kill.reason]);
        put_message(w, &effect->u.kill.message);
        break;
    case KP_EFFECT_SANDBOX:
        put(w, effect->u.sandbox.what == KP_SANDBOX_CREATE ? "create" : "stop");
        put_int(w, effect->u.sandbox.attempt);
        break;
    case KP_EFFECT_START:
        put_int(w, effect->u.restart);
        break;
    case KP_EFFECT_BACKOFF:
        put_duration(w, effect->u.delay_ns);
        break;
    case KP_EFFECT_EVENT:
        put(w, effect->u.event.type == KP_NORMAL ? "Normal" : "Warning");
        put_copy(w, effect->u.event.reason, false);
        put_message(w, &effect->u.event.message);
        break;
    case KP_EFFECT_STATE:
        word_state(w, effect);
        break;
    case KP_EFFECT_PHASE:
        put(w, phase_names[effect->u.phase]);
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
    put(&w, forms[effect->kind].name);
    word_rest(&w, effect);
    if (!is_published(effect->kind))
        return;
    if (effect->kind == KP_EFFECT_CONDITION)
        type = effect->u.condition->type;
    note->key = cf_arena_format(arena, "%.*s %s %.*s", (int)note->words[0].text.len,
                                note->words[0].text.bytes, forms[effect->kind].name, (int)type.len,
                                type.bytes);
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

static bool is_one_of(struct kp_text word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kp_text_equal(word, kp_text_of(names[i])))
            return true;
    return false;
}

static bool is_number(struct kp_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.bytes[i] < '0' || word.bytes[i] > '9')
            return false;
    return word.len > 0 && word.len < 10;
}

/* Does the text begin so? */
static bool begins(struct kp_text word, const char *start)
{
    size_t len = strlen(start);

    return word.len > len && memcmp(word.bytes, start, len) == 0;
}

static bool is_state(struct kp_text word)
{
    return kp_text_equal(word, KP_TEXT("running")) || begins(word, "waiting:") ||
           kp_text_equal(word, KP_TEXT("waiting:")) || begins(word, "terminated:");
}

/* Is it the sort of word that the form's letter stands for? */
static bool is_of(const struct cf_word *word, char letter)
{
    static const char *const results[] = {"success", "failure", "unknown"};
    static const char *const hooks[] = {"preStop", "postStart"};
    static const char *const sandbox_verbs[] = {"create", "stop"};
    static const char *const event_types[] = {"Normal", "Warning"};
    static const char *const attempts[] = {"#1", "#2", "#3"};

    if (word->quoted)
        return letter == 'q';
    switch (letter) {
    case 't':
        return is_one_of(word->text, type_names, 3);
    case 'a':
        return is_one_of(word->text, attempts, 3);
    case 'r':
        return is_one_of(word->text, results, 3);
    case 'h':
        return is_one_of(word->text, hooks, 2);
    case 'k':
        return is_one_of(word->text, kill_reasons + 1, 4);
    case 'o':
        return is_one_of(word->text, sandbox_verbs, 2);
    case 'e':
        return is_one_of(word->text, event_types, 2);
    case 'c':
        return is_one_of(word->text, condition_names, 3);
    case 'n':
        return is_number(word->text);
    case 's':
        return is_state(word->text);
    case 'w':
        return true;
    default:
        return false;
    }
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

static bool check_form(const struct form *form, const struct cf_word *words, size_t count)
{
    bool optional = false;
    size_t k = 2;

    for (const char *letter = form->words; *letter; letter++) {
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
    return strcmp(form->name, "state") == 0 ? check_state_rest(words, k, count) : k == count;
}

bool cf_note_check(struct cf_word *words, size_t *count, enum kp_effect_kind *kind,
                   const char **wanted)
{
    bool negated = *count == 3 && !words[1].quoted && kp_text_equal(words[1].text, KP_TEXT("not"));

    *wanted = "WHO WHAT ..., as in: web/1 probe liveness";
    if (*count < 2 || words[0].quoted || !cf_note_kind_find(words[1 + negated].text, kind))
        return false;
    *wanted = forms[*kind].wanted;
    if (*kind == KP_EFFECT_STARTED || *kind == KP_EFFECT_READY)
        return *count == (size_t)(2 + negated);
    if (*kind == KP_EFFECT_PROBE && *count == 4 && kp_text_equal(words[3].text, KP_TEXT("#1")) &&
        check_form(&forms[*kind], words, 4)) {
        *count = 3; /* the first attempt needs no number */
        return true;
    }
    return !negated && check_form(&forms[*kind], words, *count);
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
