#include "conformance/table/case_question.h"

/* What a question of each layer has to give, and what its answer has to. */
static const struct question {
    enum cf_layer layer;
    const char *asks[3];    /* one of them; NULL: no more */
    const char *answers[5]; /* at least one of them */
} questions[] = {
    {CF_LAYER_PORT, {"port"}, {"is", "invalid", NULL}},
    {CF_LAYER_CHECK,
     {"pod", "yaml", "probe"},
     {"errors", "warnings", "undecodable", "stored", NULL}},
    {CF_LAYER_ACTIONS, {"pod"}, {"does", NULL}},
    {CF_LAYER_EVENTS, {"recorded"}, {"kept", NULL}},
    {CF_LAYER_KUBECTL, {"pod", "probe"}, {"columns", "describe", NULL}},
};

static bool has_question(const struct cf_case *item, const struct question *question)
{
    for (size_t i = 0; i < 3 && question->asks[i]; i++)
        if (cf_node_find(item->node, question->asks[i]))
            return true;
    return false;
}

/* layer check: `probe` in place of a pod */
static void check_probe(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *probe = cf_node_find(item->node, "probe");
    int type = 0;

    if (!probe || item->layer != CF_LAYER_CHECK)
        return;
    if (cf_node_find(item->node, "pod") || cf_node_find(item->node, "yaml"))
        cf_fault_at(reading, probe->at, "a case needs one of probe, pod and yaml");
    if (probe->kind == CF_MAP)
        cf_case_probe_spec(reading->arena, probe, &type);
    if (probe->kind != CF_MAP || type < 0)
        cf_fault_at(reading, probe->at, "probe: wanted type: liveness, readiness or startup");
}

/* A pod that does not decode is not validated. */
static void check_undecodable(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *errors = cf_node_find(item->node, "errors");

    if (errors && cf_node_find(item->node, "undecodable"))
        cf_fault_at(reading, errors->key_at,
                    "errors: not judged beside undecodable (in a row, `errors:` takes it away)");
}

/* Each answer is of its kind. */
static void check_answers(struct cf_reading *reading, const struct cf_case *item)
{
    const struct cf_node *is = cf_node_find(item->node, "is");
    const struct cf_node *stored = cf_node_find(item->node, "stored");

    if (is && is->kind != CF_NUMBER)
        cf_fault_at(reading, is->at, "is: wanted the number of a port, found %s",
                    cf_node_kind_name(is->kind));
    if (stored && stored->kind != CF_MAP)
        cf_fault_at(reading, stored->at, "stored: wanted a map of paths, found %s",
                    cf_node_kind_name(stored->kind));
    cf_read_text(reading, cf_node_find(item->node, "invalid"));
    cf_read_text(reading, cf_node_find(item->node, "undecodable"));
    cf_read_texts(reading, cf_node_find(item->node, "errors"));
    cf_read_texts(reading, cf_node_find(item->node, "warnings"));
}

void cf_case_read_question(struct cf_reading *reading, struct cf_case *item)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *question = &questions[i];
        bool answered = false;

        if (question->layer != item->layer)
            continue;
        for (size_t k = 0; question->answers[k]; k++)
            answered |= cf_node_find(item->node, question->answers[k]) != NULL;
        check_undecodable(reading, item);
        check_answers(reading, item);
        if (item->layer == CF_LAYER_ACTIONS || item->layer == CF_LAYER_KUBECTL)
            cf_case_read_pods(reading, item);
        if (item->layer == CF_LAYER_ACTIONS)
            cf_actions_check(reading, item);
        cf_kept_check(reading, item);
        check_probe(reading, item);
        if (!has_question(item, question))
            cf_fault_at(reading, item->at, "layer %s: wanted %s", cf_layer_name(item->layer),
                        question->asks[0]);
        if (!answered)
            cf_fault_at(reading, item->at, "layer %s: wanted %s", cf_layer_name(item->layer),
                        question->answers[0]);
        return;
    }
    cf_fault_at(reading, item->at, "layer %s has no cases yet", cf_layer_name(item->layer));
}
