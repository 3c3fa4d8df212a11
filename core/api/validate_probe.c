/* validate_probe.c: probes, hooks and restart rules. */
#include "validate_part.h"

static const char too_many_handlers[] = "may not specify more than 1 handler type";

void kp_field_error_add(struct kp_validator *validator, const struct kp_field_error *error)
{
    validator->has_errors = true;
    validator->sink.put(validator->sink.ctx, error);
}

void kp_field_required(struct kp_validator *validator, const struct kp_path *up, const char *field,
                       const char *detail)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = field ? &path : up,
                                                           .type = KP_FIELD_ERROR_REQUIRED,
                                                           .detail = detail});
}

void kp_field_forbidden(struct kp_validator *validator, const struct kp_path *up, const char *field,
                        const char *detail)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = field ? &path : up,
                                                           .type = KP_FIELD_ERROR_FORBIDDEN,
                                                           .detail = detail});
}

void kp_field_invalid_number(struct kp_validator *validator, const struct kp_path *up,
                             const char *field, int64_t number, const char *detail)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = &path,
                                                           .type = KP_FIELD_ERROR_INVALID,
                                                           .value = KP_VALUE_NUMBER,
                                                           .number = number,
                                                           .detail = detail});
}

void kp_field_invalid_text(struct kp_validator *validator, const struct kp_path *up,
                           const char *field, struct kp_text text, const char *detail)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = &path,
                                                           .type = KP_FIELD_ERROR_INVALID,
                                                           .value = KP_VALUE_STRING,
                                                           .text = text,
                                                           .detail = detail});
}

void kp_field_invalid_each(struct kp_validator *validator, const struct kp_path *up,
                           const char *field, struct kp_text text,
                           const struct kp_name_faults *faults)
{
    for (size_t i = 0; i < faults->count; i++)
        kp_field_invalid_text(validator, up, field, text, faults->texts[i]);
}

void kp_field_not_supported(struct kp_validator *validator, const struct kp_path *up,
                            const char *field, struct kp_text value, const char *const *supported)
{
    struct kp_path path = {up, field, 0};

    kp_field_error_add(validator, &(struct kp_field_error){.path = &path,
                                                           .type = KP_FIELD_ERROR_NOT_SUPPORTED,
                                                           .value = KP_VALUE_NAMED,
                                                           .text = value,
                                                           .supported = supported});
}

bool kp_is_supported(struct kp_text text, const char *const *supported)
{
    for (; *supported; supported++)
        if (kp_text_equal(text, kp_text_of(*supported)))
            return true;
    return false;
}

/* Each of a probe's numbers is 0 or more (V-001). */
static void check_not_negative(struct kp_validator *validator, const struct kp_path *up,
                               const char *field, int64_t number)
{
    if (number < 0)
        kp_field_invalid_number(validator, up, field, number, "must be greater than or equal to 0");
}

/* 1 to 65535 (V-020). */
void kp_validate_port_number(struct kp_validator *validator, const struct kp_path *up,
                             const char *field, int64_t number)
{
    if (number < 1 || number > 65535)
        kp_field_invalid_number(validator, up, field, number,
                                "must be between 1 and 65535, inclusive");
}

/* A number in range, or what may be a name; whether a port has it is not checked (V-012, V-023). */
static void validate_port(struct kp_validator *validator, const struct kp_path *up,
                          const struct kp_int_or_string *port)
{
    struct kp_name_faults faults;

    if (port->kind == KP_INTSTR_INT) {
        kp_validate_port_number(validator, up, "port", port->number);
        return;
    }
    faults = kp_name_port(validator->profile, port->string);
    kp_field_invalid_each(validator, up, "port", port->string, &faults);
}

/* A command of at least one word (V-009). */
static void validate_exec(struct kp_validator *validator, const struct kp_path *path,
                          const struct kp_exec_action *action)
{
    if (action->command.count == 0)
        kp_field_required(validator, path, "command", "");
}

