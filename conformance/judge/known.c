#include "conformance/judge/known.h"

#include <string.h>

/* ---- reading ------------------------------------------------------------------------------ */

/* A line without its end, which may be Windows', and the blanks before it. */
static bool next_line(struct kp_text *left, struct kp_text *line)
{
    if (!kp_text_next_line(left, line))
        return false;
    while (line->len > 0 &&
           (line->bytes[line->len - 1] == ' ' || line->bytes[line->len - 1] == '\r'))
        line->len--;
    return true;
}

static bool is_blank(struct kp_text line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.bytes[i] != ' ' && line.bytes[i] != '\t')
            return false;
    return true;
}

/* "name: value" */
static bool take_field(struct kp_text line, const char *name, struct kp_text *value)
{
    struct kp_text head;

    if (!kp_text_cut(line, ':', &head, value) || !kp_text_equal(head, kp_text_of(name)))
        return false;
    while (value->len > 0 && value->bytes[0] == ' ')
        *value = kp_text_from(*value, 1);
    return true;
}

/* What stands there may be any bytes at all: it is quoted, so that none of them reaches a terminal.
 */
static bool fail_line(struct cf_reader *reader, size_t number, struct kp_text line)
{
    char bytes[260];
    struct kp_buf quoted = {bytes, sizeof bytes - 1, 0};

    line.len = line.len < 60 ? line.len : 60;
    kp_buf_put_quoted(&quoted, line);
    bytes[kp_buf_text(&quoted).len] = '\0';
    return cf_reader_fail(reader, "%zu:1: not one of case, k8s, signature, reason: %s", number,
                          bytes);
}

static bool read_field(struct cf_reader *reader, struct kp_text line, size_t number,
                       struct cf_known_entry *entry)
{
    struct kp_text *const slots[] = {&entry->id, &entry->k8s, &entry->signature, &entry->reason};
    static const char *const names[] = {"case", "k8s", "signature", "reason"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct kp_text value;

        if (!take_field(line, names[i], &value))
            continue;
        if (value.len == 0)
            return cf_reader_fail(reader, "%zu:%zu: `%s` is empty", number, strlen(names[i]) + 2,
                                  names[i]);
        if (slots[i]->len > 0)
            return cf_reader_fail(reader, "%zu:1: a second `%s` in this block", number, names[i]);
        *slots[i] = value;
        if (entry->line == 0)
            entry->line = number;
        return true;
    }
    return fail_line(reader, number, line);
}

static bool end_entry(struct cf_reader *reader, struct cf_known *known,
                      struct cf_known_entry *entries)
{
    struct cf_known_entry *entry = &entries[known->count];

    if (entry->line == 0)
        return true;
    if (entry->id.len == 0 || entry->signature.len == 0 || entry->reason.len == 0)
        return cf_reader_fail(reader, "%zu:1: the block lacks `%s`", entry->line,
                              entry->id.len == 0          ? "case"
                              : entry->signature.len == 0 ? "signature"
                                                          : "reason");
    known->count++;
    return true;
}

static bool check_twice(struct cf_reader *reader, const struct cf_known *known)
{
    for (size_t i = 0; i < known->count; i++)
        for (size_t k = 0; k < i; k++)
            if (kp_text_equal(known->entries[i].id, known->entries[k].id) &&
                kp_text_equal(known->entries[i].k8s, known->entries[k].k8s))
                return cf_reader_fail(reader, "%zu:1: %.*s is listed already, at line %zu",
                                      known->entries[i].line, KP_ARG(known->entries[i].id),
                                      known->entries[k].line);
    return true;
}

