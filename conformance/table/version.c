#include "conformance/table/version.h"

int cf_version_number(struct kp_text version, bool last)
{
    int minor;
    int patch;
    bool has_patch = version.len > 5;

    if (kp_version_numbers(version, &minor, &patch) != KP_OK)
        return -1;
    return minor * 1000 + (has_patch ? patch : last ? 999 : 0);
}

void cf_put_version(struct cf_out *out, int version, bool end)
{
    int patch = version % 1000;

    cf_out_printf(out, "1.%d", version / 1000);
    if (patch != (end ? 999 : 0))
        cf_out_printf(out, ".%d", patch);
}

static void put_span(struct cf_out *out, int since, int until)
{
    bool from = since > KP_MINOR_MIN * 1000;
    bool to = until < KP_MINOR_MAX * 1000 + 999;

    if (from && to && since / 1000 == until / 1000 &&
        until % 1000 == 999) { /* the rest of its minor */
        cf_put_version(out, until, true);
        if (since % 1000 != 0)
            cf_out_printf(out, " from 1.%d.%d on", since / 1000, since % 1000);
        return;
    }
    if (!from && !to)
        cf_out_put_string(out, "all");
    if (from && !to)
        cf_out_put_string(out, "from ");
    if (from)
        cf_put_version(out, since, false);
    if (to)
        cf_out_put_string(out, from ? " to " : "to ");
    if (to)
        cf_put_version(out, until, true);
}

void cf_put_versions(struct cf_out *out, const struct cf_case *item)
{
    put_span(out, item->since, item->until);
    for (size_t i = 0; i < item->hole_count; i++) {
        cf_out_put_string(out, i == 0 ? ", not " : ", ");
        put_span(out, item->holes[i].first, item->holes[i].last);
    }
}
