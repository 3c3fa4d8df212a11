#include "conformance/text/node.h"

#include <stdlib.h>
#include <string.h>

struct cf_node *cf_node_new(struct cf_arena *arena, enum cf_node_kind kind, struct cf_place at)
{
    struct cf_node *node = cf_arena_alloc(arena, sizeof *node);

    if (node) {
        node->kind = kind;
        node->at = at;
    }
    return node;
}

struct cf_node *cf_node_string(struct cf_arena *arena, struct kp_text text)
{
    struct cf_node *node = cf_node_new(arena, CF_STRING, (struct cf_place){0});

    if (node)
        node->text = text;
    return node;
}

struct cf_node *cf_node_int(struct cf_arena *arena, int64_t number)
{
    struct cf_node *node = cf_node_new(arena, CF_NUMBER, (struct cf_place){0});
    char digits[24];
    struct kp_buf buf = {digits, sizeof digits, 0};

    kp_buf_put_int(&buf, number);
    if (node)
        node->text = cf_arena_text(arena, kp_buf_text(&buf));
    return node;
}

struct cf_node *cf_node_bool(struct cf_arena *arena, bool truth)
{
    struct cf_node *node = cf_node_new(arena, CF_BOOL, (struct cf_place){0});

    if (node) {
        node->truth = truth;
        node->text = truth ? KP_TEXT("true") : KP_TEXT("false");
    }
    return node;
}

