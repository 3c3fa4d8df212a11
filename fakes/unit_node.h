/*
 * unit_node.h: a kubelet with one pod for unit tests that play the runtime by hand: what it says
 * late, twice, or to a kubelet that died meanwhile.
 *
 * The runtime here answers at once, unless it is told to hold back; `log` has its calls, one
 * word each: create and stop (a sandbox), start, kill, and the reasons of the pod's own events.
 */
#pragma once

#include "core/engine.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define S KP_NS_PER_S

static struct {
    struct kp_engine *engine;
    struct kp_event due[32];
    size_t due_count;
    bool holds; /* answers nothing by itself */
    char log[2048];
    enum kp_rule rule;         /* of the last kill */
    uint32_t hook_n;           /* of the last hook */
    uint32_t probe_n;          /* of the last attempt */
    uint32_t sandbox_attempt;  /* of the last sandbox made or stopped */
    struct kp_message message; /* of the pod's own last event */
    char said[1024];           /* by the last event of all */
    int events;
    int instances;
    char cids[64][16];
} node;

static inline const char *new_cid(void)
{
    snprintf(node.cids[node.instances], sizeof node.cids[0], "c%d", node.instances + 1);
    return node.cids[node.instances++];
}

static inline void log_word(const char *word)
{
    size_t len = strlen(node.log);

    snprintf(node.log + len, sizeof node.log - len, "%s%s", len > 0 ? " " : "", word);
}

static inline void plan(struct kp_event event)
{
    if (!node.holds)
        node.due[node.due_count++] = event;
}

static inline struct kp_event of_sandbox(enum kp_sandbox_do what, uint32_t attempt)
{
    return (struct kp_event){
        .kind = KP_EVENT_SANDBOX, .container = -1, .u.sandbox = {.what = what, .attempt = attempt}};
}

static inline void see(void *ctx, const struct kp_effect *effect)
{
    char reason[64];
    struct kp_buf said;

    (void)ctx;
    switch (effect->kind) {
    case KP_EFFECT_SANDBOX:
        log_word(effect->u.sandbox.what == KP_SANDBOX_CREATE ? "create" : "stop");
        node.sandbox_attempt = effect->u.sandbox.attempt;
        plan(of_sandbox(effect->u.sandbox.what, effect->u.sandbox.attempt));
        break;
    case KP_EFFECT_START:
        log_word("start");
        plan((struct kp_event){.kind = KP_EVENT_RUNNING,
                               .container = effect->container,
                               .cid = kp_text_of(node.holds ? "" : new_cid()),
                               .u.running.restarts = effect->u.restart});
        break;
    case KP_EFFECT_KILL:
        log_word("kill");
        node.rule = effect->rule;
        plan((struct kp_event){.kind = KP_EVENT_EXITED,
                               .container = effect->container,
                               .cid = effect->cid,
                               .u.exit_code = 143});
        break;
    case KP_EFFECT_PROBE:
        node.probe_n = effect->u.probe.n;
        break;
    case KP_EFFECT_HOOK:
        node.hook_n = effect->u.hook.n;
        break;
    case KP_EFFECT_EVENT:
        node.events++;
        snprintf(reason, sizeof reason, "%.*s", KP_ARG(effect->u.event.reason));
        said = (struct kp_buf){.bytes = node.said, .cap = sizeof node.said - 1};
        kp_message_put(&said, &effect->u.event.message);
        node.said[kp_buf_text(&said).len] = '\0';
        if (effect->container >= 0)
            break;
        log_word(reason);
        node.message = effect->u.event.message;
        break;
    default:
        break;
    }
}

static inline enum kp_err say(struct kp_event event)
{
    return kp_engine_event(node.engine, &event);
}

static inline void run_to(int64_t to_ns)
{
    int64_t at_ns;
    size_t given;

    do {
        at_ns = kp_engine_run(node.engine, to_ns);
        given = node.due_count;
        for (size_t i = 0; i < given; i++)
            CHECK_INT(say(node.due[i]), KP_OK);
        memmove(node.due, node.due + given, (node.due_count - given) * sizeof node.due[0]);
        node.due_count -= given;
    } while (at_ns < to_ns || given > 0);
}

static struct kp_mem mem;
static struct kp_profile profile;
static struct kp_container web;
static struct kp_pod pod;

static inline void lay_pod(void)
{
    web = (struct kp_container){.name = KP_TEXT("web"), .kind = KP_REGULAR};
    pod = (struct kp_pod){.uid = KP_TEXT("u"),
                          .restart_policy = KP_TEXT("Always"),
                          .has_grace = true,
                          .grace_s = 30,
                          .containers = &web,
                          .regular_count = 1};
}

/* With the pod as it was laid. */
static inline void open_laid(const char *k8s, bool holds)
{
    struct kp_engine_config config = {.profile = &profile,
                                      .uptime_ns = 3600 * S + S / 2,
                                      .wall_ns = 1704067200 * S,
                                      .sync_frequency_ns = 60 * S,
                                      .sink = {see, NULL}};
    uint32_t handle;

    memset(&node, 0, sizeof node);
    node.holds = holds;
    mem = fake_alloc_plain();
    CHECK_INT(kp_profile_init(&profile, kp_text_of(k8s)), KP_OK);
    CHECK_INT(kp_engine_new(&mem, &config, &node.engine), KP_OK);
    CHECK_INT(kp_engine_add_pod(node.engine, &pod, &handle), KP_OK);
}

static inline void open_node(const char *k8s, bool holds)
{
    lay_pod();
    open_laid(k8s, holds);
}

#define LOGGED(want) CHECK_TEXT(kp_text_of(node.log), KP_TEXT(want))

static inline void restart_kubelet(int64_t down_ns)
{
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_KUBELET_RESTART, .u.down_ns = down_ns}),
              KP_OK);
}

static inline void delete_pod(void)
{
    CHECK_INT(say((struct kp_event){.kind = KP_EVENT_DELETE, .u.grace_s = 30}), KP_OK);
}
