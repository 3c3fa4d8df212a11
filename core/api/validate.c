#include "validate.h"

#include "validate_part.h"

#include <string.h>

static const char ephemeral_text[] = "cannot be set for an Ephemeral Container";

/* ---- parts that all containers have ------------------------------------------------------------
 */

static void validate_env(struct kp_validator *validator, const struct kp_path *container_path,
                         const struct kp_container *container)
{
    struct kp_path list = {container_path, "env", 0};

    for (size_t i = 0; i < container->env_count; i++) {
        struct kp_path path = {&list, NULL, i};
        struct kp_text name = container->env[i].name;
        struct kp_name_faults faults = kp_name_env(validator->profile, name);

        if (name.len == 0)
            kp_field_required(validator, &path, "name", "");
        else
            kp_field_invalid_each(validator, &path, "name", name, &faults);
    }
}

static void validate_message_policy(struct kp_validator *validator, const struct kp_path *path,
                                    struct kp_text policy)
{
    static const char *const policies[] = {"File", "FallbackToLogsOnError", NULL};
    static const char old_detail[] = "must be 'File' or 'FallbackToLogsOnError'";
    struct kp_path field = {path, "terminationMessagePolicy", 0};

    if (kp_is_supported(policy, policies))
        return;
    if (policy.len == 0)
        kp_field_required(validator, &field, NULL,
                          validator->profile->validate_by_kind ? "" : old_detail);
    else if (validator->profile->validate_by_kind)
        kp_field_not_supported(validator, path, "terminationMessagePolicy", policy, policies);
    else
        kp_field_error_add(validator, &(struct kp_field_error){.path = &field,
                                                               .type = KP_FIELD_ERROR_INVALID,
                                                               .value = KP_VALUE_NAMED,
                                                               .text = policy,
                                                               .detail = old_detail});
}

static void validate_name(struct kp_validator *validator, const struct kp_path *path,
                          struct kp_text name)
{
    struct kp_name_faults faults = kp_name_dns_label(validator->profile, name);

    if (name.len == 0)
        kp_field_required(validator, path, "name", "");
    else
        kp_field_invalid_each(validator, path, "name", name, &faults);
}

static void validate_tail(struct kp_validator *validator, const struct kp_path *path,
                          const struct kp_container *container)
{
    static const char *const pulls[] = {"Always", "IfNotPresent", "Never", NULL};

    kp_validate_ports(validator, path, container);
    validate_env(validator, path, container);
    if (container->image_pull_policy.len == 0)
        kp_field_required(validator, path, "imagePullPolicy", "");
    else if (!kp_is_supported(container->image_pull_policy, pulls))
        kp_field_not_supported(validator, path, "imagePullPolicy", container->image_pull_policy,
                               pulls);
}

/* validateContainerCommon, 1.25 and later */
static void validate_common(struct kp_validator *validator, const struct kp_path *path,
                            const struct kp_container *container)
{
    validate_name(validator, path, container->name);
    if (container->image.len == 0)
        kp_field_required(validator, path, "image", "");
    validate_message_policy(validator, path, container->termination_message_policy);
    validate_tail(validator, path, container);
}

static void validate_lifecycle(struct kp_validator *validator, const struct kp_path *path,
                               const struct kp_container *container)
{
    struct kp_path lifecycle = {path, "lifecycle", 0};

    kp_validate_hook(validator, &lifecycle, "postStart", container->post_start);
    kp_validate_hook(validator, &lifecycle, "preStop", container->pre_stop);
}

/* Of regular containers and sidecars, 1.25 and later. */
static void validate_probes(struct kp_validator *validator, const struct kp_path *path,
                            const struct kp_container *container)
{
    validate_lifecycle(validator, path, container);
    kp_validate_probe(validator, path, "livenessProbe", container->probes[KP_LIVENESS]);
    kp_validate_success_threshold(validator, path, "livenessProbe", container->probes[KP_LIVENESS]);
    kp_validate_probe(validator, path, "readinessProbe", container->probes[KP_READINESS]);
    kp_validate_readiness_grace(validator, path, container->probes[KP_READINESS]);
    kp_validate_probe(validator, path, "startupProbe", container->probes[KP_STARTUP]);
    kp_validate_success_threshold(validator, path, "startupProbe", container->probes[KP_STARTUP]);
}

