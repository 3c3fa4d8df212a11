/*
 * What built.def and the rows of profile.def that come from Go or from a module say, once more: a
 * release or a border that is none of those that were read is found here, also where no release
 * lies in between.
 */
#include "core/rules/profile.h"
#include "fakes/unit.h"

#include <stdio.h>
#include <string.h>

#define V(minor, patch) minor, patch
#define GO(one, minor, patch) minor, patch
#define GODEBUG(one, minor) minor
#define GRPC(one, minor, patch) minor, patch
#define NET(zero, minor, patch) minor, patch
#define NET_OF(year, month) year, month

static const int built[][9] = {
#define BUILT(...) {__VA_ARGS__},
#define LAST BUILT
#include "core/rules/built.def"
#undef LAST
#undef BUILT
};

#undef V
#undef GO
#undef GODEBUG
#undef GRPC
#undef NET
#undef NET_OF

/* clang-format off */
/* The release; Go, of `.go-version`; go.mod's godebug, grpc-go and golang.org/x/net. */
static const int read_there[][9] = {
    {15, 0, 12, 5, 20, 13, 0, 2019, 2},
    {15, 12, 12, 17, 20, 13, 0, 2019, 8},
    {16, 0, 12, 9, 20, 23, 0, 2019, 8},
    {16, 5, 13, 5, 20, 23, 0, 2019, 10},
    {16, 15, 13, 15, 20, 23, 0, 2019, 10},
    {17, 0, 13, 4, 20, 23, 1, 2019, 10},
    {17, 17, 13, 15, 20, 23, 1, 2019, 10},
    {18, 0, 13, 8, 20, 26, 0, 2019, 10},
    {18, 20, 13, 15, 20, 26, 0, 2020, 11},
    {19, 0, 15, 0, 20, 27, 0, 2020, 7},
    {19, 16, 15, 15, 20, 27, 0, 2020, 11},
    {20, 0, 15, 5, 20, 27, 1, 2020, 11},
    {20, 15, 15, 15, 20, 27, 1, 2020, 11},
    {21, 0, 16, 1, 20, 27, 1, 2021, 2},
    {21, 8, 16, 12, 20, 27, 1, 2021, 12},
    {21, 14, 16, 15, 20, 27, 1, 2021, 12},
    {22, 0, 16, 6, 20, 38, 0, 2021, 5},
    {22, 5, 16, 12, 20, 38, 0, 2021, 12},
    {22, 17, 16, 15, 20, 38, 0, 2021, 12},
    {23, 0, 17, 3, 20, 40, 0, 2021, 8},
    {23, 1, 17, 5, 20, 40, 0, 2021, 12},
    {23, 16, 19, 5, 20, 40, 0, 2021, 12},
    {23, 17, 19, 6, 20, 40, 0, 7, 0},
    {24, 0, 18, 1, 20, 40, 0, 2022, 1},
    {24, 10, 19, 5, 20, 40, 0, 3, 0},
    {24, 16, 20, 6, 20, 40, 0, 8, 0},
    {24, 17, 20, 7, 20, 40, 0, 8, 0},
    {25, 0, 19, 0, 20, 47, 0, 2022, 7},
    {25, 12, 20, 6, 20, 47, 0, 8, 0},
    {25, 14, 20, 8, 20, 47, 0, 8, 0},
    {25, 15, 20, 10, 20, 47, 0, 17, 0},
    {25, 16, 20, 10, 20, 47, 0, 17, 0},
    {26, 0, 19, 4, 20, 49, 0, 3, 0},
    {26, 7, 20, 6, 20, 49, 0, 8, 0},
    {26, 9, 20, 8, 20, 49, 0, 8, 0},
    {26, 10, 20, 10, 20, 49, 0, 17, 0},
    {26, 11, 20, 11, 20, 56, 3, 17, 0},
    {26, 12, 20, 12, 20, 56, 3, 17, 0},
    {26, 14, 21, 7, 20, 56, 3, 17, 0},
    {26, 15, 21, 8, 20, 56, 3, 17, 0},
    {27, 0, 20, 3, 20, 51, 0, 8, 0},
    {27, 4, 20, 6, 20, 51, 0, 8, 0},
    {27, 6, 20, 8, 20, 51, 0, 8, 0},
    {27, 7, 20, 10, 20, 51, 0, 17, 0},
    {27, 8, 20, 11, 20, 56, 3, 17, 0},
    {27, 9, 20, 12, 20, 56, 3, 17, 0},
    {27, 11, 21, 7, 20, 56, 3, 19, 0},
    {27, 16, 22, 5, 20, 56, 3, 23, 0},
    {28, 0, 20, 7, 20, 54, 0, 13, 0},
    {28, 2, 20, 8, 20, 54, 0, 13, 0},
    {28, 4, 20, 11, 20, 56, 3, 17, 0},
    {28, 5, 20, 12, 20, 56, 3, 17, 0},
    {28, 7, 21, 7, 20, 56, 3, 19, 0},
    {28, 12, 22, 5, 20, 56, 3, 23, 0},
    {28, 15, 22, 8, 20, 56, 3, 23, 0},
    {29, 0, 21, 5, 21, 58, 3, 17, 0},
    {29, 7, 22, 5, 21, 58, 3, 23, 0},
    {29, 15, 23, 6, 21, 58, 3, 23, 0},
    {30, 0, 22, 2, 22, 58, 3, 23, 0},
    {30, 11, 23, 6, 22, 58, 3, 23, 0},
    {30, 13, 23, 8, 22, 58, 3, 23, 0},
    {30, 14, 23, 10, 22, 58, 3, 23, 0},
    {31, 0, 22, 5, 22, 65, 0, 26, 0},
    {31, 7, 23, 6, 22, 65, 0, 26, 0},
    {31, 9, 23, 8, 22, 65, 0, 26, 0},
    {31, 14, 24, 9, 22, 65, 0, 26, 0},
    {32, 0, 23, 3, 23, 65, 0, 30, 0},
    {32, 5, 23, 8, 23, 65, 0, 30, 0},
    {32, 10, 24, 9, 23, 65, 0, 30, 0},
    {32, 13, 24, 13, 23, 65, 0, 30, 0},
    {33, 0, 24, 2, 24, 68, 1, 38, 0},
    {33, 6, 24, 9, 24, 68, 1, 38, 0},
    {33, 11, 25, 9, 24, 68, 1, 38, 0},
    {33, 13, 25, 11, 24, 68, 1, 38, 0},
    {34, 0, 24, 6, 24, 72, 1, 38, 0},
    {34, 2, 24, 9, 24, 72, 1, 38, 0},
    {34, 7, 25, 9, 24, 72, 1, 38, 0},
    {34, 9, 25, 11, 24, 72, 1, 38, 0},
    {34, 10, 25, 12, 24, 72, 1, 38, 0},
    {34, 11, 26, 5, 24, 72, 1, 56, 0},
    {35, 0, 25, 5, 25, 72, 2, 47, 0},
    {35, 4, 25, 9, 25, 72, 2, 47, 0},
    {35, 6, 25, 11, 25, 72, 2, 47, 0},
    {35, 8, 26, 5, 25, 72, 2, 56, 0},
    {36, 0, 26, 2, 26, 79, 3, 49, 0},
    {36, 2, 26, 4, 26, 79, 3, 49, 0},
    {36, 4, 26, 5, 26, 79, 3, 56, 0},
    {37, 0, 26, 6, 26, 82, 1, 57, 0},
    {37, 2, 26, 10, 26, 82, 1, 57, 0},
};

