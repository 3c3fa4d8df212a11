/*
 * pod_defaults.c: the defaults of the fields that the engine does not read, so that a pod prints as
 * the API server stores it.
 */
#include "conformance/pod/pod_tree.h"

#include "core/api/defaults.h"
#include "core/api/image.h"

/* A field that has a value of its own once its struct is there. */
struct fixed {
    enum cf_api_type type;
    const char *field;
    enum { WORD, NUMBER, FALSE, TRUE, EMPTY_MAP } kind;
    const char *word;
    int number;
};

static const struct fixed fixed[] = {
    {CF_API_PodSpec, "dnsPolicy", WORD, "ClusterFirst", 0},
    {CF_API_PodSpec, "schedulerName", WORD, "default-scheduler", 0},
    {CF_API_PodSpec, "securityContext", EMPTY_MAP, "", 0},
    {CF_API_PodSpec, "enableServiceLinks", TRUE, "", 0},
    {CF_API_ObjectFieldSelector, "apiVersion", WORD, "v1", 0},
    {CF_API_FileKeySelector, "optional", FALSE, "", 0},
    {CF_API_SecretVolumeSource, "defaultMode", NUMBER, "", 0644},
    {CF_API_ConfigMapVolumeSource, "defaultMode", NUMBER, "", 0644},
    {CF_API_DownwardAPIVolumeSource, "defaultMode", NUMBER, "", 0644},
    {CF_API_ProjectedVolumeSource, "defaultMode", NUMBER, "", 0644},
    {CF_API_ServiceAccountTokenProjection, "expirationSeconds", NUMBER, "", 3600},
    {CF_API_HostPathVolumeSource, "type", WORD, "", 0},
    {CF_API_ISCSIVolumeSource, "iscsiInterface", WORD, "default", 0},
    {CF_API_RBDVolumeSource, "pool", WORD, "rbd", 0},
    {CF_API_RBDVolumeSource, "user", WORD, "admin", 0},
    {CF_API_RBDVolumeSource, "keyring", WORD, "/etc/ceph/keyring", 0},
    {CF_API_AzureDiskVolumeSource, "cachingMode", WORD, "ReadWrite", 0},
    {CF_API_AzureDiskVolumeSource, "fsType", WORD, "ext4", 0},
    {CF_API_AzureDiskVolumeSource, "readOnly", FALSE, "", 0},
    {CF_API_AzureDiskVolumeSource, "kind", WORD, "Shared", 0},
    {CF_API_ScaleIOVolumeSource, "storageMode", WORD, "ThinProvisioned", 0},
    {CF_API_ScaleIOVolumeSource, "fsType", WORD, "xfs", 0},
    {CF_API_PersistentVolumeClaimSpec, "volumeMode", WORD, "Filesystem", 0},
};

static struct cf_node *fixed_value(struct cf_arena *arena, const struct fixed *row)
{
    switch (row->kind) {
    case WORD:
        return cf_node_string(arena, kp_text_of(row->word));
    case NUMBER:
        return cf_node_int(arena, row->number);
    case EMPTY_MAP:
        return cf_node_new(arena, CF_MAP, (struct cf_place){0});
    default:
        return cf_node_bool(arena, row->kind == TRUE);
    }
}

static void default_fixed(struct cf_arena *arena, const struct kp_profile *profile,
                          enum cf_api_type type, struct cf_node *node)
{
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const struct fixed *row = &fixed[i];
        const struct cf_api_field *field;
        const struct cf_node *old;

        if (row->type != type)
            continue;
        field = cf_api_find(type, kp_text_of(row->field), profile->minor);
        old = cf_node_find(node, row->field);
        /* A pointer to "" is a value; a plain "" is none, and all that are plain are texts. */
        if (!field || (old && (field->shape == CF_API_PTR || old->text.len > 0)))
            continue;
        cf_node_set(node, kp_text_of(row->field), fixed_value(arena, row));
    }
}

