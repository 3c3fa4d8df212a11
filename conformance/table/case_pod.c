/* case_pod.c: the pods of a case: what the case leaves out is filled in. */
#include "conformance/pod/pod_decode.h"
#include "conformance/table/case_read.h"

#include <string.h>

#define WEB KP_TEXT("web")

/* ---- completing ------------------------------------------------------------------------------ */

static void fill_text(struct cf_reading *reading, struct cf_node *map, const char *key,
                      const char *text)
{
    if (!cf_node_find(map, key))
        cf_node_put(map, kp_text_of(key), cf_node_string(reading->arena, kp_text_of(text)));
}

static void fill_int(struct cf_reading *reading, struct cf_node *map, const char *key,
                     int64_t number)
{
    if (!cf_node_find(map, key))
        cf_node_put(map, kp_text_of(key), cf_node_int(reading->arena, number));
}

static struct cf_node *fill_map(struct cf_reading *reading, struct cf_node *map, const char *key)
{
    struct cf_node *found = cf_node_find(map, key);

    if (!found) {
        found = cf_node_new(reading->arena, CF_MAP, map->at);
        cf_node_put(map, kp_text_of(key), found);
    }
    return found;
}

/* A probe without a handler runs the command that every tutorial runs. */
static void fill_handler(struct cf_reading *reading, struct cf_node *probe)
{
    static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
    struct cf_node *exec;
    struct cf_node *command;

    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (cf_node_find(probe, handlers[i]))
            return;
    exec = fill_map(reading, probe, "exec");
    command = cf_node_new(reading->arena, CF_LIST, probe->at);
    cf_node_append(command, cf_node_string(reading->arena, KP_TEXT("cat")));
    cf_node_append(command, cf_node_string(reading->arena, KP_TEXT("/tmp/healthy")));
    cf_node_put(exec, KP_TEXT("command"), command);
}

static void complete_probe(struct cf_reading *reading, struct cf_node *probe)
{
    struct cf_node *http = cf_node_find(probe, "httpGet");

    fill_handler(reading, probe);
    if (http && http->kind == CF_MAP) {
        fill_text(reading, http, "path", "/");
        fill_text(reading, http, "scheme", "HTTP");
    }
    fill_int(reading, probe, "timeoutSeconds", 1);
    fill_int(reading, probe, "periodSeconds", 10);
    fill_int(reading, probe, "successThreshold", 1);
    fill_int(reading, probe, "failureThreshold", 3);
}

static void complete_container(struct cf_reading *reading, struct cf_node *container)
{
    static const char *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"};

    if (container->kind != CF_MAP) {
        cf_fault_at(reading, container->at, "a container is a map");
        return;
    }
    if (!cf_node_find(container, "name"))
        cf_fault_at(reading, container->at, "a container needs a name");
    fill_text(reading, container, "image", "image");
    fill_text(reading, container, "imagePullPolicy", "IfNotPresent");
    fill_text(reading, container, "terminationMessagePath", "/dev/termination-log");
    fill_text(reading, container, "terminationMessagePolicy", "File");
    for (size_t i = 0; i < 3; i++) {
        struct cf_node *probe = cf_node_find(container, probes[i]);

        if (probe && probe->kind == CF_MAP)
            complete_probe(reading, probe);
        else if (probe)
            cf_fault_at(reading, probe->at, "a probe is a map");
    }
}

static void complete_containers(struct cf_reading *reading, struct cf_node *list)
{
    if (list && list->kind != CF_LIST) {
        cf_fault_at(reading, list->at, "wanted a list of containers");
        return;
    }
    for (struct cf_node *container = list ? list->first : NULL; container;
         container = container->next)
        complete_container(reading, container);
}

static void complete_spec(struct cf_reading *reading, struct cf_node *spec)
{
    fill_text(reading, spec, "restartPolicy", "Always");
    fill_int(reading, spec, "terminationGracePeriodSeconds", 30);
    fill_text(reading, spec, "dnsPolicy", "ClusterFirst");
    if (!cf_node_find(spec, "enableServiceLinks")) /* a real kubelet would wait for its services */
        cf_node_put(spec, KP_TEXT("enableServiceLinks"), cf_node_bool(reading->arena, false));
    complete_containers(reading, cf_node_find(spec, "initContainers"));
    complete_containers(reading, cf_node_find(spec, "containers"));
    complete_containers(reading, cf_node_find(spec, "ephemeralContainers"));
    if (!cf_node_find(spec, "containers"))
        cf_fault_at(reading, spec->at, "a pod needs containers");
}

/* The case's own tree stays as it is: the table is printed from it. */
static struct cf_node *wrap(struct cf_reading *reading, const struct cf_node *written)
{
    struct cf_node *copy = cf_node_copy(reading->arena, written);
    struct cf_node *pod;

