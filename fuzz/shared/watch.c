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

void watch_keep(char to[24], struct kp_text from)
{
    size_t len = from.len < 23 ? from.len : 23;

    memset(to, 0, 24);
    if (len > 0)
        memcpy(to, from.bytes, len);
}

bool watch_is(const char kept[24], struct kp_text text)
{
    return text.len > 0 && text.len < 24 && strlen(kept) == text.len &&
           memcmp(kept, text.bytes, text.len) == 0;
}

const struct kp_container *watch_spec(const struct watch *w, int container)
{
    return &w->scene->pod.containers[container];
}

bool watch_policy_is(const struct watch *w, const char *policy)
{
    return kp_text_equal(w->scene->pod.restart_policy, kp_text_of(policy));
}
