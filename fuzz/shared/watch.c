#include "fuzz/shared/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t watch_last_ns;
const struct kp_effect *watch_last_effect;

void watch_broken(enum kp_rule rule, const char *condition)
{
    const struct kp_rule_row *row = kp_rule_get(rule);

    fprintf(stderr, "after %g s, effect %d of container %d, %.*s\n", (double)watch_last_ns / 1e9,
            watch_last_effect ? (int)watch_last_effect->kind : -1,
            watch_last_effect ? watch_last_effect->container : -1,
            watch_last_effect ? (int)watch_last_effect->cid.len : 0,
            watch_last_effect ? watch_last_effect->cid.bytes : "");

    fprintf(stderr, "%s: %s\n    does not hold: %s\n", row->id, row->sentence, condition);
    abort();
}

bool watch_is_word(struct kp_text text, const char *word)
{
    for (size_t i = 0; i < text.len; i++)
        if (word[i] == 0 || word[i] != text.bytes[i])
            return false;
    return word[text.len] == 0;
}

void watch_keep(char to[24], struct kp_text from)
{
    size_t len = from.len < 23 ? from.len : 23;

    memset(to, 0, 24);
    if (len > 0)
        memcpy(to, from.bytes, len);
}

bool watch_is(const char kept[24], struct kp_text text)
{
    return text.len > 0 && text.len < 24 && watch_is_word(text, kept);
}

const struct kp_container *watch_spec(const struct watch *w, int container)
{
    return &w->scenario->pod.containers[container];
}

bool watch_policy_is(const struct watch *w, const char *policy)
{
    return watch_is_word(w->scenario->pod.restart_policy, policy);
}
