/* case_file.c: a file of cases: defaults and families, and the cases that they become. */
#include "conformance/table/case_read.h"
#include "conformance/text/yaml.h"

#include <string.h>

/* ---- families -------------------------------------------------------------------------------- */

/* The same once more, to stand in another map: what is below it is not copied. */
static struct cf_node *share(struct cf_arena *arena, const struct cf_node *node)
{
    struct cf_node *copy = cf_node_new(arena, node->kind, node->at);

    if (copy) {
        *copy = *node;
        copy->next = NULL;
    }
    return copy;
}

/* A map with members of its own, which share what is below them. */
static struct cf_node *copy_members(struct cf_arena *arena, const struct cf_node *map)
{
    struct cf_node *copy = cf_node_new(arena, map->kind, map->at);

    if (!copy)
        return NULL;
    copy->key = map->key;
    copy->key_at = map->key_at;
    for (const struct cf_node *one = map->first; one; one = one->next)
        cf_node_append(copy, share(arena, one));
    return copy;
}

/*
 * What `over` says goes before what `under` says; maps are joined, all else is replaced; what has
 * no value takes away.
 */
static struct cf_node *join(struct cf_arena *arena, const struct cf_node *under,
                            const struct cf_node *over)
{
    struct cf_node *joined = copy_members(arena, under);

    if (!joined)
        return NULL;
    joined->at = over->at;
    for (const struct cf_node *one = over->first; one; one = one->next) {
        const struct cf_node *below = NULL;
        struct cf_node *member;

        for (const struct cf_node *other = joined->first; other; other = other->next)
            if (kp_text_equal(other->key, one->key))
                below = other;
        if (below && one->kind == CF_NULL) {
            cf_node_remove(joined, one->key);
            continue;
        }
        member = below && below->kind == CF_MAP && one->kind == CF_MAP ? join(arena, below, one)
                                                                       : share(arena, one);
        cf_node_set(joined, one->key, member);
        if (member)
            member->key_at = one->key_at;
    }
    return joined;
}

static bool has_key(const struct cf_node *map, struct kp_text key)
{
    for (const struct cf_node *one = map->first; one; one = one->next)
        if (kp_text_equal(one->key, key))
            return true;
    return false;
}

/* The same for whole cases: a key without a value takes away what is below it. */
static struct cf_node *join_case(struct cf_reading *reading, const struct cf_node *under,
                                 const struct cf_node *over)
{
    struct cf_node *joined = join(reading->arena, under, over);

    for (const struct cf_node *one = over->first; joined && one; one = one->next) {
        if (one->kind != CF_NULL)
            continue;
        if (!has_key(under, one->key))
            cf_fault_at(reading, one->key_at,
                        "key '%.*s' has no value, and below there is none to take away (a comma in "
                        "a text wants quotes)",
                        KP_ARG(one->key));
        cf_node_remove(joined, one->key);
    }
    return joined;
}

/* A case with a fault is on the list all the same, so that its id is taken. */
static void add_case(struct cf_reading *reading, struct kp_text topic, const struct cf_node *node)
{
    struct cf_suite *suite = reading->suite;
    struct cf_case item;

    cf_case_read(reading, topic, node, &item);
    cf_suite_put(suite, &item);
}

/* A row's id stands behind the family's. */
static void name_row(struct cf_reading *reading, struct cf_node *joined, const struct cf_node *base,
                     const struct cf_node *row)
{
    struct kp_text family = cf_read_text(reading, cf_node_find(base, "id"));
    const struct cf_node *own = cf_node_find(row, "id");
    struct kp_text id = cf_read_text(reading, own);
    struct cf_node *name;

    if (!own) {
        cf_fault_at(reading, row->at, "rows: each row needs an id of its own");
        return;
    }
    name = cf_node_string(reading->arena,
                          cf_arena_format(reading->arena, "%.*s.%.*s", KP_ARG(family), KP_ARG(id)));
    if (name)
        name->at = own->at;
    cf_node_set(joined, KP_TEXT("id"), name);
}