bool cf_known_read(struct cf_reader *reader, struct kp_text bytes, struct cf_known *known)
{
    struct cf_known_entry *entries =
        cf_arena_array(reader->arena, kp_text_count_lines(bytes) + 1, sizeof *entries);
    struct kp_text left = bytes;
    struct kp_text line;

    *known = (struct cf_known){entries, 0};
    for (size_t number = 1; next_line(&left, &line); number++) {
        if (line.len > 0 && line.bytes[0] == '#')
            continue;
        if (is_blank(line) ? !end_entry(reader, known, entries)
                           : !read_field(reader, line, number, &entries[known->count]))
            return false;
    }
    return end_entry(reader, known, entries) && check_twice(reader, known);
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Is the word one of those between spaces? */
static bool lists(struct kp_text words, struct kp_text word)
{
    size_t at = 0;

    while (at < words.len) {
        size_t end = at;

        while (end < words.len && words.bytes[end] != ' ')
            end++;
        if (kp_text_equal((struct kp_text){words.bytes + at, end - at}, word))
            return true;
        at = end + 1;
    }
    return false;
}

static bool speaks_of(const struct cf_known_entry *entry, struct kp_text id, struct kp_text k8s)
{
    return kp_text_equal(entry->id, id) && (entry->k8s.len == 0 || lists(entry->k8s, k8s));
}

/* The entry that speaks of that case at that version, or NULL. */
static const struct cf_known_entry *find_entry(const struct cf_known *known, struct kp_text id,
                                               struct kp_text k8s)
{
    for (size_t i = 0; i < known->count; i++)
        if (speaks_of(&known->entries[i], id, k8s))
            return &known->entries[i];
    return NULL;
}

static bool is_failure(enum cf_verdict verdict)
{
    return verdict == CF_FAIL || verdict == CF_CRASH || verdict == CF_TIMEOUT ||
           verdict == CF_PROTOCOL || verdict == CF_LIVELOCK || verdict == CF_XFAIL;
}

void cf_known_apply(const struct cf_known *known, struct cf_arena *arena,
                    struct cf_result_case *item)
{
    const struct cf_known_entry *entry = find_entry(known, item->id, item->k8s);
    struct cf_outcome *outcome = &item->outcome;

    if (entry == NULL)
        return;
    if (outcome->verdict == CF_PASS) {
        outcome->verdict = CF_XPASS;
        outcome->why = cf_arena_format(arena,
                                       "it passes, but line %zu of the known failures lists "
                                       "it: take it out",
                                       entry->line);
    } else if (is_failure(outcome->verdict) &&
               kp_text_equal(outcome->signature, entry->signature)) {
        outcome->verdict = CF_XFAIL;
        item->reason = entry->reason;
    } else if (is_failure(outcome->verdict)) {
        outcome->why = cf_arena_format(arena, "%.*s; known was another failure: %.*s",
                                       KP_ARG(outcome->why), KP_ARG(entry->signature));
    }
}

/* ---- rewriting ---------------------------------------------------------------------------- */

static bool was_played(const struct cf_result *result, const struct cf_known_entry *entry)
{
    for (size_t i = 0; i < result->case_count; i++) {
        const struct cf_result_case *item = &result->cases[i];

        if (speaks_of(entry, item->id, item->k8s) && item->outcome.verdict != CF_SKIP &&
            item->outcome.verdict != CF_NOISY && item->outcome.verdict != CF_NOT_RUN)
            return true;
    }
    return false;
}

static void put_line(struct cf_out *out, const char *name, struct kp_text value)
{
    cf_out_put_string(out, name);
    cf_out_put(out, KP_TEXT(": "));
    cf_out_put(out, value);
    cf_out_put_char(out, '\n');
}

static void put_entry(struct cf_out *out, const struct cf_known_entry *entry)
{
    cf_out_put_char(out, '\n');
    put_line(out, "case", entry->id);
    if (entry->k8s.len > 0)
        put_line(out, "k8s", entry->k8s);
    put_line(out, "signature", entry->signature);
    put_line(out, "reason", entry->reason);
}

static bool fails_alike(const struct cf_result_case *a, const struct cf_result_case *b)
{
    return is_failure(a->outcome.verdict) && is_failure(b->outcome.verdict) &&
           kp_text_equal(a->id, b->id) && kp_text_equal(a->outcome.signature, b->outcome.signature);
}

/* An earlier version of the run failed just so: its block speaks of this one too. */
static bool has_entry(const struct cf_result *result, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (fails_alike(&result->cases[i], &result->cases[index]))
            return true;
    return false;
}

static void put_versions(struct cf_out *out, const struct cf_result *result, size_t index)
{
    for (size_t i = index; i < result->case_count; i++)
        if (fails_alike(&result->cases[i], &result->cases[index])) {
            if (i > index)
                cf_out_put_char(out, ' ');
            cf_out_put(out, result->cases[i].k8s);
        }
}

void cf_known_update(const struct cf_known *known, const struct cf_result *result,
                     struct cf_out *out)
{
    cf_out_put(out, KP_TEXT("# Known failures; `--update-known` rewrites this file and keeps the "
                            "reasons.\n"));
    for (size_t i = 0; i < known->count; i++)
        if (!was_played(result, &known->entries[i]))
            put_entry(out, &known->entries[i]);
    for (size_t i = 0; i < result->case_count; i++) {
        const struct cf_result_case *item = &result->cases[i];
        const struct cf_known_entry *old = find_entry(known, item->id, item->k8s);
        struct cf_known_entry entry = {.id = item->id,
                                       .signature = item->outcome.signature,
                                       .reason = old ? old->reason : KP_TEXT(CF_KNOWN_UNEXPLAINED)};
        struct cf_out versions = {0};

        if (!is_failure(item->outcome.verdict) || has_entry(result, i))
            continue;
        put_versions(&versions, result, i);
        if (result->header.k8s.count > 1)
            entry.k8s = cf_out_text(&versions);
        put_entry(out, &entry);
        cf_out_deinit(&versions);
    }
}
