#include "conformance/judge/match.h"

#include "conformance/judge/pairing.h"
#include "conformance/protocol/columns.h"
#include "core/kubelet/conditions.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting ------------------------------------------------------------------------------ */

/* What is no part of the protocol (section 3): the scheduler's and others' conditions, and what a
 * resize reports of itself. */
static bool is_of_others(const struct kp_effect *effect)
{
    if (effect->kind == KP_EFFECT_EVENT)
        return kp_text_begins(effect->u.event.reason, "Resize");
    return effect->kind == KP_EFFECT_CONDITION &&
           (!kp_condition_is_ours(effect->u.condition->type) ||
            kp_text_equal(effect->u.condition->type, KP_TEXT("PodScheduled")));
}

static void on_effect(void *ctx, const struct kp_effect *effect)
{
    struct cf_record *record = ctx;
    struct cf_note *notes;

    if (is_of_others(effect))
        return;
    notes =
        cf_arena_grow(record->arena, record->notes, &record->room, record->count, sizeof *notes);
    if (!notes)
        return;
    record->notes = notes;
    cf_note_init(&record->notes[record->count++], record->arena, effect, record->many);
}

static void on_instant(void *ctx, int64_t at_ns)
{
    struct cf_record *record = ctx;

    while (record->dated < record->count)
        record->notes[record->dated++].at_ns = at_ns;
}

void cf_record_init(struct cf_record *record, struct cf_arena *arena, const struct cf_case *item)
{
    *record = (struct cf_record){.arena = arena, .many = item->pod_count > 1};
}

struct fake_observer cf_record_observer(struct cf_record *record)
{
    return (struct fake_observer){on_effect, on_instant, NULL, record};
}

/* ---- what is looked at ----------------------------------------------------------------------- */

static bool observes(uint32_t kinds, enum kp_effect_kind kind)
{
    return (kinds >> kind & 1) != 0;
}

static bool is_watched(const struct cf_case *item, enum kp_effect_kind kind,
                       const struct cf_word *words, size_t count)
{
    size_t sort_at = cf_note_sort_at(kind);

    if (item->watch_count == 0)
        return kind != KP_EFFECT_SYNC;
    for (size_t i = 0; i < item->watch_count; i++) {
        const struct cf_watch *watch = &item->watches[i];

        if (watch->kind == kind &&
            (watch->sort.len == 0 ||
             (sort_at < count && kp_text_equal(words[sort_at].text, watch->sort))))
            return true;
    }
    return false;
}

static bool same_words(const struct cf_note *a, const struct cf_note *b)
{
    if (a->word_count != b->word_count)
        return false;
    for (size_t i = 0; i < a->word_count; i++)
        if (!kp_text_equal(a->words[i].text, b->words[i].text))
            return false;
    return true;
}

/* What every pod is published to be before its first status. */
static bool is_beginning(const struct cf_note *note)
{
    if (note->kind == KP_EFFECT_STARTED || note->kind == KP_EFFECT_READY)
        return note->word_count == 3; /* not */
    return note->kind == KP_EFFECT_PHASE && kp_text_equal(note->words[2].text, KP_TEXT("Pending"));
}

/*
 * Take out published values that the same instant replaced, and those that are no change then.
 * Both walks are quadratic in the notes of a case, of which there are few.
 */
static void keep_last_published(struct cf_note *notes, size_t *count)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        const struct cf_note *before = NULL;
        bool replaced = false;

        if (notes[i].key.len == 0) {
            notes[kept++] = notes[i];
            continue;
        }
        for (size_t k = i + 1; k < *count && notes[k].at_ns == notes[i].at_ns; k++)
            replaced |= kp_text_equal(notes[k].key, notes[i].key);
        for (size_t k = kept; k > 0 && !before; k--)
            if (kp_text_equal(notes[k - 1].key, notes[i].key))
                before = &notes[k - 1];
        if (!replaced && !(before ? same_words(before, &notes[i]) : is_beginning(&notes[i])))
            notes[kept++] = notes[i];
    }
    *count = kept;
}

/* ---- pairing --------------------------------------------------------------------------------- */

