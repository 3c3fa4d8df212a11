/*
 * wire.h: the messages of the adapter protocol (conformance/protocol.md) as structs, both ways: the
 * runner writes requests and reads replies, `probetest serve` reads requests and writes replies.
 *
 * Writers append to a cf_out.  Readers take a parsed line; what they give borrows from its arena.
 * A reader that returns false has put one sentence into *why (in the arena).
 */
#pragma once

#include "conformance/protocol/layer.h"
#include "conformance/text/node.h"
#include "conformance/text/out.h"
#include "core/base/version.h"
#include "fakes/impl.h"

#define CF_PROTOCOL_VERSION PROBETEST_PROTOCOL
#define CF_LINE_BYTES_MAX (1024 * 1024) /* the newline not counted */
#define CF_LINE_DEPTH_MAX 64
#define CF_TIME_MS_MAX INT64_C(9000000000000) /* so that nanoseconds fit, with room to add */
#define CF_SPEED_MAX 1000
#define CF_EPOCH_NS (INT64_C(1704067200) * KP_NS_PER_S) /* 2024-01-01T00:00:00Z */

/* ---- words of the protocol ---------------------------------------------------------------- */

/* The words of an enum, the first of them for the value `first`. */
struct cf_words {
    const char *const *list;
    size_t count;
    int first;
};

extern const struct cf_words cf_probe_type_words, cf_result_words, cf_answer_words, cf_hook_words,
    cf_kill_reason_words, cf_sandbox_words, cf_phase_words, cf_condition_words, cf_event_type_words,
    cf_effect_words, cf_event_words, cf_layer_words, cf_tier_words, cf_verdict_words;
#define CF_EFFECT_KINDS (KP_EFFECT_SYNC + 1)
#define CF_EVENT_KINDS (KP_EVENT_ADDPOD + 1)

const char *cf_word_of(const struct cf_words *words, int value);
/* The same of an enum or a number: compilers differ in what sign an enum has. */
#define cf_word(words, value) cf_word_of(words, (int)(value))
/* The value of a word, or CF_NO_WORD; the empty word is a word too. */
int cf_find_word(const struct cf_words *words, struct kp_text word);
#define CF_NO_WORD (-2)

/* ---- reading members ---------------------------------------------------------------------- */

/* A parsed line (or part of one), and where errors go. */
struct cf_reader {
    struct cf_arena *arena;
    struct kp_text why; /* set by the first failure */
};

/*
 * Parse one line: UTF-8, not longer than CF_LINE_BYTES_MAX, not deeper than CF_LINE_DEPTH_MAX.
 * NULL: it is none of that, and the reader says why.
 */