    if (!copy || cf_node_find(written, "spec"))
        return copy;
    pod = cf_node_new(reading->arena, CF_MAP, written->at);
    if (pod)
        cf_node_put(pod, KP_TEXT("spec"), copy);
    return pod;
}

/* A field that no version has, a value of another type: what is misspelt would be its default. */
static void check_pod(struct cf_reading *reading, const struct cf_node *pod)
{
    struct cf_arena arena;
    struct kp_profile newest;
    struct cf_pod decoded;

    arena = (struct cf_arena){.mem = reading->arena->mem};
    if (kp_profile_init(&newest, KP_TEXT(KP_NEWEST)) == KP_OK &&
        cf_pod_decode(&arena, &newest, pod, &decoded) == KP_OK) {
        if (!decoded.pod)
            cf_fault_at(reading, decoded.fault.at, "%.*s", KP_ARG(decoded.fault.go_text));
        for (size_t i = 0; i < decoded.warning_count; i++)
            cf_fault_at(reading, decoded.warnings[i].at, "%.*s", KP_ARG(decoded.warnings[i].text));
    }
    reading->arena->failed |= arena.failed;
    cf_arena_deinit(&arena);
}

struct cf_node *cf_case_complete_pod(struct cf_reading *reading, const struct cf_node *written)
{
    struct cf_node *pod;
    struct cf_node *metadata;
    struct cf_node *spec;
    struct kp_text name;

    if (written->kind != CF_MAP) {
        cf_fault_at(reading, written->at, "a pod is a map");
        return NULL;
    }
    pod = wrap(reading, written);
    if (!pod)
        return NULL;
    fill_text(reading, pod, "apiVersion", "v1");
    fill_text(reading, pod, "kind", "Pod");
    metadata = fill_map(reading, pod, "metadata");
    fill_text(reading, metadata, "name", "p");
    fill_text(reading, metadata, "namespace", "ns");
    name = cf_read_text(reading, cf_node_find(metadata, "name"));
    if (!cf_node_find(metadata, "uid"))
        cf_node_put(metadata, KP_TEXT("uid"),
                    cf_node_string(reading->arena,
                                   cf_arena_format(reading->arena, "uid-%.*s", KP_ARG(name))));
    fill_text(reading, metadata, "creationTimestamp", "2024-01-01T00:00:00Z");
    spec = cf_node_find(pod, "spec");
    if (spec) /* there was memory for it */
        complete_spec(reading, spec);
    check_pod(reading, pod);
    return pod;
}

/* ---- short forms ----------------------------------------------------------------------------- */

static const char *const probe_keys[] = {"livenessProbe", "readinessProbe", "startupProbe"};
static const char *const type_names[] = {"liveness", "readiness", "startup"};

static int find_type(struct kp_text name)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (kp_text_equal(name, kp_text_of(type_names[type])))
            return type;
    return -1;
}

struct cf_node *cf_case_probe_spec(struct cf_arena *arena, const struct cf_node *written, int *type)
{
    struct cf_node *probe = cf_node_copy(arena, written);
    struct cf_node *spec = cf_node_new(arena, CF_MAP, written->at);
    struct cf_node *containers = cf_node_new(arena, CF_LIST, written->at);
    struct cf_node *container = cf_node_new(arena, CF_MAP, written->at);
    const struct cf_node *word = cf_node_find(written, "type");

    *type = word && word->kind == CF_STRING ? find_type(word->text) : -1;
    if (!probe || !spec || !containers || !container || *type < 0)
        return NULL;
    cf_node_remove(probe, KP_TEXT("type"));
    cf_node_put(container, KP_TEXT("name"), cf_node_string(arena, WEB));
    cf_node_put(container, KP_TEXT("image"), cf_node_string(arena, KP_TEXT("image")));
    cf_node_put(container, kp_text_of(probe_keys[*type]), probe);
    cf_node_append(containers, container);
    cf_node_put(spec, KP_TEXT("containers"), containers);
    return spec;
}

static const struct cf_node *pod_of_probe(struct cf_reading *reading, struct cf_case *item,
                                          const struct cf_node *written)
{
    int type;
    const struct cf_node *spec = cf_case_probe_spec(reading->arena, written, &type);

    if (type < 0)
        cf_fault_at(reading, written->at, "probe: wanted type: liveness, readiness or startup");
    else
        item->play_type = (enum kp_probe_type)type;
    return spec;
}