static bool is_judged(const struct cf_pairing *p, const struct cf_want *want)
{
    return observes(p->declared->observes, want->kind) &&
           is_watched(p->item, want->kind, want->words, want->word_count);
}

/* Effects whose order within an instant counts: 0 for those where it does not. */
static int class_of(enum kp_effect_kind kind, const struct cf_word *words)
{
    static const char *const reasons[] = {"Pulled", "Created", "Started", "BackOff", "Failed"};

    if (kind == KP_EFFECT_START)
        return 1;
    if (kind == KP_EFFECT_SANDBOX)
        return 2;
    for (size_t i = 0; kind == KP_EFFECT_EVENT && i < sizeof reasons / sizeof *reasons; i++)
        if (kp_text_equal(words[3].text, kp_text_of(reasons[i])))
            return 3;
    return 0;
}

static int order_class(const struct cf_note *note)
{
    return class_of(note->kind, note->words);
}

bool cf_match_keeps_order(const struct cf_want *first, const struct cf_want *second)
{
    int class = class_of(first->kind, first->words);

    return class != 0 && class == class_of(second->kind, second->words);
}

/* The later of two notes that came in the wrong order, or NULL. */
static const struct cf_note *find_disorder(const struct cf_pairing *p)
{
    for (size_t i = 0; i < p->note_count && !p->item->unordered; i++) {
        int class = order_class(&p->notes[i]);

        if (class == 0 || p->of_note[i] == SIZE_MAX)
            continue;
        for (size_t k = i; k > 0 && p->notes[k - 1].at_ns == p->notes[i].at_ns; k--)
            if (order_class(&p->notes[k - 1]) == class && p->notes[k - 1].pod == p->notes[i].pod &&
                p->of_note[k - 1] != SIZE_MAX && p->of_note[k - 1] > p->of_note[i])
                return &p->notes[i];
    }
    return NULL;
}

/* ---- the two sides, side by side --------------------------------------------------------------
 */

static struct kp_text line_of(struct cf_arena *arena, const struct cf_word *words, size_t count)
{
    struct kp_buf measure = {NULL, 0, 0};
    struct kp_buf buf;

    cf_words_put(&measure, words, count);
    buf = cf_arena_buf(arena, measure.need);
    if (!buf.bytes)
        return KP_TEXT_NONE;
    cf_words_put(&buf, words, count);
    return kp_buf_text(&buf);
}

struct kp_text cf_record_end(const struct cf_record *record)
{
    enum { LAST = 3 };
    struct kp_text text = KP_TEXT_NONE;

    for (size_t i = record->count > LAST ? record->count - LAST : 0; i < record->count; i++)
        text = cf_arena_format(
            record->arena, "%.*s%s%.*s", KP_ARG(text), text.len > 0 ? ", " : "; at the end: ",
            KP_ARG(line_of(record->arena, record->notes[i].words, record->notes[i].word_count)));
    return text;
}

struct timeline {
    struct cf_arena *arena;
    struct cf_moment *moments;
    size_t count;
    bool *differs;
};

static void add_moment(struct timeline *t, int64_t at_ns, struct kp_text wanted, struct kp_text got,
                       bool differs)
{
    t->differs[t->count] = differs;
    t->moments[t->count++] = (struct cf_moment){at_ns / KP_NS_PER_MS, wanted, got};
}

static void sort_moments(struct timeline *t)
{
    for (size_t i = 1; i < t->count; i++) {
        struct cf_moment moment = t->moments[i];
        bool differs = t->differs[i];
        size_t k = i;

        for (; k > 0 && t->moments[k - 1].at_ms > moment.at_ms; k--) {
            t->moments[k] = t->moments[k - 1];
            t->differs[k] = t->differs[k - 1];
        }
        t->moments[k] = moment;
        t->differs[k] = differs;
    }
}

static struct kp_text time_text(struct cf_arena *arena, int64_t at_ms)
{
    char bytes[32];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    cf_time_put(&buf, at_ms * KP_NS_PER_MS);
    return cf_arena_text(arena, kp_buf_text(&buf));
}

