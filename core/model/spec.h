/*
 * spec.h: the part of the Pod API that the kubelet's probe chain reads.
 *
 * Plain data, borrowed text.  Whoever decodes a pod owns all of it (usually one arena) and keeps it
 * as long as the engine holds the pod.  Field names are the API's; numbers keep the API's unit,
 * which the name says. Upstream: staging/src/k8s.io/api/core/v1/types.go.
 */
#pragma once

#include "../base/text.h"

enum kp_probe_type { KP_LIVENESS, KP_READINESS, KP_STARTUP, KP_PROBE_TYPES };

enum kp_intstr_kind { KP_INTSTR_INT, KP_INTSTR_STRING, KP_INTSTR_BAD };

struct kp_int_or_string {
    enum kp_intstr_kind kind;
    int32_t number;
    struct kp_text string;
};

struct kp_http_header {
    struct kp_text name;
    struct kp_text value;
};

struct kp_text_list {
    const struct kp_text *items;
    size_t count;
};

struct kp_exec_action {
    struct kp_text_list command;
};

struct kp_http_get_action {
    struct kp_text path;
    struct kp_int_or_string port;
    struct kp_text host;
    struct kp_text scheme;
    const struct kp_http_header *headers;
    size_t header_count;
    struct kp_text protocol; /* httpGet.protocol, 1.37+; empty: absent */
};

struct kp_tcp_socket_action {
    struct kp_int_or_string port;
    struct kp_text host;
};

struct kp_grpc_action {
    int32_t port;
    bool has_service;
    struct kp_text service;
    struct kp_text mode; /* grpc.mode, 1.37+; empty: absent */
};

struct kp_sleep_action {
    int64_t seconds;
};

/* A probe's or a hook's handler: any number of members may be set (validation forbids more than
 * one). */
struct kp_handler {
    const struct kp_exec_action *exec;
    const struct kp_http_get_action *http_get;
    const struct kp_tcp_socket_action *tcp_socket;
    const struct kp_grpc_action *grpc;
    const struct kp_sleep_action *sleep; /* hooks only */
};

struct kp_probe {
    struct kp_handler handler;
    int32_t initial_delay_s;
    int32_t timeout_s;
    int32_t period_s;
    int32_t success_threshold;
    int32_t failure_threshold;
    bool has_grace;
    int64_t grace_s; /* terminationGracePeriodSeconds */
};

struct kp_container_port {
    struct kp_text name;
    int32_t container_port;
    int32_t host_port;
    struct kp_text protocol;
    struct kp_text host_ip;
};

struct kp_env_var {
    struct kp_text name;
    struct kp_text value;
    bool has_value_from; /* the kubelet expands it to "" in probe commands */
};

struct kp_restart_rule {
    struct kp_text action; /* Restart, RestartAllContainers */
    bool has_exit_codes;
    struct kp_text op; /* In, NotIn */
    const int32_t *values;
    size_t value_count;
};

enum kp_container_kind { KP_INIT, KP_REGULAR, KP_EPHEMERAL };

struct kp_container {
    struct kp_text name;
    enum kp_container_kind kind;
    struct kp_text image;
    struct kp_text image_pull_policy;
    struct kp_text termination_message_path;
    struct kp_text termination_message_policy;
    struct kp_text_list command;
    struct kp_text_list args;
    const struct kp_env_var *env;
    size_t env_count;
    const struct kp_container_port *ports;
    size_t port_count;
    const struct kp_probe *probes[KP_PROBE_TYPES]; /* NULL: none */
    bool has_lifecycle;                            /* also where it has no hook */
    const struct kp_handler *post_start;
    const struct kp_handler *pre_stop;
    bool has_resources;            /* any limit, request or claim */
    struct kp_text restart_policy; /* empty: absent */
    const struct kp_restart_rule *restart_rules;
    size_t restart_rule_count;
    uint64_t
        spec_hash; /* of everything in the container: up to 1.30's idea of "definition changed" */
    uint64_t resource_hash; /* of resources alone: a change resets the back-off from 1.33 */
    const void *raw;        /* the decoder's own node for this container, or NULL */
};

struct kp_readiness_gate {
    struct kp_text condition_type;
};

