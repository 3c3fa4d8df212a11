/* case_plain.c: what of the plain life of a pod a case asks for: the words of `lacks` in hello. */
#include "conformance/protocol/wire.h"
#include "conformance/table/case_read.h"

struct needs {
    struct kp_text_list list;
    struct kp_text *items;
};

static void need(struct needs *needs, const char *name)
{
    if (!cf_listed(&needs->list, kp_text_of(name)))
        needs->items[needs->list.count++] = kp_text_of(name);
}

static void need_of_probe(struct needs *needs, const struct cf_node *probe, const char *type)
{
    int64_t delay = 0;
    int64_t successes = 1;

    if (!probe)
        return;
    cf_node_int_value(cf_node_find(probe, "initialDelaySeconds"), &delay);
    cf_node_int_value(cf_node_find(probe, "successThreshold"), &successes);
    need(needs, type);
    if (delay > 0)
        need(needs, "initial-delay");
    if (successes > 1)
        need(needs, "success-threshold");
}

static void need_of_containers(struct needs *needs, const struct cf_node *list)
{
    for (const struct cf_node *one = list ? list->first : NULL; one; one = one->next) {
        need_of_probe(needs, cf_node_find(one, "livenessProbe"), "liveness");
        need_of_probe(needs, cf_node_find(one, "readinessProbe"), "readiness");
        need_of_probe(needs, cf_node_find(one, "startupProbe"), "startup");
    }
}

static void need_of_answers(struct needs *needs, const struct fake_answers *answers)
{
    for (size_t i = 0; answers && i < answers->step_count; i++)
        for (size_t k = 0; k < answers->steps[i].attempt_count; k++) {
            if (answers->steps[i].attempts[k] == KP_ANSWER_ERROR)
                need(needs, "errors");
            if (answers->steps[i].attempts[k] == KP_ANSWER_TIMEOUT)
                need(needs, "timeouts");
        }
}

static void need_of_rules(struct needs *needs, const struct cf_case *item)
{
    static const enum kp_rule triggers[] = {KP_RULE_WORKER_SIGNALS,
                                            KP_RULE_MANUAL_TRIGGER,
                                            KP_RULE_TRIGGER_RESETS_TICKER,
                                            KP_RULE_TRIGGER_READINESS_ONLY,
                                            KP_RULE_STATUS_TRIGGERS_READINESS,
                                            KP_RULE_READINESS_PROBED_TWICE,
                                            KP_RULE_TRIGGER_IN_VAIN};

    for (size_t i = 0; i < sizeof triggers / sizeof *triggers; i++)
        if (cf_case_shows(item, triggers[i]))
            need(needs, "triggers");
}

void cf_case_read_plain(struct cf_reading *reading, struct cf_case *item)
{
    struct needs needs = {
        .items = cf_arena_array(reading->arena, cf_lack_words.count, sizeof *needs.items)};

    needs.list.items = needs.items;
    if (!needs.items)
        return;
    for (size_t i = 0; i < item->pod_count; i++) {
        const struct cf_node *spec = cf_node_find(item->pods[i], "spec");
        const struct cf_node *containers = cf_node_find(spec, "containers");
        const struct cf_node *inits = cf_node_find(spec, "initContainers");

        need_of_containers(&needs, containers);
        need_of_containers(&needs, inits);
        if ((containers ? containers->count : 0) + (inits ? inits->count : 0) > 1)
            need(&needs, "containers");
    }
    for (size_t i = 0; i < item->script.answers_count; i++)
        need_of_answers(&needs, &item->script.answers[i]);
    for (size_t i = 0; i < item->script.script_event_count; i++)
        need_of_answers(&needs, item->script.script_events[i].answers);
    need_of_rules(&needs, item);
    item->plain = needs.list;
}
