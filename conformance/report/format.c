#include "conformance/report/format.h"

#include <string.h>

void cf_report_count(const struct cf_result *result, struct kp_text topic,
                     size_t totals[CF_VERDICTS])
{
    memset(totals, 0, CF_VERDICTS * sizeof totals[0]);
    for (size_t i = 0; i < result->case_count; i++)
        if (topic.len == 0 || kp_text_equal(result->cases[i].topic, topic))
            totals[result->cases[i].outcome.verdict]++;
}

struct kp_text_list cf_report_topics(struct cf_arena *arena, const struct cf_result *results,
                                     size_t count)
{
    struct kp_text_list topics = {0};
    struct kp_text *items;
    size_t room = 0;

    for (size_t i = 0; i < count; i++)
        room += results[i].case_count;
    items = cf_arena_array(arena, room, sizeof *items);
    topics.items = items;
    for (size_t i = 0; items && i < count; i++)
        for (size_t k = 0; k < results[i].case_count; k++)
            if (!cf_listed(&topics, results[i].cases[k].topic))
                items[topics.count++] = results[i].cases[k].topic;
    return topics;
}

struct kp_text cf_report_title(struct cf_arena *arena, const struct cf_result *result)
{
    const struct cf_hello_ok *about = &result->header.about;

    return cf_arena_format(arena, "%.*s %.*s", KP_ARG(about->name), (int)about->version.len,
                           about->version.bytes ? about->version.bytes : "");
}

void cf_out_put_seconds(struct cf_out *out, int64_t ms)
{
    int64_t size = ms < 0 ? -ms : ms;

    cf_out_printf(out, "%s%lld.%03lld", ms < 0 ? "-" : "", (long long)(size / 1000),
                  (long long)(size % 1000));
}

static const char *xml_entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "&#10;";
    default:
        return NULL;
    }
}

void cf_out_put_xml(struct cf_out *out, struct kp_text text)
{
    size_t at = 0;

    while (at < text.len) {
        size_t len = cf_utf8_length(kp_text_from(text, at));
        const char *entity = len == 1 ? xml_entity(text.bytes[at]) : NULL;

        if (entity)
            cf_out_put_string(out, entity);
        else if (len == 0 ||
                 (len == 1 && (unsigned char)text.bytes[at] < 0x20 && text.bytes[at] != '\t'))
            cf_out_put(out, KP_TEXT("\xEF\xBF\xBD"));
        else
            cf_out_put(out, (struct kp_text){text.bytes + at, len});
        at += len ? len : 1;
    }
}