static const struct border {
    const char *name;
    const char *from;
} borders[] = {
    {"error_url_quoted", "go 1.14.0"},
    {"informational_unlimited", "go 1.24.0"},
    {"with_go_113", "go 1.13.0"},
    {"with_go_115", "go 1.15.0"},
    {"with_go_116", "go 1.16.0"},
    {"with_go_118", "go 1.18.0"},
    {"with_go_119", "go 1.19.0"},
    {"with_go_120", "go 1.20.0"},
    {"with_go_121", "go 1.21.0"},
    {"with_go_122", "go 1.22.0"},
    {"host_header_checked", "go 1.19.11, go 1.20.6"},
    {"bad_host_header_emptied", "go 1.20.8, go 1.21.1"},
    {"redirect_drops_body_headers", "go 1.26.0"},
    {"dots_leave_one_slash", "go 1.26.6"},
    {"brackets_hold_ipv6", "go 1.24.8, go 1.25.2"},
    {"bracket_begins_host", "go 1.25.8, go 1.26.1"},
    {"url_colons_strict", "godebug 1.26"},
    {"length_always_read", "go 1.23.0"},
    {"empty_names_refused", "go 1.23.0"},
    {"empty_length_refused", "godebug 1.22"},
    {"mime_errors_quoted", "go 1.25.11, go 1.26.4"},
    {"chunk_lines_end_with_crlf", "go 1.23.8"},
    {"chunk_excess_counts", "go 1.20.12"},
    {"grpc_prefix_may_be_cut", "grpc-go 1.68.0"},
    {"grpc_reset_is_reported", "grpc-go 1.72.0"},
    {"grpc_type_decides", "grpc-go 1.79.0"},
    {"authority_checked", "net 0.12.0"},
    {"goaway_error_is_final", "net 0.26.0"},
    {"field_value_is_hidden", "net 2022-7"},
    {"missing_body_is_error", "net 2021-12"},
    {"protocol_error_is_retried", "net 2021-12, net 0.56.0"},
    {"grpc_page_is_read", "grpc-go 1.82.0"},
};
/* clang-format on */