/* What a row says of itself stands behind what the family says. */
static void explain_row(struct cf_reading *reading, struct cf_node *joined,
                        const struct cf_node *base, const struct cf_node *row)
{
    const struct cf_node *family = cf_node_find(base, "why");
    const struct cf_node *own = cf_node_find(row, "why");
    struct cf_node *why;

    if (!family || !own || family->kind != CF_STRING || own->kind != CF_STRING)
        return;
    why = cf_node_string(reading->arena, cf_arena_format(reading->arena, "%.*s: %.*s",
                                                         KP_ARG(family->text), KP_ARG(own->text)));
    if (why)
        why->at = own->at;
    cf_node_set(joined, KP_TEXT("why"), why);
}

static void read_family(struct cf_reading *reading, struct kp_text topic,
                        const struct cf_node *node)
{
    const struct cf_node *rows = cf_node_find(node, "rows");
    struct cf_node *base;

    if (!rows) {
        add_case(reading, topic, node);
        return;
    }
    if (rows->kind != CF_LIST || rows->count == 0) {
        cf_fault_at(reading, rows->at, "rows: wanted a list");
        return;
    }
    base = copy_members(reading->arena, node);
    if (!base)
        return;
    cf_node_remove(base, KP_TEXT("rows"));
    for (const struct cf_node *row = rows->first; row; row = row->next) {
        struct cf_node *joined;

        if (row->kind != CF_MAP) {
            cf_fault_at(reading, row->at, "rows: each row is a map");
            continue;
        }
        joined = join_case(reading, base, row);
        if (!joined)
            return;
        name_row(reading, joined, base, row);
        explain_row(reading, joined, base, row);
        add_case(reading, topic, joined);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void read_cases(struct cf_reading *reading, struct kp_text topic,
                       const struct cf_node *document)
{
    static const struct cf_node nothing = {.kind = CF_MAP};
    const struct cf_node *defaults = cf_node_find(document, "defaults");
    const struct cf_node *cases = cf_node_find(document, "cases");
    struct kp_text about = cf_read_text(reading, cf_node_find(document, "about"));
    size_t first = reading->suite->case_count;

    for (const struct cf_node *one = document->first; one; one = one->next)
        if (!kp_text_equal(one->key, KP_TEXT("about")) &&
            !kp_text_equal(one->key, KP_TEXT("defaults")) &&
            !kp_text_equal(one->key, KP_TEXT("cases")))
            cf_fault_at(reading, one->key_at,
                        "unknown key '%.*s': a file has about, defaults and cases",
                        KP_ARG(one->key));
    if (about.len == 0)
        cf_fault_at(reading, document->at, "about: a file says in a sentence what it is about");
    if (defaults && defaults->kind != CF_MAP)
        cf_fault_at(reading, defaults->at, "defaults: wanted a map");
    if (!defaults || defaults->kind != CF_MAP)
        defaults = &nothing;
    if (!cases || cases->kind != CF_LIST) {
        cf_fault_at(reading, cases ? cases->at : document->at, "cases: wanted a list");
        return;
    }
    for (const struct cf_node *one = cases->first; one; one = one->next) {
        const struct cf_node *node;

        if (one->kind != CF_MAP) {
            cf_fault_at(reading, one->at, "a case is a map");
            continue;
        }
        node = join_case(reading, defaults, one);
        if (node)
            read_family(reading, topic, node);
    }
    for (; first < reading->suite->case_count; first++)
        reading->suite->cases[first].about = about;
}

static bool split_file(struct cf_reading *reading, struct kp_text text)
{
    struct kp_text left = text;
    struct kp_text *lines;
    struct kp_text line;
    int count = 0;

    while (cf_yaml_next_line(&left, &line))
        count++;
    lines = cf_arena_array(reading->arena, (size_t)count, sizeof *lines);
    if (!lines)
        return false;
    for (int i = 0; i < count; i++)
        cf_yaml_next_line(&text, &lines[i]);
    reading->file_lines = lines;
    reading->file_line_count = count;
    return true;
}

/* The file's name without its folder and its .yaml. */
static struct kp_text topic_of(const struct cf_suite *suite, const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t len = suite->folder ? strlen(suite->folder) : 0;
    bool below = len > 0 && strncmp(file, suite->folder, len) == 0 && file[len] == '/';
    struct kp_text topic = kp_text_of(below ? file + len + 1 : slash ? slash + 1 : file);

    if (kp_text_ends(topic, ".yaml"))
        topic.len -= 5;
    return topic;
}

/* The --- before what stands there. */
static struct cf_place start_of_second(const struct cf_reading *reading, struct cf_place at)
{
    for (int line = at.line; line > 1; line--) {
        if (kp_text_begins(cf_file_line(reading, line), "---"))
            return (struct cf_place){line, 1};
    }
    return at;
}

static void fault_repeated_keys(struct cf_reading *reading, const struct cf_node *node)
{
    for (const struct cf_node *child = node->first; child; child = child->next) {
        if (child->duplicate)
            cf_fault_at(reading, child->key_at, "key \"%.*s\" is already set in this map",
                        KP_ARG(child->key));
        fault_repeated_keys(reading, child);
    }
}

const struct cf_node *cf_suite_document(struct cf_suite *suite, struct cf_reading *reading,
                                        const char *name, struct kp_text text)
{
    const struct cf_yaml_options options = {.plain = true};
    struct cf_node *stream = NULL;
    struct cf_fault fault = {0};
    enum kp_err err;

    *reading = (struct cf_reading){.suite = suite, .arena = &suite->arena};
    reading->file = cf_arena_text(&suite->arena, kp_text_of(name)).bytes;
    text = cf_arena_text(&suite->arena, text);
    if (suite->arena.failed || !split_file(reading, text))
        return NULL;
    err = cf_yaml_parse(&suite->arena, text, options, &stream, &fault);
    if (err == KP_ENOMEM)
        return NULL;
    if (err != KP_OK)
        cf_fault_at(reading, fault.at, "%.*s", KP_ARG(fault.message));
    else if (stream->count == 1 && stream->first->kind == CF_MAP) {
        fault_repeated_keys(reading, stream->first);
        return stream->first;
    } else
        cf_fault_at(reading,
                    stream->count > 1 ? start_of_second(reading, cf_node_at(stream, 1)->at)
                                      : stream->at,
                    "wanted one document, a map (is a play's --- not in quotes?)");
    return NULL;
}

static bool is_same(const struct cf_suite_fault *a, const struct cf_suite_fault *b)
{
    return a->at.line == b->at.line && a->at.column == b->at.column &&
           kp_text_equal(a->message, b->message);
}

/* The faults from `first` on, in the order of the file's text; what each row of a family has once.
 */
static void sort_faults(struct cf_suite *suite, size_t first)
{
    size_t kept = first;

    for (size_t i = first + 1; i < suite->fault_count; i++) {
        struct cf_suite_fault fault = suite->faults[i];
        size_t k = i;

        for (; k > first && (suite->faults[k - 1].at.line > fault.at.line ||
                             (suite->faults[k - 1].at.line == fault.at.line &&
                              suite->faults[k - 1].at.column > fault.at.column));
             k--)
            suite->faults[k] = suite->faults[k - 1];
        suite->faults[k] = fault;
    }
    for (size_t i = first; i < suite->fault_count; i++)
        if (kept == first || !is_same(&suite->faults[kept - 1], &suite->faults[i]))
            suite->faults[kept++] = suite->faults[i];
    suite->fault_count = kept;
}

enum kp_err cf_suite_add(struct cf_suite *suite, const char *name, struct kp_text text)
{
    size_t before = suite->fault_count;
    struct cf_reading reading;
    const struct cf_node *document = cf_suite_document(suite, &reading, name, text);

    if (document)
        read_cases(&reading, topic_of(suite, reading.file), document);
    sort_faults(suite, before);
    if (suite->arena.failed)
        return KP_ENOMEM;
    return suite->fault_count == before ? KP_OK : KP_EINPUT;
}
