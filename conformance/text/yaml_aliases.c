#include "conformance/text/yaml_aliases.h"

/* Of small documents 99 % may come from aliases, of very large ones 10 %. */
static double allowed_ratio(double decoded)
{
    const double low = 400000;
    const double high = 4000000;

    if (decoded <= low)
        return 0.99;
    return decoded >= high ? 0.10 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

/* go-yaml wants more than 100 of them as well, as there are wherever a tenth of 1000 is less. */
bool cf_aliases_count(struct cf_aliases *aliases)
{
    aliases->decoded++;
    aliases->from_aliases += aliases->depth > 0;
    return aliases->decoded <= 1000 ||
           aliases->from_aliases / aliases->decoded <= allowed_ratio(aliases->decoded);
}