struct cf_node *cf_read_line(struct cf_reader *reader, struct kp_text line);
/* Note why, once.  Returns: false. */
bool cf_reader_fail(struct cf_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number that is an integer in effect (5, 5.0, 5e3) and fits int64. */
bool cf_number_int(const struct cf_node *node, int64_t *number);
/*
 * Members of a map.  Absent or null leaves *out as it was; one of a wrong type, or out of range, is
 * a failure.
 */
bool cf_member_int(struct cf_reader *reader, const struct cf_node *map, const char *name,
                   int64_t min, int64_t max, int64_t *out);
/* Milliseconds in the text, nanoseconds in *out_ns. */
bool cf_member_ms(struct cf_reader *reader, const struct cf_node *map, const char *name,
                  int64_t *out_ns);
bool cf_member_text(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    struct kp_text *out);
bool cf_member_bool(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    bool *out);
/* One of the words, which an error names; `required`: it must be there. */
bool cf_member_word(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    const struct cf_words *words, bool required, int *out);
bool cf_reader_no_word(struct cf_reader *reader, const char *name, struct kp_text word,
                       const struct cf_words *words);
/* NULL where absent or null; a failure where it is of another kind. */
bool cf_member_node(struct cf_reader *reader, const struct cf_node *map, const char *name,
                    enum cf_node_kind kind, const struct cf_node **out);

/* ---- hello -------------------------------------------------------------------------------- */

/* What of an attempt is judged beside its result: what arrived at the server, and the words. */
enum cf_fire_part { CF_FIRE_REQUEST, CF_FIRE_TEXT, CF_FIRE_PARTS };
extern const struct cf_words cf_observable_words;

struct cf_gate_setting {
    struct kp_text name;
    bool on;
};

/* The request. */
struct cf_hello {
    int64_t protocol;
    struct kp_text k8s; /* empty: not said */
    const struct cf_gate_setting *gates;
    size_t gate_count;
    uint64_t seed;
};

/* All features that the protocol has, and what a plain pod may ask for and an implementation may
 * lack; sorted. */
extern const struct cf_words cf_feature_words, cf_lack_words;

/* Whether a list has this text. */
bool cf_listed(const struct kp_text_list *list, struct kp_text text);
/* Whether a list of versions has this one.  Of 1.36.2 also "1.36" speaks. */
bool cf_version_listed(const struct kp_text_list *list, const struct kp_profile *version);

/* What an adapter says it is and can do. */
struct cf_hello_ok {
    int64_t protocol;
    struct kp_text name;
    struct kp_text version;
    struct kp_text language;
    struct kp_text url;
    struct kp_text_list k8s;
    bool layers[CF_LAYERS];
    struct kp_text_list features;
    struct kp_text_list lacks;
    bool says_observes; /* false: it left `observes` out, which means all */
    bool observes[CF_EFFECT_KINDS];
    bool observes_part[CF_FIRE_PARTS]; /* of layer fire, beside the result */
    int tiers[CF_LAYERS];              /* enum cf_tier; CF_NO_WORD: it does not say */
    int initial[KP_PROBE_TYPES];       /* enum kp_result; CF_NO_WORD: as the kubelet's */
    bool real_clock;
    int64_t speed; /* with a real clock: how many times as fast it can live, at most */
};

void cf_put_hello(struct cf_out *out, const struct cf_hello *hello);
bool cf_read_hello(struct cf_reader *reader, const struct cf_node *request, struct cf_hello *hello);
/* As the value of `ok`. */
void cf_put_hello_ok(struct cf_out *out, const struct cf_hello_ok *ok);
bool cf_read_hello_ok(struct cf_reader *reader, const struct cf_node *ok, struct cf_hello_ok *out);
/* For people: "tier contract", "tier exact of probe, contract of pod"; nothing where it says none.
 */
void cf_put_tiers(struct cf_out *out, const struct cf_hello_ok *ok);

/* ---- open, advance ------------------------------------------------------------------------ */

/* How worker starts are delayed: part of open and of kubelet-restart. */
struct cf_jitter {
    enum fake_jitter_mode mode;
    const struct fake_jitter_row *rows;
    size_t row_count;
};

/* The pods of an open case.  Where there are several, events and effects name theirs. */
struct cf_wire_pods {
    const struct kp_pod **list;
    size_t count;
};

/* The member `pod`, from the tree that the pod was decoded from. */
void cf_put_pod(struct cf_out *out, const struct kp_pod *pod);
/* The same, or the member `pods` where there are several. */
void cf_put_pods(struct cf_out *out, const struct cf_wire_pods *pods);
/* The members of the request, without pod and profile; reading leaves those alone. */
void cf_put_open(struct cf_out *out, const struct fake_open *open);
bool cf_read_open(struct cf_reader *reader, const struct cf_node *request, struct fake_open *open);
/* `jitter` of that map; absent: none. */
bool cf_read_jitter(struct cf_reader *reader, const struct cf_node *map, struct cf_jitter *jitter);

/* Decodes the `pod` of an update event; NULL: it does not decode, and says why. */
struct cf_pod_reader {
    const struct kp_pod *(*read)(void *ctx, struct cf_reader *reader, const struct cf_node *pod);
    void *ctx;
};

/* One event as an object. */
void cf_put_event(struct cf_out *out, const struct cf_wire_pods *pods,
                  const struct kp_event *event);
/* *known is false for a kind that this protocol version does not have: to be ignored. */
bool cf_read_event(struct cf_reader *reader, const struct cf_node *node,
                   const struct cf_wire_pods *pods, const struct cf_pod_reader *updates,
                   struct kp_event *event, bool *known);

/* ---- effects ------------------------------------------------------------------------------ */

/* A member whose value is a sentence of the kubelet's. */
void cf_json_message(struct cf_out *out, const char *name, const struct kp_message *message);
/* One effect as an object: the fields of protocol.md section 3 and no others; names_pod: the case
 * has several. */
void cf_put_effect(struct cf_out *out, const struct kp_effect *effect, bool names_pod);
/*
 * Strict: an unknown kind or member, a missing or ill-typed one, a container that the pod has not,
 * are failures.  Times of states are unknown on the wire: 0.
 */
bool cf_read_effect(struct cf_reader *reader, const struct cf_node *node,
                    const struct cf_wire_pods *pods, struct kp_effect *effect);
/* The pod that the member `pod` names, or the only one. */
bool cf_read_pod_name(struct cf_reader *reader, const struct cf_node *node,
                      const struct cf_wire_pods *pods, uint32_t *pod);
/* `waiting:Reason: message` and the like, as the effect `state` shows a container's state. */
void cf_put_state(struct cf_out *out, const struct kp_state *state);
bool cf_read_state(struct kp_text text, struct kp_state *state);

/* ---- questions ---------------------------------------------------------------------------- */

/*
 * Has the value of `ok` just the fields that the protocol gives the reply to that question?
 * Strict, as effects are: an unknown field, a missing or ill-typed one is a failure.
 *
 * layer:    port, check, actions, events or kubectl.
 */
bool cf_check_answer(struct cf_reader *reader, enum cf_layer layer, const struct cf_node *ok);