/* A volume that says no source is an emptyDir. */
static void default_volume(struct cf_arena *arena, const struct kp_profile *profile,
                           struct cf_node *volume)
{
    struct cf_node *image = cf_node_find(volume, "image");
    struct cf_node *reference = cf_node_find(image, "reference");
    struct cf_node *policy = cf_node_find(image, "pullPolicy");
    size_t named = cf_node_find(volume, "name") != NULL;

    if (volume->count == named)
        cf_node_put(volume, KP_TEXT("emptyDir"), cf_node_new(arena, CF_MAP, (struct cf_place){0}));
    if (image && (!policy || policy->text.len == 0))
        cf_node_set(image, KP_TEXT("pullPolicy"),
                    cf_node_string(arena, reference && kp_image_is_latest(profile, reference->text)
                                              ? KP_TEXT("Always")
                                              : KP_TEXT("IfNotPresent")));
}

/* A list of resources knows nothing finer than a thousandth. */
static void round_resources(struct cf_arena *arena, struct cf_node *list)
{
    for (struct cf_node *one = list->first; one; one = one->next)
        one->text = cf_quantity_in_milli(arena, one->text);
}

/* Requests that are not said are the limits; for pods, not for their templates. */
static void default_requests(struct cf_arena *arena, struct cf_node *container)
{
    struct cf_node *resources = cf_node_find(container, "resources");
    struct cf_node *limits = cf_node_find(resources, "limits");
    struct cf_node *requests = cf_node_find(resources, "requests");

    if (!limits)
        return;
    if (!requests) {
        requests = cf_node_new(arena, CF_MAP, (struct cf_place){0});
        cf_node_put(resources, KP_TEXT("requests"), requests);
    }
    for (const struct cf_node *limit = limits->first; requests && limit; limit = limit->next)
        if (!cf_node_find(requests, cf_arena_text(arena, limit->key).bytes))
            cf_node_put(requests, limit->key, cf_node_string(arena, limit->text));
}

void cf_api_default(struct cf_arena *arena, const struct kp_profile *profile, enum cf_api_type type,
                    struct cf_node *node)
{
    default_fixed(arena, profile, type, node);
    if (type == CF_API_Volume)
        default_volume(arena, profile, node);
    if (type == CF_API_Container)
        default_requests(arena, node);
    for (struct cf_node *member = node->first; member; member = member->next) {
        const struct cf_api_field *field = cf_api_find(type, member->key, profile->minor);

        if (field && field->kind == CF_API_QUANTITY)
            round_resources(arena, member);
        if (!field || field->kind != CF_API_STRUCT)
            continue;
        if (field->shape != CF_API_LIST)
            cf_api_default(arena, profile, field->of, member);
        for (struct cf_node *item = field->shape == CF_API_LIST ? member->first : NULL; item;
             item = item->next)
            cf_api_default(arena, profile, field->of, item);
    }
}

static void default_service_account(struct cf_arena *arena, struct cf_node *spec)
{
    struct cf_node *name = cf_node_find(spec, "serviceAccountName");
    struct cf_node *deprecated = cf_node_find(spec, "serviceAccount");

    /* Two names of one field; conversion keeps them equal, the new one wins. */
    if (name && name->text.len > 0)
        cf_node_set(spec, KP_TEXT("serviceAccount"), cf_node_string(arena, name->text));
    else if (deprecated)
        cf_node_set(spec, KP_TEXT("serviceAccountName"), cf_node_string(arena, deprecated->text));
}

enum kp_err cf_pod_default(struct cf_arena *arena, const struct kp_profile *profile,
                           struct cf_pod *pod)
{
    struct cf_node *spec = cf_node_find(pod->tree, "spec");

    if (!spec) {
        spec = cf_node_new(arena, CF_MAP, (struct cf_place){0});
        cf_node_put(pod->tree, KP_TEXT("spec"), spec);
    }
    if (!spec)
        return KP_ENOMEM;
    kp_pod_default(profile, pod->pod);
    cf_pod_write_back(arena, pod->pod, pod->tree);
    default_service_account(arena, spec);
    cf_api_default(arena, profile, CF_API_Pod, pod->tree);
    cf_pod_hash(pod->pod);
    return arena->failed ? KP_ENOMEM : KP_OK;
}