void cf_case_read_pods(struct cf_reading *reading, struct cf_case *item)
{
    const struct cf_node *probe = cf_node_find(item->node, "probe");
    const struct cf_node *pod = cf_node_find(item->node, "pod");
    const struct cf_node *list = cf_node_find(item->node, "pods");
    const struct cf_node **pods;

    if ((probe != NULL) + (pod != NULL) + (list != NULL) != 1) {
        cf_fault_at(reading, item->at, "a case needs one of probe, pod and pods");
        return;
    }
    if (probe && probe->kind != CF_MAP) {
        cf_fault_at(reading, probe->at, "probe: wanted a map");
        return;
    }
    if (probe)
        pod = pod_of_probe(reading, item, probe);
    if (list && (list->kind != CF_LIST || list->count == 0)) {
        cf_fault_at(reading, list->at, "pods: wanted a list");
        return;
    }
    pods = cf_arena_array(reading->arena, list ? list->count : 1, sizeof *pods);
    if (!pods)
        return;
    for (const struct cf_node *one = list ? list->first : pod; one; one = list ? one->next : NULL) {
        struct cf_node *whole = cf_case_complete_pod(reading, one);

        if (whole && item->layer == CF_LAYER_KUBECTL) /* no API server has one without */
            fill_text(reading, fill_map(reading, whole, "status"), "phase", "Pending");
        pods[item->pod_count] = whole;
        item->pod_count += whole != NULL;
    }
    item->pods = item->pod_count > 0 ? pods : NULL;
}

/* ---- who is meant ---------------------------------------------------------------------------- */

static const char *const container_lists[] = {"initContainers", "containers",
                                              "ephemeralContainers"};

/* The containers of a pod's tree in the order of struct kp_pod; NULL: beyond the last. */
static const struct cf_node *container_at(const struct cf_node *pod, int index)
{
    const struct cf_node *spec = cf_node_find(pod, "spec");
    int at = 0;

    for (size_t i = 0; i < 3; i++) {
        const struct cf_node *list = cf_node_find(spec, container_lists[i]);

        for (const struct cf_node *one = list ? list->first : NULL; one; one = one->next)
            if (at++ == index)
                return one;
    }
    return NULL;
}

static struct kp_text name_of(const struct cf_node *map)
{
    const struct cf_node *name = cf_node_find(map, "name");

    return name && name->kind == CF_STRING ? name->text : KP_TEXT_NONE;
}

struct kp_text cf_case_container_name(const struct cf_case *item, uint32_t pod, int container)
{
    return name_of(container_at(item->pods[pod], container));
}

bool cf_case_can_ask(const struct cf_case *item, const struct fake_answers *answers)
{
    static const char *const keys[] = {"livenessProbe", "readinessProbe", "startupProbe", "preStop",
                                       "postStart"};
    bool is_hook = answers->call >= FAKE_CALL_PRE_STOP;
    const struct cf_node *one;

    for (int i = 0; (one = container_at(item->pods[answers->pod], i)); i++)
        if ((answers->container.len == 0 || kp_text_equal(name_of(one), answers->container)) &&
            cf_node_find(is_hook ? cf_node_find(one, "lifecycle") : one, keys[answers->call]))
            return true;
    return false;
}

static bool find_pod(const struct cf_case *item, struct kp_text name, uint32_t *pod)
{
    for (size_t i = 0; i < item->pod_count; i++)
        if (kp_text_equal(name_of(cf_node_find(item->pods[i], "metadata")), name)) {
            *pod = (uint32_t)i;
            return true;
        }
    return false;
}

/* Index of the first such byte, or the text's length. */
static size_t find_byte(struct kp_text text, char byte)
{
    const char *at = text.len > 0 ? memchr(text.bytes, byte, text.len) : NULL;

    return at ? (size_t)(at - text.bytes) : text.len;
}

bool cf_case_subject(struct cf_reading *reading, const struct cf_case *item,
                     const struct cf_line *line, size_t k, uint32_t *pod, int *container)
{
    struct kp_text word = cf_line_word(line, k);
    struct kp_text name = word;
    struct cf_place at = k < line->count ? line->places[k] : line->at;
    size_t colon = find_byte(name, ':');

    *pod = 0;
    *container = -1;
    if (colon < name.len) {
        if (!find_pod(item, (struct kp_text){name.bytes, colon}, pod)) {
            cf_fault_at(reading, at, "'%.*s': the case has no such pod", KP_ARG(word));
            return false;
        }
        name = (struct kp_text){name.bytes + colon + 1, name.len - colon - 1};
    }
    name.len = find_byte(name, '/');
    if (kp_text_equal(name, KP_TEXT("pod")))
        return true;
    for (int i = 0; item->pods && container_at(item->pods[*pod], i); i++)
        if (kp_text_equal(cf_case_container_name(item, *pod, i), name)) {
            *container = i;
            return true;
        }
    cf_fault_at(reading, at, "'%.*s': the pod has no such container", KP_ARG(word));
    return false;
}
