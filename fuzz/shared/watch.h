/*
 * watch.h: what is remembered of a run of the target `world`, and what the rules promise of each of
 * its effects.
 *
 * A promise that does not hold names its rule and ends the run.
 */
#pragma once

#include "core/kubelet/backoff.h"
#include "fuzz/shared/scenario.h"

#define ATTEMPTS 256 /* attempts that are remembered, by their number */

#define HOLDS(rule, condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            watch_broken(rule, #condition);                                                        \
    } while (0)

struct watched_worker {
    uint32_t out;         /* number of the attempt that is out; 0: none */
    int attempt;          /* of the newest one */
    bool errored;         /* the newest answer asks for another attempt */
    char cid[24];         /* of the newest result */
    enum kp_result value; /* of it */
    bool has_value;
    char held[24];      /* the instance that it is on hold for */
    char succeeded[24]; /* the newest instance of a success */
    bool failed;        /* its newest result is a failure */
};

struct watched_container {
    bool ready;
    bool started;
    bool runs_in_status; /* the newest state that was emitted */
    char running[24];    /* the newest instance that was emitted */
    int64_t running_since_ns;
    unsigned runs;
    unsigned exits;
    unsigned failed_exits;
    bool ended_well;
    bool start_failed;
    int64_t start_ns; /* of the newest start */
    int64_t delay_ns; /* of the newest refusal that is remembered; 0: none */
    unsigned starts;  /* since that refusal */
    int64_t restarts; /* as published */
    bool refused;     /* at this instant */
    bool purged;      /* by the making of a sandbox, and not started since */
    bool forgotten;   /* by a sync that purged it and did not start it: the next one counts anew */
    unsigned killing; /* events emitted, kills begun */
    unsigned kills;
    bool begun;       /* a start was requested */
    unsigned out;     /* starts that are not answered yet */
    unsigned orphans; /* of them, at most: their kubelet is no more, they may end
                         late */
    int64_t next;     /* one more than the restarts of the newest instance; 0: there is none */
    int64_t before;   /* what it was before that instance */
    struct watched_worker workers[KP_PROBE_TYPES];
};

struct watch {
    const struct scenario *scenario;
    struct kp_backoff_limits limits;
    int64_t at_ns;
    struct watched_container containers[SCENARIO_CONTAINERS];
    struct {
        int container;
        enum kp_probe_type type;
        uint32_t n;
    } attempts[ATTEMPTS];
    uint32_t last_n;
    struct {
        int container;
        enum kp_probe_type type;
    } probed[64]; /* at this instant */
    size_t probed_count;
    enum kp_phase phase;
    bool deleted;
    bool killed_for_good; /* a kill of the whole deleted pod began before this instant */
    bool killing_for_good;
    bool restarted;
    bool cleaned;
    bool clock_moved;
    unsigned sandboxes;
    bool gone;
    bool pod_ready;
    bool containers_ready;
    bool has_begun;        /* its first status was emitted */
    int64_t begun_ns;      /* not after that */
    bool deadline_emitted; /* at this instant */
    bool past_deadline;
};

/* For whoever reads the error: after which instant, and which effect. */
extern int64_t watch_last_ns;
extern const struct kp_effect *watch_last_effect;

void watch_broken(enum kp_rule rule, const char *condition) __attribute__((noreturn));
/* Byte by byte: libFuzzer writes down what memcmp compares, which takes its time. */
bool watch_is_word(struct kp_text text, const char *word);
/* A cid is kept, and compared with an effect's. */
void watch_keep(char to[24], struct kp_text from);
bool watch_is(const char kept[24], struct kp_text text);
const struct kp_container *watch_spec(const struct watch *w, int container);
bool watch_policy_is(const struct watch *w, const char *policy);

/* watch_probes.c */
void watch_probe(struct watch *w, const struct kp_effect *effect);
void watch_result(struct watch *w, const struct kp_effect *effect);
/* What the status of the kubelet before, or of the instance before, may stand for. */
bool watch_started_is_inherited(const struct watch *w);

/* watch_starts.c */
void watch_kill(struct watch *w, const struct kp_effect *effect);
void watch_start(struct watch *w, const struct kp_effect *effect);
void watch_backoff(const struct watch *w, const struct kp_effect *effect,
                   struct watched_container *c);
/* S-231: is that one more than an instance that the sync can have seen?  What an orphan's start
 * brings is the newest by then, and a snapshot from before it knows the one before, or one before
 * that for each orphan more; the count of an orphan that was created and did not start is in no
 * event. */
bool watch_may_be_next(const struct watched_container *c, int64_t restart);
