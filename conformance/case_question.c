#include "conformance/case_question.h"

/* What each layer needs to ask, and what it needs to be told. */
static const struct question {
    enum cf_layer layer;
    const char *asks[2];    /* one of them; the second may be NULL */
    const char *answers[5]; /* at least one of them */
} questions[] = {
    {CF_LAYER_PORT, {"port", NULL}, {"is", "invalid", NULL}},
    {CF_LAYER_CHECK, {"pod", "yaml"}, {"errors", "warnings", "undecodable", "stored", NULL}},
    {CF_LAYER_ACTIONS, {"pod", NULL}, {"does", NULL}},
};

void cf_case_read_question(struct cf_reading *reading, struct cf_case *item)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *question = &questions[i];
        bool answered = false;
        bool asked = cf_node_find(item->node, question->asks[0]) ||
                     (question->asks[1] && cf_node_find(item->node, question->asks[1]));

        if (question->layer != item->layer)
            continue;
        for (size_t k = 0; question->answers[k]; k++)
            answered |= cf_node_find(item->node, question->answers[k]) != NULL;
        if (item->layer == CF_LAYER_ACTIONS) {
            cf_case_read_pods(reading, item);
            cf_actions_check(reading, item);
        }
        if (!asked)
            cf_fault_at(reading, item->at, "layer %s: wanted %s", cf_layer_name(item->layer),
                        question->asks[0]);
        if (!answered)
            cf_fault_at(reading, item->at, "layer %s: wanted %s", cf_layer_name(item->layer),
                        question->answers[0]);
        return;
    }
    cf_fault_at(reading, item->at, "layer %s has no cases yet", cf_layer_name(item->layer));
}