/* Up to 1.24, with the startup probe validated twice from 1.21 (V-033). */
static void validate_whole_old(struct kp_validator *validator, const struct kp_path *path,
                               const struct kp_container *container, struct kp_keyset *names)
{
    const struct kp_probe *startup = container->probes[KP_STARTUP];

    validate_name(validator, path, container->name);
    if (kp_keyset_add(names, (struct kp_key){.text = container->name}))
        kp_field_duplicate(validator, path, "name", container->name);
    if (container->image.len == 0)
        kp_field_required(validator, path, "image", "");
    validate_lifecycle(validator, path, container);
    kp_validate_probe(validator, path, "livenessProbe", container->probes[KP_LIVENESS]);
    if (validator->profile->startup_validated_twice) {
        kp_validate_readiness_grace(validator, path, container->probes[KP_READINESS]);
        kp_validate_probe(validator, path, "startupProbe", startup);
    }
    kp_validate_success_threshold(validator, path, "livenessProbe", container->probes[KP_LIVENESS]);
    kp_validate_probe(validator, path, "startupProbe", startup);
    kp_validate_success_threshold(validator, path, "startupProbe", startup);
    validate_message_policy(validator, path, container->termination_message_policy);
    kp_validate_probe(validator, path, "readinessProbe", container->probes[KP_READINESS]);
    validate_tail(validator, path, container);
}

/* ---- the three lists ---------------------------------------------------------------------------
 */

static void validate_regular(struct kp_validator *validator, const struct kp_path *list,
                             const struct kp_container *containers, size_t count)
{
    struct kp_keyset names = kp_keys_for(validator, count);

    if (count == 0)
        kp_field_required(validator, list, NULL, "");
    for (size_t i = 0; i < count; i++) {
        struct kp_path path = {list, NULL, i};

        if (!validator->profile->validate_by_kind) {
            validate_whole_old(validator, &path, &containers[i], &names);
            continue;
        }
        validate_common(validator, &path, &containers[i]);
        if (kp_keyset_add(&names, (struct kp_key){.text = containers[i].name}))
            kp_field_duplicate(validator, &path, "name", containers[i].name);
        validate_probes(validator, &path, &containers[i]);
        kp_validate_regular_restart(validator, &path, &containers[i]);
    }
    kp_keyset_deinit(&names);
    kp_check_host_ports(validator, list, containers, count);
}

/* A field that init containers may not have: the old server prints the whole value. */
static void refuse_init_field(struct kp_validator *validator, const struct kp_path *path,
                              const char *field, const char *go_value)
{
    static const char *const forbidden[] = {
        "", "may not be set for init containers",
        "may not be set for init containers without restartPolicy=Always"};
    struct kp_path at = {path, field, 0};

    if (validator->profile->validate_by_kind) {
        kp_field_forbidden(validator, path, field,
                           forbidden[1 + validator->profile->sidecar_probes]);
        return;
    }
    kp_field_error_add(validator,
                       &(struct kp_field_error){.path = &at,
                                                .type = KP_FIELD_ERROR_INVALID,
                                                .value = KP_VALUE_RAW,
                                                .text = kp_text_of(go_value),
                                                .detail = "must not be set for init containers"});
}

static void refuse_init_fields(struct kp_validator *validator, const struct kp_path *path,
                               const struct kp_container *container)
{
    if (container->has_lifecycle)
        refuse_init_field(validator, path, "lifecycle", "core.Lifecycle{...}");
    if (container->probes[KP_LIVENESS])
        refuse_init_field(validator, path, "livenessProbe", "core.Probe{...}");
    if (container->probes[KP_READINESS])
        refuse_init_field(validator, path, "readinessProbe", "core.Probe{...}");
    if (container->probes[KP_STARTUP])
        refuse_init_field(validator, path, "startupProbe", "core.Probe{...}");
}

/* An ordinary init container has no probes and no lifecycle (V-028), a sidecar's are checked as any
 * (V-030). */
static void validate_one_init(struct kp_validator *validator, const struct kp_path *list,
                              size_t index, const struct kp_container *container,
                              struct kp_keyset *names)
{
    bool by_kind = validator->profile->validate_by_kind;
    struct kp_path path = {list, NULL, index};
    struct kp_key name = {.text = container->name};

    if (by_kind) {
        validate_common(validator, &path, container);
        kp_validate_init_restart(validator, &path, container);
    }
    if (kp_keyset_has(names, name))
        kp_field_duplicate(validator, &path, "name", container->name);
    else if (container->name.len > 0)
        kp_keyset_add(names, name);
    if (by_kind) /* upstream hands the list's path with a list of one: the index is 0 */
        kp_check_host_ports(validator, list, container, 1);
    if (validator->profile->sidecar_probes && kp_container_is_sidecar(container))
        validate_probes(validator, &path, container);
    else
        refuse_init_fields(validator, &path, container);
}