void cf_node_append(struct cf_node *parent, struct cf_node *child)
{
    if (!parent || !child)
        return;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void cf_node_put(struct cf_node *map, struct kp_text key, struct cf_node *child)
{
    if (child)
        child->key = key;
    cf_node_append(map, child);
}

void cf_node_set(struct cf_node *map, struct kp_text key, struct cf_node *child)
{
    struct cf_node **link;

    if (!map)
        return;
    link = &map->first;
    while (*link && !kp_text_equal((*link)->key, key))
        link = &(*link)->next;
    if (!*link || !child) {
        cf_node_put(map, key, child);
        return;
    }
    child->key = key;
    child->key_at = (*link)->key_at;
    child->next = (*link)->next;
    if (map->last == *link)
        map->last = child;
    *link = child;
}

void cf_node_remove(struct cf_node *map, struct kp_text key)
{
    struct cf_node **link;

    if (!map)
        return;
    link = &map->first;
    map->last = NULL;
    while (*link) {
        if (kp_text_equal((*link)->key, key)) {
            *link = (*link)->next;
            map->count--;
            continue;
        }
        map->last = *link;
        link = &(*link)->next;
    }
}

struct cf_node *cf_node_bare(struct cf_arena *arena, const struct cf_node *node)
{
    struct cf_node *copy = cf_arena_alloc(arena, sizeof *copy);

    if (copy) {
        *copy = *node;
        copy->first = copy->last = copy->next = NULL;
        copy->count = 0;
    }
    return copy;
}

struct cf_node *cf_node_copy(struct cf_arena *arena, const struct cf_node *node)
{
    struct cf_node *copy = cf_node_bare(arena, node);

    for (const struct cf_node *child = node->first; child; child = child->next)
        cf_node_append(copy, cf_node_copy(arena, child));
    return copy;
}

static struct cf_node *find_text(const struct cf_node *map, struct kp_text key)
{
    struct cf_node *found = NULL;

    if (!map || map->kind != CF_MAP)
        return NULL;
    for (struct cf_node *child = map->first; child; child = child->next)
        if (kp_text_equal(child->key, key))
            found = child;
    return found;
}

size_t cf_node_count(const struct cf_node *node)
{
    size_t count = 1;

    for (const struct cf_node *one = node->first; one; one = one->next)
        count += cf_node_count(one);
    return count;
}

struct cf_node *cf_node_find(const struct cf_node *map, const char *key)
{
    return find_text(map, kp_text_of(key));
}

struct kp_text cf_node_text(const struct cf_node *map, const char *key)
{
    const struct cf_node *node = cf_node_find(map, key);

    return node && node->kind == CF_STRING ? node->text : KP_TEXT_NONE;
}

struct cf_node *cf_node_at(const struct cf_node *parent, size_t index)
{
    struct cf_node *child = parent ? parent->first : NULL;

    while (child && index-- > 0)
        child = child->next;
    return child;
}

bool cf_node_int_value(const struct cf_node *node, int64_t *number)
{
    bool negative;
    uint64_t value;

    if (!node || node->kind != CF_NUMBER || node->text.len == 0)
        return false;
    negative = node->text.bytes[0] == '-';
    if (!kp_text_number(kp_text_from(node->text, negative), (uint64_t)INT64_MAX + negative, &value))
        return false;
    *number = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

const char *cf_node_kind_name(enum cf_node_kind kind)
{
    static const char *const names[] = {
        [CF_NULL] = "null",       [CF_BOOL] = "true or false", [CF_NUMBER] = "a number",
        [CF_STRING] = "a string", [CF_LIST] = "a list",        [CF_MAP] = "a map",
    };

    return names[kind];
}

int cf_node_order(const struct cf_node *a, const struct cf_node *b)
{
    for (size_t i = 0; i < a->key.len && i < b->key.len; i++)
        if (a->key.bytes[i] != b->key.bytes[i])
            return (unsigned char)a->key.bytes[i] - (unsigned char)b->key.bytes[i];
    return (a->key.len > b->key.len) - (a->key.len < b->key.len);
}

struct keyed {
    struct cf_node *node;
    int order;
};

static int compare_keys(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;
    int by_key = cf_node_order(a->node, b->node);

    return by_key != 0 ? by_key : a->order - b->order;
}

bool cf_node_mark_duplicates(struct cf_arena *arena, struct cf_node *map)
{
    struct keyed *sorted;
    int count = 0;

    if (map->count < 2)
        return true;
    sorted = cf_arena_array(arena, map->count, sizeof *sorted);
    if (!sorted)
        return false;
    for (struct cf_node *child = map->first; child; child = child->next) {
        sorted[count] = (struct keyed){child, count};
        count++;
    }
    qsort(sorted, map->count, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < map->count; i++)
        sorted[i].node->duplicate = kp_text_equal(sorted[i].node->key, sorted[i - 1].node->key);
    return true;
}

const struct cf_node *cf_node_first_duplicate(const struct cf_node *node)
{
    for (const struct cf_node *child = node->first; child; child = child->next) {
        const struct cf_node *found = child->duplicate ? child : cf_node_first_duplicate(child);

        if (found)
            return found;
    }
    return NULL;
}

/* One step of a field path: ".name", "[3]" or "[key]"; advances *at over it. */
static const struct cf_node *follow(const struct cf_node *node, struct kp_text path, size_t *at)
{
    bool bracket = path.bytes[*at] == '[';
    size_t start = bracket || path.bytes[*at] == '.' ? *at + 1 : *at;
    size_t end = start;
    struct kp_text part;

    while (end < path.len &&
           (bracket ? path.bytes[end] != ']' : path.bytes[end] != '.' && path.bytes[end] != '['))
        end++;
    *at = end + bracket;
    part = (struct kp_text){path.bytes + start, end - start};
    if (node->kind == CF_LIST && bracket) {
        struct cf_node index = {.kind = CF_NUMBER, .text = part};
        int64_t number = 0;

        return cf_node_int_value(&index, &number) && number >= 0 ? cf_node_at(node, (size_t)number)
                                                                 : NULL;
    }
    return find_text(node, part);
}

const struct cf_node *cf_node_follow(const struct cf_node *root, struct kp_text path)
{
    for (size_t at = 0; root && at < path.len;)
        root = follow(root, path, &at);
    return root;
}

struct cf_place cf_node_place(const struct cf_node *root, struct kp_text path)
{
    struct cf_place place = root->at;
    size_t at = 0;

    for (const struct cf_node *node = root; at < path.len;) {
        node = follow(node, path, &at);
        if (!node)
            break;
        place = node->key_at.line > 0 ? node->key_at : node->at;
    }
    return place;
}

static void put_json_escape(struct kp_buf *buf, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = "\"\\\b\f\n\r\t";
    const char *named = memchr(letters, c, sizeof letters - 1);

    kp_buf_put_char(buf, '\\');
    if (named) {
        kp_buf_put_char(buf, "\"\\bfnrt"[named - letters]);
        return;
    }
    kp_buf_put(buf, KP_TEXT("u00"));
    kp_buf_put_char(buf, hex[c >> 4]);
    kp_buf_put_char(buf, hex[c & 15]);
}

static void put_json_string(struct kp_buf *buf, struct kp_text text)
{
    size_t plain = 0; /* from here on nothing wants an escape */

    kp_buf_put_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        kp_buf_put(buf, (struct kp_text){text.bytes + plain, i - plain});
        put_json_escape(buf, c);
        plain = i + 1;
    }
    kp_buf_put(buf, kp_text_from(text, plain));
    kp_buf_put_char(buf, '"');
}

static bool repeated_later(const struct cf_node *member)
{
    for (const struct cf_node *later = member->next; later; later = later->next)
        if (later->duplicate && kp_text_equal(later->key, member->key))
            return true;
    return false;
}

static bool any_duplicate(const struct cf_node *map)
{
    for (const struct cf_node *child = map->first; child; child = child->next)
        if (child->duplicate)
            return true;
    return false;
}

static void put_json(struct kp_buf *buf, const struct cf_node *node)
{
    bool map = node->kind == CF_MAP;
    bool duplicates = map && any_duplicate(node);
    bool first = true;

    if (node->kind != CF_LIST && !map) {
        if (node->kind == CF_STRING)
            put_json_string(buf, node->text);
        else
            kp_buf_put(buf, node->kind == CF_NULL ? KP_TEXT("null") : node->text);
        return;
    }
    kp_buf_put_char(buf, map ? '{' : '[');
    for (const struct cf_node *child = node->first; child; child = child->next) {
        if (duplicates && repeated_later(child))
            continue;
        if (!first)
            kp_buf_put_char(buf, ',');
        first = false;
        if (map) {
            put_json_string(buf, child->key);
            kp_buf_put_char(buf, ':');
        }
        put_json(buf, child);
    }
    kp_buf_put_char(buf, map ? '}' : ']');
}

struct kp_text cf_node_json(struct cf_arena *arena, const struct cf_node *node)
{
    struct kp_buf buf = {0};

    put_json(&buf, node);
    buf = cf_arena_buf(arena, buf.need);
    if (!buf.bytes)
        return KP_TEXT("");
    put_json(&buf, node);
    return kp_buf_text(&buf);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return kp_text_hash(hash, (struct kp_text){(const char *)&number, sizeof number});
}

static uint64_t hash_map(const struct cf_node *map)
{
    bool duplicates = any_duplicate(map);
    uint64_t sum = 0;

    for (const struct cf_node *child = map->first; child; child = child->next)
        if (child->kind != CF_NULL && !(duplicates && repeated_later(child)))
            sum += hash_number(kp_text_hash(KP_HASH, child->key), cf_node_hash(child));
    return sum;
}

uint64_t cf_node_hash(const struct cf_node *node)
{
    uint64_t hash = hash_number(KP_HASH, (uint64_t)node->kind);

    if (node->kind == CF_MAP)
        return hash_number(hash, hash_map(node));
    if (node->kind != CF_LIST)
        return kp_text_hash(hash, node->text);
    for (const struct cf_node *child = node->first; child; child = child->next)
        hash = hash_number(hash, cf_node_hash(child));
    return hash;
}