/* A signature is to be read and kept: of a long note its beginning, whole characters. */
static struct kp_text beginning(struct kp_text note)
{
    enum { MOST = 200 };

    if (note.len == 0)
        return KP_TEXT("nothing");
    if (note.len <= MOST)
        return note;
    note.len = MOST;
    while (note.len > 0 && ((unsigned char)note.bytes[note.len] & 0xC0) == 0x80)
        note.len--;
    return note;
}

/* Verdict, signature and sentence from the timeline and its first difference. */
static void conclude(struct timeline *t, struct cf_outcome *out)
{
    struct kp_text at;
    const struct cf_moment *moment;
    struct kp_text wanted = KP_TEXT_NONE;
    struct kp_text got = KP_TEXT_NONE;

    out->verdict = CF_PASS;
    out->why = KP_TEXT_NONE;
    out->moments = t->moments;
    out->moment_count = t->count;
    out->first = 0;
    while (out->first < t->count && !t->differs[out->first])
        out->first++;
    if (out->first == t->count)
        return;
    moment = &t->moments[out->first];
    at = time_text(t->arena, moment->at_ms);
    for (size_t i = out->first; i < t->count && t->moments[i].at_ms == moment->at_ms; i++) {
        if (!t->differs[i])
            continue;
        if (t->moments[i].wanted.len > 0 && wanted.len == 0)
            wanted = t->moments[i].wanted;
        if (t->moments[i].got.len > 0 && got.len == 0)
            got = t->moments[i].got;
    }
    out->verdict = CF_FAIL;
    out->why = cf_arena_format(t->arena, "at %.*s: %.*s", KP_ARG(at),
                               KP_ARG(cf_difference(t->arena, wanted, got)));
    out->signature = cf_arena_format(t->arena, "%.*s wanted %.*s got %.*s", KP_ARG(at),
                                     KP_ARG(beginning(wanted)), KP_ARG(beginning(got)));
}

static bool timeline_init(struct timeline *t, struct cf_arena *arena, size_t room)
{
    *t = (struct timeline){.arena = arena};
    t->moments = cf_arena_array(arena, room + 1, sizeof *t->moments);
    t->differs = cf_arena_array(arena, room + 1, sizeof *t->differs);
    return t->moments && t->differs;
}

/* ---- a scenario ---------------------------------------------------------------------------------
 */

/* In real time a case is played a little longer than it is judged. */
static bool is_behind_the_end(const struct cf_pairing *p, const struct cf_note *note)
{
    return p->declared->noise_ns > 0 && note->at_ns > p->item->end_ns - p->declared->noise_ns;
}

static void judge_trace(struct cf_pairing *p, struct cf_arena *arena, struct cf_outcome *out)
{
    struct timeline t;
    const struct cf_note *disorder;

    if (!timeline_init(&t, arena, p->trace->want_count + p->note_count) || !cf_pair(p, arena))
        return;
    disorder = find_disorder(p);
    for (size_t i = 0; i < p->trace->want_count; i++) {
        const struct cf_want *want = &p->trace->wants[i];
        const struct cf_note *note = p->of_want[i];
        struct kp_text wanted = line_of(arena, want->words, want->word_count);

        if (note)
            add_moment(&t, note->at_ns, wanted, line_of(arena, note->words, note->word_count),
                       note == disorder);
        else if (!want->optional && is_judged(p, want) &&
                 !cf_declared_is_first_want(p->declared, p->trace, i))
            add_moment(&t, want->at_ns, wanted, KP_TEXT_NONE, true);
    }
    for (size_t i = 0; i < p->note_count; i++)
        if (p->of_note[i] == SIZE_MAX && !is_behind_the_end(p, &p->notes[i]))
            add_moment(&t, p->notes[i].at_ns, KP_TEXT_NONE,
                       line_of(arena, p->notes[i].words, p->notes[i].word_count), true);
    sort_moments(&t);
    conclude(&t, out);
}

