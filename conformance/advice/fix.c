#include "conformance/advice/fix.h"

#include "conformance/text/node.h"

#include <string.h>

const char *cf_probe_field(enum kp_probe_type type)
{
    static const char *const fields[KP_PROBE_TYPES] = {
        [KP_LIVENESS] = "livenessProbe",
        [KP_READINESS] = "readinessProbe",
        [KP_STARTUP] = "startupProbe",
    };

    return fields[type];
}

/* A name that YAML 1.1 would read as something else than a string; all begin with a letter or a
 * digit, and have nothing but these and dashes. */
static bool needs_quotes(struct kp_text name)
{
    static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (kp_text_equal(name, kp_text_of(words[i])))
            return true;
    return name.len == 0 || name.bytes[0] < 'a' || name.bytes[0] > 'z';
}

void cf_fix_begin(struct cf_out *out, const struct kp_container *container)
{
    const char *quote = needs_quotes(container->name) ? "\"" : "";

    cf_out_printf(out, "%s:\n- name: %s%.*s%s\n",
                  container->kind == KP_INIT ? "initContainers" : "containers", quote,
                  (int)container->name.len, container->name.bytes, quote);
}

void cf_fix_probe(struct cf_out *out, enum kp_probe_type type)
{
    cf_out_printf(out, "  %s:\n", cf_probe_field(type));
}

void cf_fix_number(struct cf_out *out, const char *field, int64_t number)
{
    cf_out_printf(out, "    %s: %lld\n", field, (long long)number);
}

void cf_fix_handler(struct cf_out *out, const struct kp_container *container,
                    enum kp_probe_type from)
{
    static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
    const struct cf_node *probe = cf_node_find(container->raw, cf_probe_field(from));
    struct cf_arena arena;

    cf_arena_init(&arena, cf_libc_mem());
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        const struct cf_node *handler = cf_node_find(probe, handlers[i]);
        struct kp_text json;

        if (!handler)
            continue;
        json = cf_node_json(&arena, handler); /* which is YAML, too */
        cf_out_printf(out, "    %s: %.*s\n", handlers[i], (int)json.len, json.bytes);
    }
    cf_arena_deinit(&arena);
}

struct kp_text cf_fix_end(struct cf_arena *arena, struct cf_out *out)
{
    struct kp_text text = cf_arena_text(arena, cf_out_text(out));

    cf_out_deinit(out);
    return text;
}

struct kp_text cf_fix_one(struct cf_arena *arena, const struct kp_container *container,
                          enum kp_probe_type type, const char *field, int64_t number)
{
    struct cf_out out = {0};

    cf_fix_begin(&out, container);
    cf_fix_probe(&out, type);
    cf_fix_number(&out, field, number);
    return cf_fix_end(arena, &out);
}
