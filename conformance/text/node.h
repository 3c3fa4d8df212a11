/*
 * node.h: a document as a tree that remembers where everything stood.
 *
 * YAML and JSON both become this tree; cases, pods and protocol messages are read from it.  All of
 * it lives in one arena.  A map keeps its members in the order of the text, duplicates included:
 * `duplicate` marks each that repeats an earlier key, and cf_node_find gives the last one, as Go
 * does.
 */
#pragma once

#include "conformance/text/arena.h"
#include "core/base/err.h"

enum cf_node_kind { CF_NULL, CF_BOOL, CF_NUMBER, CF_STRING, CF_LIST, CF_MAP };

struct cf_place {
    int line; /* from 1; 0: unknown */
    int column;
};

struct cf_node {
    enum cf_node_kind kind;
    struct cf_place at;
    struct kp_text key; /* members of a map only */
    struct cf_place key_at;
    enum cf_node_kind key_kind; /* from YAML: what the key was before it became a text */
    bool duplicate;             /* an earlier member of the map has that key */
    bool truth;                 /* CF_BOOL */
    bool is_float;              /* CF_NUMBER from YAML: what Go has as a float64 */
    /*
     * CF_STRING: its bytes.  CF_NUMBER: as JSON writes it once YAML has been turned into JSON the
     * way the API server does (0x50 -> 80).  CF_BOOL: true, false.
     */
    struct kp_text text;
    struct kp_text source; /* CF_NUMBER, CF_BOOL, CF_NULL from YAML: the scalar as written */
    struct cf_node *first; /* children of CF_LIST and CF_MAP */
    struct cf_node *last;
    struct cf_node *next; /* the next child of the same parent */
    size_t count;         /* of children */
};

/* What is wrong with an input and where: worded for people, in the arena. */
struct cf_fault {
    struct cf_place at;
    struct kp_text message;
    struct kp_text go_text; /* as the API server words it */
};

/* A fresh node; NULL: no memory. */
struct cf_node *cf_node_new(struct cf_arena *arena, enum cf_node_kind kind, struct cf_place at);
/* A node that is a string, a number; text is borrowed. */
struct cf_node *cf_node_string(struct cf_arena *arena, struct kp_text text);
struct cf_node *cf_node_int(struct cf_arena *arena, int64_t number);
struct cf_node *cf_node_bool(struct cf_arena *arena, bool truth);
/* Put a child behind the others; either may be NULL (no memory): nothing happens then. */
void cf_node_append(struct cf_node *parent, struct cf_node *child);
/* The same under a key. */
void cf_node_put(struct cf_node *map, struct kp_text key, struct cf_node *child);
/* Replace the member of that key, or put it at the end; no map (no memory): nothing happens. */
void cf_node_set(struct cf_node *map, struct kp_text key, struct cf_node *child);
/* Take every member of that key out of the map; no map: nothing happens. */
void cf_node_remove(struct cf_node *map, struct kp_text key);
/* A copy without its children. */
struct cf_node *cf_node_bare(struct cf_arena *arena, const struct cf_node *node);
/* A deep copy, with places. */
struct cf_node *cf_node_copy(struct cf_arena *arena, const struct cf_node *node);

/* Of two members, by their keys as Go sorts strings: < 0, 0 or > 0. */
int cf_node_order(const struct cf_node *a, const struct cf_node *b);

/* How many nodes there are, with this one. */
size_t cf_node_count(const struct cf_node *node);
/* The last member of that key; NULL: none, or no map. */
struct cf_node *cf_node_find(const struct cf_node *map, const char *key);
/* The text of the last member of that key, where it is a string; else none. */
struct kp_text cf_node_text(const struct cf_node *map, const char *key);
/* The child at an index; NULL: none. */
struct cf_node *cf_node_at(const struct cf_node *parent, size_t index);
/* A number without fraction or exponent that fits; false otherwise. */
bool cf_node_int_value(const struct cf_node *node, int64_t *number);
/* "a number", "a list" ...: for errors. */
const char *cf_node_kind_name(enum cf_node_kind kind);

/*
 * Mark members that repeat an earlier key, in n log n; false: no memory.  The parsers have done it.
 */
bool cf_node_mark_duplicates(struct cf_arena *arena, struct cf_node *map);

/* The first duplicate in the order of the text, or NULL. */
const struct cf_node *cf_node_first_duplicate(const struct cf_node *node);

/* The node at a field path such as spec.containers[0].name or
 * metadata.labels[app.kubernetes.io/name]; NULL: there is none. */
const struct cf_node *cf_node_follow(const struct cf_node *root, struct kp_text path);

/* Where a field path such as spec.containers[0].image stands; a part that is not there: its
 * parent. */
struct cf_place cf_node_place(const struct cf_node *root, struct kp_text path);

/* JSON text of the tree, compact, in the order of its members (the last of duplicates), as Go's
 * encoder escapes without HTML escaping. */
struct kp_text cf_node_json(struct cf_arena *arena, const struct cf_node *node);

/* A number for what the tree says: in whatever order its maps have their members (the last of
 * duplicates; one that is null is not there). */
uint64_t cf_node_hash(const struct cf_node *node);