/* The first note that may never be, or NULL. */
static const struct cf_note *find_never(const struct cf_case *item, const struct cf_record *record,
                                        uint32_t kinds)
{
    for (size_t i = 0; i < record->count; i++)
        for (size_t k = 0; k < item->never_count; k++)
            if (observes(kinds, record->notes[i].kind) &&
                cf_note_fits(&record->notes[i], item->nevers[k].kind, item->nevers[k].words,
                             item->nevers[k].word_count))
                return &record->notes[i];
    return NULL;
}

static void judge_never(const struct cf_note *note, struct cf_arena *arena, struct cf_outcome *out)
{
    struct timeline t;

    if (!timeline_init(&t, arena, 1))
        return;
    add_moment(&t, note->at_ns, KP_TEXT_NONE, line_of(arena, note->words, note->word_count), true);
    conclude(&t, out);
}

/* When an alternative goes wrong; a pass goes wrong never, what was not judged at once. */
static int64_t fails_at(const struct cf_outcome *outcome)
{
    if (outcome->verdict != CF_PASS && outcome->moment_count == 0)
        return INT64_MIN;
    return outcome->verdict == CF_PASS ? INT64_MAX : outcome->moments[outcome->first].at_ms;
}

static void match_scenario(const struct cf_case *item, const struct cf_record *record,
                           const struct cf_declared *declared, struct cf_arena *arena,
                           struct cf_outcome *out)
{
    struct cf_note *notes = cf_arena_array(arena, record->count + 1, sizeof *notes);
    const struct cf_note *never = find_never(item, record, declared->observes);
    const struct cf_trace *best = NULL;
    size_t count = 0;

    for (size_t i = 0; notes && i < record->count; i++) {
        const struct cf_note *note = &record->notes[i];

        if (observes(declared->observes, note->kind) &&
            !cf_declared_is_first_note(declared, record->notes, i) &&
            is_watched(item, note->kind, note->words, note->word_count))
            notes[count++] = *note;
    }
    if (item->layer == CF_LAYER_POD)
        keep_last_published(notes, &count);
    for (size_t i = 0; notes && i < item->trace_count; i++) {
        struct cf_pairing p = {item, &item->traces[i], declared, notes, count, NULL, NULL};
        struct cf_outcome one = {.verdict = CF_FAIL};

        judge_trace(&p, arena, &one);
        if (!best || fails_at(&one) > fails_at(out)) {
            *out = one;
            best = &item->traces[i];
        }
    }
    if (out->verdict == CF_PASS && never)
        judge_never(never, arena, out);
    if (out->verdict == CF_PASS && best && best->name.len > 0)
        out->why = best->name;
    if (item->observed) {
        if (out->verdict != CF_PASS)
            out->why = KP_TEXT("none of the alternatives");
        out->verdict = CF_OBSERVED;
    }
}

/* ---- a play ---------------------------------------------------------------------------------- */

/* One more letter of `told`, and whether its column is as wanted. */
struct playing {
    const struct cf_case *item;
    size_t column; /* in saw; the executions are its letters but | and _ */
    char now;      /* the result as it is */
    char first;    /* of a new instance */
    char declared; /* what the implementation has in its place; or the same */
    bool changed;  /* this instance was to have another result since */
    bool begun;    /* an execution of this column began */
    bool bad;
    int64_t bad_ns;
    struct kp_text whom; /* the instance that the column's execution is of */
    char *got;           /* what came, as long as saw */
};

static char letter_of(const struct cf_note *note)
{
    struct kp_text value = note->words[3].text;

    return value.len == 7 && value.bytes[0] == 's' ? '+' : value.bytes[0] == 'f' ? '-' : '?';
}

/* The column's execution is over: the next one began, or nothing more comes. */
static void end_column(struct playing *p, int64_t at_ns)
{
    char wanted = p->item->told.bytes[p->column];

    p->got[p->column] = p->now;
    p->changed = p->changed || wanted != p->first;
    if (wanted != p->now && (p->changed || p->now != p->declared) && !p->bad) {
        p->bad = true;
        p->bad_ns = at_ns;
    }
    p->column++;
    p->begun = false;
    while (p->column < p->item->saw.len && p->item->saw.bytes[p->column] == '|') {
        p->got[p->column] = '|';
        p->changed = false;
        p->column++;
    }
}

