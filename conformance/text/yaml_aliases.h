/* yaml_aliases.h: go-yaml's measure against alias bombs, documents that expand to very much. */
#pragma once

#include <stdbool.h>

/* Of one document; what go-yaml decodes are its nodes, and those of what an alias stands for. */
struct cf_aliases {
    double decoded;
    double from_aliases;
    int depth; /* of aliases that are being expanded */
};

/*
 * One more is decoded; false: too many came from aliases.
 *
 * Upstream: go-yaml v2 decode.go unmarshal, allowedAliasRatio.
 */
bool cf_aliases_count(struct cf_aliases *aliases);