/* httpGet.protocol, where its gate let it through (P-119). */
static void validate_protocol(struct kp_validator *validator, const struct kp_path *path,
                              const struct kp_http_get_action *action)
{
    static const char *const supported[] = {"HTTP1", "HTTP2", NULL};
    bool http2 = kp_text_equal(action->protocol, KP_TEXT("HTTP2"));
    struct kp_path field = {path, "protocol", 0};

    if (!kp_is_supported(action->protocol, supported))
        kp_field_not_supported(validator, path, "protocol", action->protocol, supported);
    else if (http2 && !kp_text_equal(action->scheme, KP_TEXT("HTTP")))
        kp_field_error_add(validator,
                           &(struct kp_field_error){.path = &field,
                                                    .type = KP_FIELD_ERROR_INVALID,
                                                    .value = KP_VALUE_NAMED,
                                                    .text = action->protocol,
                                                    .detail = "is only supported with HTTP (H2C)"});
    else if (http2 && action->host.len > 0)
        kp_field_invalid_text(validator, path, "host", action->host,
                              "must be empty when `protocol` is \"HTTP2\"");
}

/* Path, port, scheme and the names of headers (V-010); neither host nor values (V-011). */
static void validate_http_get(struct kp_validator *validator, const struct kp_path *path,
                              const struct kp_http_get_action *action)
{
    static const char *const schemes[] = {"HTTP", "HTTPS", NULL};

    if (action->path.len == 0)
        kp_field_required(validator, path, "path", "");
    validate_port(validator, path, &action->port);
    if (!kp_is_supported(action->scheme, schemes))
        kp_field_not_supported(validator, path, "scheme", action->scheme, schemes);
    for (size_t i = 0; i < action->header_count; i++) {
        struct kp_name_faults faults = kp_name_http_header(action->headers[i].name);

        kp_field_invalid_each(validator, path, "httpHeaders", action->headers[i].name, &faults);
    }
    if (action->protocol.bytes)
        validate_protocol(validator, path, action);
}

static void validate_grpc(struct kp_validator *validator, const struct kp_path *path,
                          const struct kp_grpc_action *action)
{
    static const char *const modes[] = {"Plaintext", "TLS", NULL};

    kp_validate_port_number(validator, path, "port", action->port);
    if (action->mode.bytes && !kp_is_supported(action->mode, modes))
        kp_field_not_supported(validator, path, "mode", action->mode, modes);
}

static void validate_sleep(struct kp_validator *validator, const struct kp_path *path,
                           const struct kp_sleep_action *action)
{
    static const char *const details[] = {
        "must be greater than 0 and less than terminationGracePeriodSeconds (%d)",
        ("must be greater than 0 and less than terminationGracePeriodSeconds (%d). Enable "
         "AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."),
        "must be non-negative and less than terminationGracePeriodSeconds (%d)",
    };
    int64_t grace_s = validator->pod->grace_s;
    int64_t least_s = validator->profile->sleep_of_zero == 2 ? 0 : 1;

    if (action->seconds >= least_s && action->seconds <= grace_s)
        return;
    kp_field_error_add(
        validator, &(struct kp_field_error){.path = path,
                                            .type = KP_FIELD_ERROR_INVALID,
                                            .value = KP_VALUE_NUMBER,
                                            .number = action->seconds,
                                            .detail = details[validator->profile->sleep_of_zero],
                                            .detail_number = grace_s});
}

/* There must be a handler (V-007): the first in the server's order is validated, the others are
 * one too many (V-008). */