static void validate_init_old(struct kp_validator *validator, const struct kp_path *list,
                              const struct kp_container *containers, size_t count)
{
    struct kp_keyset own = kp_keys_for(validator, count);

    for (size_t i = 0; i < count; i++) {
        struct kp_path path = {list, NULL, i};

        validate_whole_old(validator, &path, &containers[i], &own);
    }
    for (size_t i = 0; i < count; i++)
        kp_check_host_ports(validator, list, &containers[i], 1);
    kp_keyset_deinit(&own);
}

static void validate_init(struct kp_validator *validator, const struct kp_path *list)
{
    const struct kp_pod *pod = validator->pod;
    const struct kp_container *regular = pod->containers + pod->init_count;
    struct kp_keyset names = kp_keys_for(validator, pod->init_count + pod->regular_count);

    if (!validator->profile->validate_by_kind)
        validate_init_old(validator, list, pod->containers, pod->init_count);
    for (size_t i = 0; i < pod->regular_count; i++)
        kp_keyset_add(&names, (struct kp_key){.text = regular[i].name});
    for (size_t i = 0; i < pod->init_count; i++)
        validate_one_init(validator, list, i, &pod->containers[i], &names);
    kp_keyset_deinit(&names);
}

/* Those of unicode.IsSpace: Go knows more than ASCII's. */
static const char spaces[] =
    " \t\n\v\f\r\xc2\x85\xc2\xa0\xe1\x9a\x80\xe2\x80\x80\xe2\x80\x81\xe2\x80\x82\xe2\x80\x83"
    "\xe2\x80\x84\xe2\x80\x85\xe2\x80\x86\xe2\x80\x87\xe2\x80\x88\xe2\x80\x89\xe2\x80\x8a"
    "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80";

static size_t space_length(const char *space)
{
    if (!(*space & 0x80))
        return 1;
    return *space & 0x20 ? 3 : 2;
}

static bool has_space_around(struct kp_text text)
{
    size_t len;

    for (const char *space = spaces; *space; space += len) {
        len = space_length(space);
        if (text.len >= len && (memcmp(text.bytes, space, len) == 0 ||
                                memcmp(text.bytes + text.len - len, space, len) == 0))
            return true;
    }
    return false;
}

static void check_image_spaces(struct kp_validator *validator, const struct kp_path *path,
                               struct kp_text image)
{
    if (has_space_around(image))
        kp_field_invalid_text(validator, path, "image", image,
                              "must not have leading or trailing whitespace");
}

/* Probes, ports, lifecycle and resources are not for ephemeral containers (V-032). */
static void refuse_ephemeral_fields(struct kp_validator *validator, const struct kp_path *path,
                                    const struct kp_container *container)
{
    if (container->ports) /* an empty list is set, too */
        kp_field_forbidden(validator, path, "ports", ephemeral_text);
    if (container->has_resources)
        kp_field_forbidden(validator, path, "resources", ephemeral_text);
    if (container->restart_policy.bytes)
        kp_field_forbidden(validator, path, "restartPolicy", ephemeral_text);
    if (container->restart_rules)
        kp_field_forbidden(validator, path, "restartPolicyRules", ephemeral_text);
    if (container->probes[KP_LIVENESS])
        kp_field_forbidden(validator, path, "livenessProbe", ephemeral_text);
    if (container->probes[KP_READINESS])
        kp_field_forbidden(validator, path, "readinessProbe", ephemeral_text);
    if (container->probes[KP_STARTUP])
        kp_field_forbidden(validator, path, "startupProbe", ephemeral_text);
    if (container->has_lifecycle)
        kp_field_forbidden(validator, path, "lifecycle", ephemeral_text);
}

/* Up to 1.24 an ephemeral container is validated as a list of one, path and all. */
static bool validate_ephemeral_old(struct kp_validator *validator, const struct kp_path *path,
                                   const struct kp_container *container)
{
    struct kp_path inner = {path, NULL, 0};
    struct kp_keyset none = {0};

    if (container->name.len == 0) {
        kp_field_required(validator, path, NULL, "ephemeralContainer requires a name");
        return false;
    }
    validate_whole_old(validator, &inner, container, &none);
    kp_check_host_ports(validator, path, container, 1);
    check_image_spaces(validator, &inner, container->image);
    return true;
}