/* A new execution began. */
static void begin_column(struct playing *p, int64_t at_ns)
{
    if (p->begun)
        end_column(p, at_ns);
    if (p->column < p->item->saw.len && p->item->saw.bytes[p->column] == '_' && !p->bad) {
        p->bad = true; /* it was to rest */
        p->bad_ns = at_ns;
        p->got[p->column] = '!';
    }
    p->begun = p->column < p->item->saw.len;
}

static void play_note(struct playing *p, const struct cf_note *note)
{
    struct kp_text attempt = note->word_count > 3 ? note->words[3].text : KP_TEXT("#1");

    if (!kp_text_equal(note->words[2].text,
                       kp_text_of(p->item->play_type == KP_LIVENESS    ? "liveness"
                                  : p->item->play_type == KP_READINESS ? "readiness"
                                                                       : "startup")))
        return;
    if (note->kind == KP_EFFECT_RESULT) {
        if (p->begun && !kp_text_equal(p->whom, note->words[0].text))
            end_column(p, note->at_ns); /* a new instance begins with a result of its own */
        p->now = letter_of(note);
    } else if (kp_text_equal(attempt, KP_TEXT("#1"))) {
        begin_column(p, note->at_ns);
        p->whom = note->words[0].text;
    }
}

static char letter_for(int result)
{
    return result == KP_RESULT_SUCCESS ? '+' : result == KP_RESULT_FAILURE ? '-' : '?';
}

static void match_play(const struct cf_case *item, const struct cf_record *record,
                       const struct cf_declared *declared, struct cf_arena *arena,
                       struct cf_outcome *out)
{
    struct playing p = {.item = item, .now = '?'};
    size_t len = item->saw.len;
    struct timeline t;

    p.got = cf_arena_alloc(arena, len + 1);
    if (!p.got || !timeline_init(&t, arena, 1))
        return;
    memset(p.got, ' ', len);
    p.first = letter_for(cf_declared_kubelets_first(item->play_type));
    p.declared = declared->initial[item->play_type] == CF_NO_WORD
                     ? p.first
                     : letter_for(declared->initial[item->play_type]);
    for (size_t i = 0; i < record->count && p.column < len; i++)
        if (record->notes[i].kind == KP_EFFECT_RESULT || record->notes[i].kind == KP_EFFECT_PROBE)
            play_note(&p, &record->notes[i]);
    if (p.begun && p.column < len)
        end_column(&p, item->end_ns);
    while (p.column < len && item->saw.bytes[p.column] == '_')
        p.got[p.column++] = '_';
    if (p.column < len && !p.bad) {
        p.bad = true;
        p.bad_ns = item->end_ns;
    }
    add_moment(&t, p.bad_ns, cf_arena_format(arena, "told %.*s", (int)len, item->told.bytes),
               cf_arena_format(arena, "told %.*s", (int)len, p.got), p.bad);
    conclude(&t, out);
}

/* ---- both ------------------------------------------------------------------------------------ */

void cf_match(const struct cf_case *item, const struct cf_record *record,
              const struct cf_declared *declared, struct cf_arena *arena, struct cf_outcome *out)
{
    const struct cf_outcome unjudged = {.verdict = CF_FAIL,
                                        .why = KP_TEXT("no memory to judge it")};

    *out = unjudged;
    if (item->kind == CF_PLAY)
        match_play(item, record, declared, arena, out);
    else
        match_scenario(item, record, declared, arena, out);
    if (arena->failed)
        *out = unjudged;
}

bool cf_match_can_judge(const struct cf_case *item, uint32_t kinds)
{
    if (item->kind == CF_PLAY)
        return observes(kinds, KP_EFFECT_RESULT) && observes(kinds, KP_EFFECT_PROBE);
    for (size_t i = 0; i < item->trace_count; i++)
        for (size_t k = 0; k < item->traces[i].want_count; k++)
            if (observes(kinds, item->traces[i].wants[k].kind))
                return true;
    for (size_t i = 0; i < item->never_count; i++)
        if (observes(kinds, item->nevers[i].kind))
            return true;
    return item->traces[0].want_count == 0;
}
