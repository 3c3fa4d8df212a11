/* result_write.c: a run becomes lines. */
#include "conformance/judge/result.h"

static void flush(struct cf_result_writer *writer)
{
    struct kp_text line = cf_out_text(&writer->line);

    cf_sha256_put(&writer->sha, line);
    writer->write(writer->ctx, line);
    cf_out_clear(&writer->line);
}

void cf_result_begin(struct cf_result_writer *writer, const struct cf_result_header *header)
{
    struct cf_out *out = &writer->line;

    cf_sha256_init(&writer->sha);
    cf_out_put_char(out, '{');
    cf_json_int(out, "result", CF_RESULT_FORMAT);
    cf_json_text(out, "probetest", header->tool);
    cf_json_text(out, "suite", header->suite);
    cf_json_texts(out, "k8s", header->k8s);
    cf_json_key(out, "seed");
    cf_out_printf(out, "%llu", (unsigned long long)header->seed);
    cf_json_text(out, "selection", header->selection);
    cf_json_int(out, "selected", (int64_t)header->selected);
    cf_json_key(out, "adapter");
    cf_put_hello_ok(out, &header->about);
    cf_out_put(out, KP_TEXT("}\n"));
    flush(writer);
}

static void put_moments(struct cf_out *out, const struct cf_outcome *outcome)
{
    if (outcome->moment_count == 0)
        return;
    cf_json_int(out, "first", (int64_t)outcome->first);
    cf_json_open(out, "timeline", '[');
    for (size_t i = 0; i < outcome->moment_count; i++) {
        cf_json_comma(out);
        cf_out_put_char(out, '{');
        cf_json_int(out, "at", outcome->moments[i].at_ms);
        cf_json_text(out, "wanted", outcome->moments[i].wanted);
        cf_json_text(out, "got", outcome->moments[i].got);
        cf_out_put_char(out, '}');
    }
    cf_out_put_char(out, ']');
}

static void put_some(struct cf_out *out, const char *name, struct kp_text text)
{
    if (text.len > 0)
        cf_json_text(out, name, text);
}

void cf_result_add(struct cf_result_writer *writer, const struct cf_result_case *item)
{
    struct cf_out *out = &writer->line;

    writer->totals[item->outcome.verdict]++;
    cf_out_put_char(out, '{');
    cf_json_text(out, "case", item->id);
    cf_json_text(out, "k8s", item->k8s);
    cf_json_text(out, "topic", item->topic);
    cf_json_text(out, "layer", item->layer);
    cf_json_text(out, "sentence", item->sentence);
    cf_json_text(out, "place", item->place);
    cf_json_texts(out, "rules", item->rules);
    cf_json_texts(out, "issues", item->issues);
    cf_json_string(out, "verdict", cf_verdict_word(item->outcome.verdict));
    put_some(out, "signature", item->outcome.signature);
    put_some(out, "why", item->outcome.why);
    put_some(out, "reason", item->reason);
    put_moments(out, &item->outcome);
    put_some(out, "log", item->outcome.log);
    cf_out_put(out, KP_TEXT("}\n"));
    flush(writer);
}

void cf_result_end(struct cf_result_writer *writer, bool interrupted)
{
    char hex[CF_SHA256_HEX + 1];
    struct cf_out *out = &writer->line;

    cf_out_put_char(out, '{');
    cf_json_bool(out, "end", true);
    cf_json_bool(out, "interrupted", interrupted);
    cf_json_open(out, "totals", '{');
    for (int verdict = 0; verdict < CF_VERDICTS; verdict++)
        cf_json_int(out, cf_verdict_word((enum cf_verdict)verdict),
                    (int64_t)writer->totals[verdict]);
    cf_out_put_char(out, '}');
    cf_json_open(out, "unobserved", '[');
    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        if (writer->unobserved[kind]) {
            cf_json_comma(out);
            cf_out_put_json(out, kp_text_of(cf_word(&cf_effect_words, kind)));
        }
    cf_out_put(out, KP_TEXT("],\"sha256\":\""));
    flush(writer);
    cf_sha256_take(&writer->sha, hex);
    cf_out_put_string(out, hex);
    cf_out_put(out, KP_TEXT("\"}\n"));
    writer->write(writer->ctx, cf_out_text(out));
    cf_out_deinit(out);
}