static void validate_handler(struct kp_validator *validator, const struct kp_path *path,
                             const struct kp_handler *handler)
{
    const void *const handlers[] = {handler->exec, handler->http_get, handler->tcp_socket,
                                    handler->grpc, handler->sleep};
    static const char *const names[] = {"exec", "httpGet", "tcpSocket", "grpc", "sleep"};
    bool found = false;

    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        struct kp_path inner = {path, names[i], 0};

        if (!handlers[i])
            continue;
        if (found)
            kp_field_forbidden(validator, path, names[i], too_many_handlers);
        else if (i == 0)
            validate_exec(validator, &inner, handler->exec);
        else if (i == 1)
            validate_http_get(validator, &inner, handler->http_get);
        else if (i == 2)
            validate_port(validator, &inner, &handler->tcp_socket->port);
        else if (i == 3)
            validate_grpc(validator, &inner, handler->grpc);
        else
            validate_sleep(validator, &inner, handler->sleep);
        found = true;
    }
    if (!found)
        kp_field_required(validator, path, NULL, "must specify a handler type");
}

void kp_validate_hook(struct kp_validator *validator, const struct kp_path *up, const char *field,
                      const struct kp_handler *hook)
{
    struct kp_path path = {up, field, 0};

    if (hook)
        validate_handler(validator, &path, hook);
}

void kp_validate_probe(struct kp_validator *validator, const struct kp_path *up, const char *field,
                       const struct kp_probe *probe)
{
    struct kp_path path = {up, field, 0};

    if (!probe)
        return;
    validate_handler(validator, &path, &probe->handler);
    check_not_negative(validator, &path, "initialDelaySeconds", probe->initial_delay_s);
    check_not_negative(validator, &path, "timeoutSeconds", probe->timeout_s);
    check_not_negative(validator, &path, "periodSeconds", probe->period_s);
    check_not_negative(validator, &path, "successThreshold", probe->success_threshold);
    check_not_negative(validator, &path, "failureThreshold", probe->failure_threshold);
    if (validator->profile->probe_grace_positive && probe->has_grace && probe->grace_s <= 0)
        kp_field_invalid_number(validator, &path, "terminationGracePeriodSeconds", probe->grace_s,
                                "must be greater than 0");
}

/* 1 for liveness (V-003) and startup (V-004); below 0 that is the second error
 * (V-006). */
void kp_validate_success_threshold(struct kp_validator *validator, const struct kp_path *up,
                                   const char *field, const struct kp_probe *probe)
{
    struct kp_path path = {up, field, 0};

    if (probe && probe->success_threshold != 1)
        kp_field_invalid_number(validator, &path, "successThreshold", probe->success_threshold,
                                "must be 1");
}

/* A readiness probe has no terminationGracePeriodSeconds (V-005). */
void kp_validate_readiness_grace(struct kp_validator *validator, const struct kp_path *up,
                                 const struct kp_probe *probe)
{
    struct kp_path path = {up, "readinessProbe", 0};

    if (probe && probe->has_grace)
        kp_field_invalid_number(validator, &path, "terminationGracePeriodSeconds", probe->grace_s,
                                "must not be set for readinessProbes");
}

static void refuse_too_many(struct kp_validator *validator, const struct kp_path *path,
                            size_t count, const char *const details[2])
{
    bool counted = validator->profile->restart_rules_counted;

    kp_field_error_add(validator,
                       &(struct kp_field_error){
                           .path = path,
                           .type = counted ? KP_FIELD_ERROR_TOO_MANY : KP_FIELD_ERROR_TOO_LONG,
                           .value = counted ? KP_VALUE_NUMBER : KP_VALUE_NONE,
                           .number = (int64_t)count,
                           .detail = details[counted],
                       });
}

static void validate_exit_codes(struct kp_validator *validator, const struct kp_path *rule_path,
                                const struct kp_restart_rule *rule)
{
    static const char *const operators[] = {"In", "NotIn", NULL};
    static const char *const too_many[] = {"may not be more than 255 bytes",
                                           "must have at most 255 items"};
    struct kp_path path = {rule_path, "exitCodes", 0};
    struct kp_path values = {&path, "values", 0};

    if (!rule->has_exit_codes) {
        kp_field_required(validator, rule_path, "exitCodes", "must be specified");
        return;
    }
    if (!kp_is_supported(rule->op, operators))
        kp_field_not_supported(validator, &path, "operator", rule->op, operators);
    if (rule->value_count > 255)
        refuse_too_many(validator, &values, rule->value_count, too_many);
}