static void validate_ephemeral(struct kp_validator *validator, const struct kp_path *list)
{
    const struct kp_pod *pod = validator->pod;
    size_t before = pod->init_count + pod->regular_count;
    struct kp_keyset names = kp_keys_for(validator, kp_pod_container_count(pod));

    for (size_t i = 0; i < before; i++)
        kp_keyset_add(&names, (struct kp_key){.text = pod->containers[i].name});
    for (size_t i = 0; i < pod->ephemeral_count; i++) {
        const struct kp_container *container = &pod->containers[before + i];
        struct kp_path path = {list, NULL, i};

        if (validator->profile->validate_by_kind) {
            validate_common(validator, &path, container);
            check_image_spaces(validator, &path, container->image);
        } else if (!validate_ephemeral_old(validator, &path, container)) {
            continue;
        }
        if (kp_keyset_add(&names, (struct kp_key){.text = container->name}))
            kp_field_duplicate(validator, &path, "name", container->name);
        refuse_ephemeral_fields(validator, &path, container);
    }
    kp_keyset_deinit(&names);
}

/* ---- the pod -----------------------------------------------------------------------------------
 */

static void validate_metadata(struct kp_validator *validator)
{
    const struct kp_path metadata = {NULL, "metadata", 0};
    const struct kp_pod *pod = validator->pod;
    struct kp_name_faults faults = kp_name_dns_subdomain(validator->profile, pod->name);

    if (pod->name.len == 0)
        kp_field_required(validator, &metadata, "name", "name or generateName is required");
    else
        kp_field_invalid_each(validator, &metadata, "name", pod->name, &faults);
    if (pod->namespace_.len == 0)
        return;
    faults = kp_name_dns_label(validator->profile, pod->namespace_);
    kp_field_invalid_each(validator, &metadata, "namespace", pod->namespace_, &faults);
}

/* Always, OnFailure or Never (V-026). */
static void validate_restart_policy(struct kp_validator *validator, const struct kp_path *spec)
{
    static const char *const policies[] = {"Always", "OnFailure", "Never", NULL};
    struct kp_text policy = validator->pod->restart_policy;

    if (policy.len == 0)
        kp_field_required(validator, spec, "restartPolicy", "");
    else if (!kp_is_supported(policy, policies))
        kp_field_not_supported(validator, spec, "restartPolicy", policy, policies);
}

static void validate_readiness_gates(struct kp_validator *validator, const struct kp_path *spec)
{
    const struct kp_pod *pod = validator->pod;
    struct kp_path list = {spec, "readinessGates", 0};

    for (size_t i = 0; i < pod->readiness_gate_count; i++) {
        struct kp_path path = {&list, NULL, i};
        struct kp_text type = pod->readiness_gates[i].condition_type;
        struct kp_name_faults faults = kp_name_qualified(validator->profile, type);

        kp_field_invalid_each(validator, &path, "conditionType", type, &faults);
    }
}

static void deadline_invalid(struct kp_validator *validator, const char *detail)
{
    const struct kp_path spec = {NULL, "spec", 0};

    kp_field_invalid_number(validator, &spec, "activeDeadlineSeconds", validator->pod->deadline_s,
                            detail);
}

/* 1 to 2147483647 (V-037). */
static void validate_deadline(struct kp_validator *validator)
{
    const struct kp_pod *pod = validator->pod;

    if (pod->has_deadline && (pod->deadline_s < 1 || pod->deadline_s > INT32_MAX))
        deadline_invalid(validator, "must be between 1 and 2147483647, inclusive");
}

static void validate_spec(struct kp_validator *validator)
{
    const struct kp_path spec = {NULL, "spec", 0};
    const struct kp_path containers = {&spec, "containers", 0};
    const struct kp_path init = {&spec, "initContainers", 0};
    const struct kp_path ephemeral = {&spec, "ephemeralContainers", 0};
    const struct kp_pod *pod = validator->pod;
    const struct kp_container *regular = pod->containers + pod->init_count;
    bool early = validator->profile->validate_host_network_early;

    if (validator->profile->grace_required && !pod->has_grace)
        kp_field_required(validator, &spec, "terminationGracePeriodSeconds", "");
    validate_regular(validator, &containers, regular, pod->regular_count);
    validate_init(validator, &init);
    validate_ephemeral(validator, &ephemeral);
    if (early)
        kp_check_host_network(validator, &containers, regular, pod->regular_count);
    validate_restart_policy(validator, &spec);
    if (!early)
        kp_check_host_network(validator, &containers, regular, pod->regular_count);
    validate_readiness_gates(validator, &spec);
    validate_deadline(validator);
    for (size_t i = 0; i < pod->regular_count; i++) {
        struct kp_path path = {&containers, NULL, i};

        check_image_spaces(validator, &path, regular[i].image);
    }
    for (size_t i = 0; i < pod->init_count; i++) {
        struct kp_path path = {&init, NULL, i};

        check_image_spaces(validator, &path, pod->containers[i].image);
    }
}

