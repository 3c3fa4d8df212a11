/* wire_line.c: one line of the protocol, with the guards of protocol.md section 6. */
#include "conformance/protocol/wire.h"
#include "conformance/text/json.h"

static bool check_utf8(struct cf_reader *reader, struct kp_text line)
{
    size_t at = 0;

    while (at < line.len) {
        size_t len =
            (unsigned char)line.bytes[at] < 0x80 ? 1 : cf_utf8_length(kp_text_from(line, at));

        if (len == 0)
            return cf_reader_fail(reader, "byte %zu of the line is not UTF-8", at + 1);
        at += len;
    }
    return true;
}

/* Counts brackets outside strings: a parser need not be asked to nest that deep. */
static bool check_depth(struct cf_reader *reader, struct kp_text line)
{
    bool in_string = false;
    int depth = 0;

    for (size_t i = 0; i < line.len; i++) {
        char c = line.bytes[i];

        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        if (depth > CF_LINE_DEPTH_MAX)
            return cf_reader_fail(reader, "nested deeper than %d", CF_LINE_DEPTH_MAX);
    }
    return true;
}

struct cf_node *cf_read_line(struct cf_reader *reader, struct kp_text line)
{
    struct cf_fault fault = {0};
    struct cf_node *node = NULL;

    if (line.len > CF_LINE_BYTES_MAX)
        cf_reader_fail(reader, "the line is longer than 1 MiB");
    else if (check_utf8(reader, line) && check_depth(reader, line) &&
             cf_json_parse(reader->arena, line, &node, &fault) != KP_OK) {
        cf_reader_fail(reader, "column %d: %.*s", fault.at.column, KP_ARG(fault.message));
        node = NULL;
    }
    return node;
}
