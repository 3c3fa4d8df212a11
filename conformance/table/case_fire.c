/* case_fire.c: the keys of a case of layer fire. */
#include "conformance/table/case_fire.h"

#include <string.h>

static const int64_t timeout_otherwise_ns = 5 * KP_NS_PER_S; /* of cases that do not wait for it */

static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};

/* What is left out of the handler: the server's port; of httpGet what the API's defaults are. */
static void complete(struct cf_arena *arena, struct cf_node *handler, const char *name)
{
    bool http = strcmp(name, "httpGet") == 0;

    if (strcmp(name, "exec") == 0 || handler->kind != CF_MAP)
        return;
    if (!cf_node_find(handler, "port"))
        cf_node_put(handler, KP_TEXT("port"), cf_node_string(arena, KP_TEXT("${PORT}")));
    if (http && !cf_node_find(handler, "path"))
        cf_node_put(handler, KP_TEXT("path"), cf_node_string(arena, KP_TEXT("/")));
    if (http && !cf_node_find(handler, "scheme"))
        cf_node_put(handler, KP_TEXT("scheme"), cf_node_string(arena, KP_TEXT("HTTP")));
}

static const struct cf_node *read_probe(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *written = cf_node_find(item->node, "probe");
    struct cf_node *probe = written ? cf_node_copy(reading->arena, written) : NULL;
    size_t count = 0;

    for (size_t i = 0; probe && i < sizeof handlers / sizeof *handlers; i++) {
        struct cf_node *handler = cf_node_find(probe, handlers[i]);

        if (handler) {
            complete(reading->arena, handler, handlers[i]);
            count++;
        }
    }
    if (count != 1)
        cf_fault_at(reading, written ? written->at : item->at,
                    "layer fire: wanted a probe with one of exec, httpGet, tcpSocket, grpc");
    return probe;
}

/* Of a case that no duration of its own is given the probe's seconds count. */
static int64_t read_timeout(struct cf_reading *reading, const struct cf_case *item,
                            const struct cf_node *probe)
{
    const struct cf_node *timeout = cf_node_find(item->node, "timeout");
    const struct cf_node *own = cf_node_find(probe, "timeoutSeconds");
    int64_t ns = cf_read_duration(reading, timeout, timeout_otherwise_ns);
    int64_t seconds;

    if (!timeout && own && cf_node_int_value(own, &seconds) && seconds > 0 && seconds <= INT32_MAX)
        return seconds * KP_NS_PER_S;
    if (ns < KP_NS_PER_MS || ns > CF_FIRE_WAIT_NS_MAX)
        cf_fault_at(reading, timeout->at, "timeout: wanted 1ms to 1m");
    return ns;
}

static void check_wanted(struct cf_reading *reading, const struct cf_case *item)
{
    static const char *const results[] = {"success", "warning", "failure", "unknown"};
    const struct cf_node *result = cf_node_find(item->node, "result");
    const struct cf_node *output = cf_node_find(item->node, "output");
    const struct cf_node *error = cf_node_find(item->node, "error");
    struct kp_text word = cf_read_text(reading, result);
    bool known = false;

    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        known = known || kp_text_equal(word, kp_text_of(results[i]));
    if (!known)
        cf_fault_at(reading, result ? result->at : item->at,
                    "result: wanted success, warning, failure or unknown");
    cf_read_text(reading, output);
    cf_read_text(reading, error);
    if (output && error)
        cf_fault_at(reading, item->at, "layer fire: wanted output or error, and only one of them");
}

/* A list of maps, or nothing. */
static void check_list(struct cf_reading *reading, const struct cf_case *item, const char *key)
{
    const struct cf_node *list = cf_node_find(item->node, key);
    bool fine = !list || list->kind == CF_LIST;

    for (const struct cf_node *one = fine && list ? list->first : NULL; one; one = one->next)
        fine = fine && one->kind == CF_MAP && cf_node_find(one, "name");
    if (!fine)
        cf_fault_at(reading, list->at, "%s: wanted a list such as [{name: web, ...}]", key);
}

void cf_case_read_fire(struct cf_reading *reading, struct cf_case *item)
{
    struct cf_fire *fire = cf_arena_alloc(reading->arena, sizeof *fire);
    const struct cf_node *other = cf_node_find(item->node, "other");

    item->fire = fire;
    if (!fire)
        return;
    fire->probe = read_probe(reading, item);
    fire->timeout_ns = read_timeout(reading, item, fire->probe);
    cf_fire_read_script(reading, cf_node_find(item->node, "server"), &fire->servers[0]);
    if (other)
        cf_fire_read_script(reading, other, &fire->servers[1]);
    cf_read_text(reading, cf_node_find(item->node, "request"));
    cf_read_text(reading, cf_node_find(item->node, "podIP"));
    cf_read_texts(reading, cf_node_find(item->node, "gone"));
    check_list(reading, item, "env");
    check_list(reading, item, "ports");
    check_wanted(reading, item);
}