static void each_release_is_built_with_what_was_read(void)
{
    CHECK_INT(sizeof built / sizeof *built, sizeof read_there / sizeof *read_there);
    for (size_t i = 0; i < sizeof read_there / sizeof *read_there; i++)
        if (!CHECK(memcmp(built[i], read_there[i], sizeof built[i]) == 0))
            printf("    1.%d.%d\n", read_there[i][0], read_there[i][1]);
}

/* "GO(1, 24, 8), GO(1, 25, 2)" as "go 1.24.8, go 1.25.2". */
static void put_border(struct kp_buf *buf, struct kp_text text)
{
    static const char *const kinds[][2] = {{"GODEBUG(", "godebug "},
                                           {"GO(", "go "},
                                           {"GRPC(", "grpc-go "},
                                           {"NET_OF(", "net "},
                                           {"NET(", "net "}};

    while (text.len > 0) {
        size_t kind = 0;

        while (kind < 5 && !kp_text_begins(text, kinds[kind][0]))
            kind++;
        if (kind < 5) {
            bool of_date = kinds[kind][0][3] == '_';
            size_t end = kp_text_find(text, KP_TEXT(")"));

            kp_buf_put(buf, kp_text_of(kinds[kind][1]));
            for (size_t i = strlen(kinds[kind][0]); i < end; i++) {
                if (text.bytes[i] == ',')
                    kp_buf_put_char(buf, of_date ? '-' : '.');
                else if (text.bytes[i] != ' ')
                    kp_buf_put_char(buf, text.bytes[i]);
            }
            text = kp_text_from(text, end + 1);
        } else {
            if (text.bytes[0] != '{' && text.bytes[0] != '}')
                kp_buf_put_char(buf, text.bytes[0]);
            text = kp_text_from(text, 1);
        }
    }
}

static void check_border(const char *name, const char *text, size_t *seen)
{
    char bytes[200];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    if (strncmp(text, "V(", 2) == 0 || strncmp(text, "{V(", 3) == 0)
        return;
    put_border(&buf, kp_text_of(text));
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
        if (strcmp(borders[i].name, name) == 0) {
            CHECK_TEXT(kp_buf_text(&buf), kp_text_of(borders[i].from));
            ++*seen;
        }
}

static void each_border_of_go_or_a_module_is_where_it_was_read(void)
{
    size_t seen = 0;

#define SWITCH(name, rules, ...) check_border(#name, #__VA_ARGS__, &seen);
#define SPANS SWITCH
#define LEVEL SWITCH
#include "core/rules/profile.def"
#undef SPANS
#undef SWITCH
#undef LEVEL
    CHECK_INT(seen, sizeof borders / sizeof *borders);
}

const struct unit_test built_rows_test[] = {
    {"each release is built with what was read", each_release_is_built_with_what_was_read},
    {"each border of Go or a module is where it was read",
     each_border_of_go_or_a_module_is_where_it_was_read},
    {0},
};