enum kp_phase { KP_PHASE_NONE, KP_PENDING, KP_RUNNING, KP_SUCCEEDED, KP_FAILED, KP_PHASE_UNKNOWN };

enum kp_condition_status { KP_CONDITION_TRUE, KP_CONDITION_FALSE, KP_CONDITION_UNKNOWN };

struct kp_condition {
    struct kp_text type;
    enum kp_condition_status status;
    struct kp_text reason;
    struct kp_text message;
};

enum kp_state_kind { KP_STATE_NONE, KP_STATE_WAITING, KP_STATE_RUNNING, KP_STATE_TERMINATED };

/* One ContainerState.  Times are wall-clock nanoseconds since 1970. */
struct kp_state {
    enum kp_state_kind kind;
    struct kp_text reason;
    struct kp_text message;
    int64_t started_at_ns;
    int64_t finished_at_ns;
    int32_t exit_code;
    int32_t signal;              /* of a status that others wrote; the kubelet itself sets none */
    struct kp_text container_id; /* terminated only */
    bool beside_waiting;         /* terminated, and an empty waiting too: whoever reads sees that */
};

struct kp_container_status {
    struct kp_text name;
    struct kp_text image;        /* of the object, while no instance was made; else empty */
    struct kp_text container_id; /* without the type:// prefix; empty: none */
    struct kp_state state;
    struct kp_state last_state;
    int32_t restart_count;
    bool ready;
    bool has_started;
    bool started;
};

/* PodStatus: of the API's copy, or of the status manager's cache.  Lists are in the pod's container
 * order. */
struct kp_pod_status {
    enum kp_phase phase;
    struct kp_condition *conditions;
    size_t condition_count;
    struct kp_container_status *statuses; /* one for each of pod->containers that has one */
    size_t status_count;
    struct kp_text pod_ip;
    struct kp_text reason;
    struct kp_text message;
    bool has_start;
    int64_t start_ns; /* startTime: wall clock, in whole seconds */
};

struct kp_pod {
    struct kp_text name;
    struct kp_text namespace_;
    struct kp_text uid;
    int64_t creation_ns; /* wall clock; 0: absent */
    bool has_deletion;
    bool has_deletion_grace;
    int64_t deletion_grace_s;
    struct kp_text restart_policy; /* Always, OnFailure, Never, or whatever the input says */
    bool has_grace;
    int64_t grace_s; /* terminationGracePeriodSeconds */
    bool has_deadline;
    int64_t deadline_s; /* activeDeadlineSeconds */
    bool host_network;
    /* Of spec, labels and annotations: an update that leaves it changes nothing that is synced
     * (S-004).  0: not known, then each update is a sync. */
    uint64_t object_hash;
    const struct kp_readiness_gate *readiness_gates;
    size_t readiness_gate_count;
    const struct kp_container
        *containers; /* init, then regular, then ephemeral, each in spec order */
    size_t init_count;
    size_t regular_count;
    size_t ephemeral_count;
    const struct kp_pod_status *status; /* the API's copy; NULL: absent */
    const void *raw;                    /* the decoder's own root node, or NULL */
};

size_t kp_pod_container_count(const struct kp_pod *pod);
/* Index into pod->containers, or -1. */
int kp_pod_find_container(const struct kp_pod *pod, struct kp_text name);
/* An init container whose restartPolicy is Always. */
bool kp_container_is_sidecar(const struct kp_container *container);
/* NULL: the status does not speak of that container. */
const struct kp_container_status *kp_status_find(const struct kp_pod_status *status,
                                                 struct kp_text name);
/* The condition of that type, or NULL. */
const struct kp_condition *kp_condition_find(const struct kp_pod_status *status,
                                             struct kp_text type);
/* IsPodPhaseTerminal: Succeeded or Failed. */
static inline bool kp_phase_is_terminal(enum kp_phase phase)
{
    return phase == KP_SUCCEEDED || phase == KP_FAILED;
}
/* Has the status that condition, and is it True? */
bool kp_status_is_true(const struct kp_pod_status *status, const char *type);
/* "Liveness", "Readiness", "Startup" (P-003). */
struct kp_text kp_probe_type_name(enum kp_probe_type type);