static void validate_rules(struct kp_validator *validator, const struct kp_path *up,
                           const struct kp_container *container)
{
    static const char *const all_actions[] = {"Restart", "RestartAllContainers", NULL};
    static const char *const one_action[] = {"Restart", NULL};
    static const char *const too_many[] = {"may not be more than 20 bytes",
                                           "must have at most 20 items"};
    bool all = validator->profile->gates[KP_GATE_RestartAllContainersOnContainerExits];
    struct kp_path list = {up, "restartPolicyRules", 0};

    if (container->restart_rule_count > 20)
        refuse_too_many(validator, &list, container->restart_rule_count, too_many);
    for (size_t i = 0; i < container->restart_rule_count; i++) {
        const struct kp_restart_rule *rule = &container->restart_rules[i];
        struct kp_path path = {&list, NULL, i};

        /* 1.35 lists only the old action, even where both are allowed. */
        if (!kp_is_supported(rule->action, all ? all_actions : one_action))
            kp_field_not_supported(validator, &path, "action", rule->action,
                                   all && validator->profile->restart_rules_counted ? all_actions
                                                                                    : one_action);
        validate_exit_codes(validator, &path, rule);
    }
}

static void validate_policy_and_rules(struct kp_validator *validator, const struct kp_path *up,
                                      const struct kp_container *container)
{
    static const char *const policies[] = {"Always", "Never", "OnFailure", NULL};

    if (!container->restart_policy.bytes && container->restart_rule_count == 0)
        return;
    if (!container->restart_policy.bytes)
        kp_field_required(validator, up, "restartPolicy",
                          "must specify restartPolicy when restart rules are used");
    else if (!kp_is_supported(container->restart_policy, policies))
        kp_field_not_supported(validator, up, "restartPolicy", container->restart_policy, policies);
    validate_rules(validator, up, container);
}

/* Always makes a sidecar; with the gate of restart rules the other policies are allowed too
 * (V-029). */
void kp_validate_init_restart(struct kp_validator *validator, const struct kp_path *up,
                              const struct kp_container *container)
{
    static const char *const only_always[] = {"Always", NULL};
    const struct kp_profile *profile = validator->profile;
    bool always = kp_container_is_sidecar(container);

    if (!container->restart_policy.bytes) {
        if (profile->init_rules_need_policy && container->restart_rule_count > 0)
            kp_field_required(validator, up, "restartPolicy",
                              "must specify restartPolicy when restart rules are used");
        return;
    }
    if (!profile->gates[KP_GATE_ContainerRestartRules]) {
        if (!always)
            kp_field_not_supported(validator, up, "restartPolicy", container->restart_policy,
                                   only_always);
        return;
    }
    if (!always || profile->gates[KP_GATE_RestartAllContainersOnContainerExits])
        validate_policy_and_rules(validator, up, container);
    else if (container->restart_rule_count > 0)
        kp_field_forbidden(validator, up, "restartPolicyRules",
                           "restartPolicyRules are not allowed for init containers with restart "
                           "policy Always");
}

/* A policy of its own is forbidden without the gate of restart rules, else checked (V-031). */
void kp_validate_regular_restart(struct kp_validator *validator, const struct kp_path *up,
                                 const struct kp_container *container)
{
    if (validator->profile->gates[KP_GATE_ContainerRestartRules])
        validate_policy_and_rules(validator, up, container);
    else if (container->restart_policy.bytes)
        kp_field_forbidden(validator, up, "restartPolicy",
                           "may not be set for non-init containers");
}