static enum kp_err outcome(const struct kp_validator *validator)
{
    if (validator->no_memory)
        return KP_ENOMEM;
    return validator->has_errors ? KP_EINPUT : KP_OK;
}

enum kp_err kp_pod_validate(const struct kp_profile *profile, const struct kp_mem *mem,
                            const struct kp_pod *pod, struct kp_field_error_sink sink)
{
    struct kp_validator validator = {.profile = profile, .mem = mem, .pod = pod, .sink = sink};
    const struct kp_path spec = {NULL, "spec", 0};

    validate_metadata(&validator);
    validate_spec(&validator);
    if (pod->ephemeral_count > 0)
        kp_field_forbidden(&validator, &spec, "ephemeralContainers", "cannot be set on create");
    if (!profile->sctp_known)
        kp_check_sctp(&validator);
    return outcome(&validator);
}

/* An update keeps all containers, so that none that runs is without a spec (S-207). */
static void forbid_other_containers(struct kp_validator *validator, const char *list)
{
    const struct kp_path spec = {NULL, "spec", 0};

    kp_field_forbidden(validator, &spec, list, "pod updates may not add or remove containers");
}

/* activeDeadlineSeconds may only come, or shrink (V-037).  Returns whether that was all that is
 * looked at. */
static bool refuse_deadline(struct kp_validator *validator, const struct kp_pod *old)
{
    const struct kp_pod *pod = validator->pod;

    if (pod->deadline_s < 0 || pod->deadline_s > INT32_MAX)
        deadline_invalid(validator, "must be between 0 and 2147483647, inclusive");
    else if (old->has_deadline && pod->deadline_s > old->deadline_s)
        deadline_invalid(validator, "must be less than or equal to previous value");
    else
        return false;
    return true;
}

static void check_deadline_stays(struct kp_validator *validator, const struct kp_pod *old)
{
    const struct kp_path spec = {NULL, "spec", 0};
    const struct kp_path field = {&spec, "activeDeadlineSeconds", 0};
    bool as_json = validator->profile->field_values_as_json;

    if (old->has_deadline && !validator->pod->has_deadline)
        kp_field_error_add(validator,
                           &(struct kp_field_error){
                               .path = &field,
                               .type = KP_FIELD_ERROR_INVALID,
                               .value = as_json ? KP_VALUE_RAW : KP_VALUE_STRING,
                               .text = KP_TEXT("null"),
                               .detail = "must not update from a positive integer to nil value"});
}

enum kp_err kp_pod_validate_update(const struct kp_profile *profile, const struct kp_mem *mem,
                                   const struct kp_pod *pod, const struct kp_pod *old, bool same,
                                   struct kp_field_error_sink sink)
{
    static const char *const fields[] = {
        "pod updates may not change fields other than `spec.containers[*].image`, "
        "`spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only "
        "additions to existing tolerations)",
        "pod updates may not change fields other than `spec.containers[*].image`, "
        "`spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only "
        "additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to "
        "be set to 1 if it was previously negative)",
        "pod updates may not change fields other than `spec.containers[*].image`,"
        "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
        "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
        "set to 1 if it was previously negative)",
    };
    struct kp_validator validator = {.profile = profile, .mem = mem, .pod = pod, .sink = sink};
    const struct kp_path spec = {NULL, "spec", 0};

    validate_metadata(&validator);
    validate_spec(&validator);
    if (pod->regular_count != old->regular_count)
        forbid_other_containers(&validator, "containers");
    else if (pod->init_count != old->init_count)
        forbid_other_containers(&validator, "initContainers");
    else if (!refuse_deadline(&validator, old)) {
        check_deadline_stays(&validator, old);
        if (!same)
            kp_field_forbidden(&validator, &spec, NULL, fields[profile->update_wording]);
    }
    return outcome(&validator);
}
