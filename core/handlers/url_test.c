#include "url.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

#include <string.h>

/* A URL being read. */
struct fixture {
    struct kp_mem mem;
    struct kp_scratch scratch;
    struct kp_profile profile;
    struct kp_message why;
    struct kp_url url;
};

static void begin_with(struct fixture *fixture, const char *k8s)
{
    *fixture = (struct fixture){.mem = fake_alloc_plain()};
    kp_scratch_init(&fixture->scratch, &fixture->mem);
    CHECK_INT(kp_profile_init(&fixture->profile, kp_text_of(k8s)), KP_OK);
}

static void begin(struct fixture *fixture)
{
    begin_with(fixture, KP_NEWEST);
}

static bool parse(struct fixture *fixture, struct kp_text text)
{
    return kp_url_parse(&fixture->scratch, &fixture->profile, text, &fixture->url, &fixture->why);
}

static void end(struct fixture *fixture)
{
    kp_scratch_deinit(&fixture->scratch);
}

/* The path of a probe, and what is requested at http://h:80 (P-094). */
static void paths_become_request_targets(void)
{
    static const struct {
        const char *path;
        const char *target;
    } rows[] = {
        {"", "/"},
        {"foo", "/foo"},
        {"?a=b", "/?a=b"},
        {"/p#f", "/p"},
        {"/a b", "/a%20b"},
        {"/a%20b", "/a%20b"},
        {"/a%2Fb", "/a%2Fb"},
        {"/\xC3\xA9", "/%C3%A9"},
        {"//foo/bar", "/bar"},
        {"///foo/bar", "///foo/bar"},
        {"*", "/*"},
        {"%2A", "/*"},
        {"http://other:99/x?y", "/x?y"},
        {"./a:b", "/./a:b"},
        {"/a/../b//c", "/a/../b//c"},
        {"/?a b", "/?a b"},
        {"/x?", "/x?"},
        {"x:///p", "/p"},
        {"http:///p", "/p"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK(parse(&fixture, kp_text_of(rows[i].path)));
        fixture.url.scheme = KP_TEXT("http");
        fixture.url.host = KP_TEXT("h:80");
        CHECK(parse(&fixture, kp_url_text(&fixture.scratch, &fixture.url, KP_URL_USER)));
        CHECK_TEXT(kp_url_request_uri(&fixture.scratch, &fixture.url), kp_text_of(rows[i].target));
        end(&fixture);
    }
}

static void what_is_no_url_is_reported_in_gos_words(void)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"/a%zz", "parse \"/a%zz\": invalid URL escape \"%zz\""},
        {"/a%zzb", "parse \"/a%zzb\": invalid URL escape \"%zz\""},
        {"/p#%zz", "parse \"/p#%zz\": invalid URL escape \"%zz\""},
        {"1a:b", "parse \"1a:b\": first path segment in URL cannot contain colon"},
        {":x", "parse \":x\": missing protocol scheme"},
        {"/a\nb", "parse \"/a\\nb\": net/url: invalid control character in URL"},
        {"http://[[::1]]:80/", "parse \"http://[[::1]]:80/\": invalid IP-literal"},
        {":\n", "parse \":\\n\": net/url: invalid control character in URL"},
        {"http://[]:x/", "parse \"http://[]:x/\": invalid port \":x\" after host"},
        {"http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"},
        {"http://h:8x/", "parse \"http://h:8x/\": invalid port \":8x\" after host"},
        {"http://[::1", "parse \"http://[::1\": missing ']' in host"},
        {"http://[fe80::1%25%01]/",
         "parse \"http://[fe80::1%25%01]/\": invalid URL escape \"%01\""},
        {"http://[1.2.3.4]/", "parse \"http://[1.2.3.4]/\": invalid IP-literal"},
        {"http://[fe80::1%25a b]/",
         "parse \"http://[fe80::1%25a b]/\": invalid character \" \" in host name"},
        {"http://<u@h/", "parse \"http://<u@h/\": net/url: invalid userinfo"},
        {"http://ab<@h/", "parse \"http://ab<@h/\": net/url: invalid userinfo"},
        {"https://h:1:2/", "parse \"https://h:1:2/\": invalid port \":1:2\" after host"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK(!parse(&fixture, kp_text_of(rows[i].text)));
        CHECK_TEXT(kp_scratch_message(&fixture.scratch, &fixture.why), kp_text_of(rows[i].why));
        end(&fixture);
    }
}

/* As net/url of Go 1.22.10, 1.24.11 and 1.26.5 read them: what they say, or the host's name. */
static void go_came_to_read_hosts_more_strictly(void)
{
    static const struct {
        const char *text;
        const char *any_brackets; /* 1.31.13, before Go 1.24.8 */
        const char *any_before;   /* 1.34.6, before Go 1.25.8 */
        const char *any_colons;   /* 1.35 */
    } rows[] = {
        {"//[x]", "x", "! invalid host: ParseAddr(\"x\"): unable to parse IP",
         "! invalid host: ParseAddr(\"x\"): unable to parse IP"},
        {"//[[::1]]", "[::1]",
         "! invalid host: ParseAddr(\"::1]\"): unexpected character, want colon (at \"]\")",
         "! invalid IP-literal"},
        {"//x[::1]", "! invalid port \":1]\" after host", "::1", "! invalid IP-literal"},
        {"//a]b[", "a]b[", "! invalid port \"b[\" after host", "! invalid IP-literal"},
        {"//][", "][", "! invalid port \"[\" after host", "! invalid IP-literal"},
        {"//[%41]", "! invalid URL escape \"%41\"", "! invalid URL escape \"%41\"",
         "! invalid URL escape \"%41\""},
        {"//[%]", "! invalid URL escape \"%]\"", "! invalid URL escape \"%\"",
         "! invalid URL escape \"%\""},
        {"//[%e9%25%20]", "\xE9% ", "! invalid host: ParseAddr(\"\\xe9% \"): missing IPv6 address",
         "! invalid host: ParseAddr(\"\\xe9% \"): missing IPv6 address"},
        {"//[%25a%20]", "%a ", "! invalid host: ParseAddr(\"%a \"): missing IPv6 address",
         "! invalid host: ParseAddr(\"%a \"): missing IPv6 address"},
        {"//[::1%25a%20]", "::1%a ", "::1%a ", "::1%a "},
        {"http://a:b:1", "a:b", "a:b", "a:b"},
        {"https://::1:1", "::1", "::1", "::1"},
    };
    static const char *const k8s[] = {"1.31.13", "1.34.6", "1.35"};

    for (size_t i = 0; i < 3 * (sizeof rows / sizeof rows[0]); i++) {
        const char *const want[] = {rows[i / 3].any_brackets, rows[i / 3].any_before,
                                    rows[i / 3].any_colons};
        struct kp_text said = kp_text_of(want[i % 3]);
        struct fixture fixture;

        begin_with(&fixture, k8s[i % 3]);
        if (parse(&fixture, kp_text_of(rows[i / 3].text))) {
            CHECK_TEXT(kp_url_hostname(&fixture.url), said);
        } else {
            struct kp_text text = kp_scratch_message(&fixture.scratch, &fixture.why);
            size_t begun = strlen("parse \"\": ") + strlen(rows[i / 3].text);

            CHECK_TEXT((kp_text_from(text, begun)), kp_text_from(said, 2));
        }
        end(&fixture);
    }
}

static void check_resolved_by(const char *k8s, const char *base_text, const char *ref,
                              const char *want)
{
    struct kp_url base;
    struct kp_url whole;
    struct fixture fixture;

    begin_with(&fixture, k8s);
    CHECK(parse(&fixture, kp_text_of(base_text)));
    base = fixture.url;
    CHECK(parse(&fixture, kp_text_of(ref)));
    kp_url_resolve(&fixture.scratch, &fixture.profile, &base, &fixture.url, &whole);
    CHECK_TEXT(kp_url_text(&fixture.scratch, &whole, KP_URL_MASKED), kp_text_of(want));
    end(&fixture);
}

static void check_resolved(const char *base_text, const char *ref, const char *want)
{
    check_resolved_by(KP_NEWEST, base_text, ref, want);
}

/* As net/url of Go 1.26.5 and 1.26.8 do. */
static void what_is_behind_dots_that_lead_to_the_root(void)
{
    static const struct {
        const char *ref;
        const char *before; /* Go 1.26.6 */
        const char *since;
    } rows[] = {
        {"/a/..//b", "http://h//b", "http://h/b"},
        {"/a/b/../..//c", "http://h//c", "http://h/c"},
        {"/..//x", "http://h/x", "http://h/x"},
        {"/a/b/..//c", "http://h/a//c", "http://h/a//c"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_resolved_by("1.36", "http://h/", rows[i].ref, rows[i].before);
        check_resolved_by("1.37", "http://h/", rows[i].ref, rows[i].since);
    }
}

static void references_are_resolved_as_in_rfc_3986(void)
{
    static const struct {
        const char *ref;
        const char *whole;
    } rows[] = {
        {"/x", "http://u:***@h:80/x"},
        {"x/../y", "http://u:***@h:80/a/y"},
        {"../../..", "http://u:***@h:80/"},
        {"?z", "http://u:***@h:80/a/c;d?z"},
        {"#g", "http://u:***@h:80/a/c;d?q#g"},
        {"//other/p", "http://other/p"},
        {"//o/p", "http://o/p"},
        {"//other/a%2Fb", "http://other/a%2Fb"},
        {"https://h/./p", "https://h/p"},
        {"#f%20g", "http://u:***@h:80/a/c;d?q#f%20g"},
        {"", "http://u:***@h:80/a/c;d?q"},
        {"?", "http://u:***@h:80/a/c;d?"},
        {"x:y", "x:y"},
        {"x:", "x:"},
        {"/..//x/./", "http://u:***@h:80/x/"},
        {"/.././/x", "http://u:***@h:80//x"},
        {"/x/../", "http://u:***@h:80/"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_resolved("http://u:p@h:80/a/b/../c;d?q", rows[i].ref, rows[i].whole);
    check_resolved("http://h/p#%41", "", "http://h/p#%41");
    check_resolved("http://h/p#a b%41", "", "http://h/p#a%20bA");
    check_resolved("http://u:p@h/a", "b", "http://u:***@h/b");
    check_resolved("http://h", ".//x", "http://h//x");
    check_resolved("http://h", ".", "http://h/");
    check_resolved("http://h", "x", "http://h/x");
    check_resolved("http://h/a%2Fb/c", "d", "http://h/a%2Fb/d");
    check_resolved("http://u@/p", "/x", "http://u@/x");
    check_resolved("http://h/p", "//u@/x", "http://u@/x");
}

/* As net/url of Go 1.15.15 does. */
static void segments_are_joined_by_the_oldest(void)
{
    static const struct {
        const char *base;
        const char *ref;
        const char *whole;
    } rows[] = {
        {"http://h/a/b?q=1", "c/..", "http://h/a/"},
        {"http://h/a/b?q=1", "/.", "http://h/"},
        {"http://h/a/b?q=1", "x/.", "http://h/a/x/"},
        {"http://h/a/b?q=1", ".//x", "http://h/a//x"},
        {"http://h/a/b?q=1", "..//x", "http://h//x"},
        {"http://h/a/b?q=1", "/.././/c", "http://h/c"},
        {"http://h/a/b?q=1", "/a/b/../../../c", "http://h/c"},
        {"http://h/a/b?q=1", "/a//../b", "http://h/a/b"},
        {"http://h/a/b?q=1", "/a/..//b", "http://h//b"},
        {"http://h/a/b?q=1", "x/./y/../z", "http://h/a/x/z"},
        {"http://h/a/b?q=1", "//h/..//x", "http://h/x"},
        {"http://h", "../../../c", "http://h/c"},
        {"http://h", "../c/d", "http://h/c/d"},
        {"http://h", "c/d/../e", "http://h/c/e"},
        {"http://h", "c/..", "http://h/"},
        {"http://h", ".//x", "http://h/x"},
        {"http://h", "?x", "http://h?x"},
        {"http://h/a/../b/c", "..", "http://h/"},
        {"http://h/a/../b/c", "/c/./", "http://h/c/"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_resolved_by("1.20", rows[i].base, rows[i].ref, rows[i].whole);
}

/* As Go 1.26 writes them again. */
static void what_was_read_is_written_again(void)
{
    static const struct {
        const char *text;
        const char *again; /* NULL: the same */
        const char *name;
        const char *port;
    } rows[] = {
        {"x:/p", NULL, "", ""},
        {"Z:/p", "z:/p", "", ""},
        {"http://", "http:", "", ""},
        {"x:///p", NULL, "", ""},
        {"x://h", NULL, "h", ""},
        {"x:", NULL, "", ""},
        {"x:?q", NULL, "", ""},
        {"x:y?", NULL, "", ""},
        {"x:a/b:c", NULL, "", ""},
        {"Az+-.9:/x", "az+-.9:/x", "", ""},
        {"x://h:80:81/", NULL, "h:80", "81"},
        {"//h:80:81/", NULL, "h:80", "81"},
        {"http://h:/", NULL, "h", ""},
        {"http://:80/", NULL, "", "80"},
        {"http://[::1]/", NULL, "::1", ""},
        {"http://h?q#f", NULL, "h", ""},
        {"http://h#f g", "http://h#f%20g", "h", ""},
        {"http://h/#%41", NULL, "h", ""},
        {"http://h/#a%20b", NULL, "h", ""},
        {"http://h/#!$&()*+,/:;=?@", NULL, "h", ""},
        {"http://h/a%2Ab c", "http://h/a%2Ab%20c", "h", ""},
        {"http://h/a%5b", NULL, "h", ""},
        {"http://u@", NULL, "", ""},
        {"x:///", NULL, "", ""},
        {"http://@h/", NULL, "h", ""},
        {"http://u:@h/", NULL, "h", ""},
        {"http://u:p:q@h/", "http://u:p%3Aq@h/", "h", ""},
        {"http://:p@h/", NULL, "h", ""},
        {"http://a@b@h/", "http://a%40b@h/", "h", ""},
        {"http://azAZ09-._~!$&'()*+,;=%41:x@h/", "http://azAZ09-._~%21$&%27%28%29%2A+,;=A:x@h/",
         "h", ""},
        {"http://[fe80::1%25a%41%20b]:8/", "http://[fe80::1%25aA%20b]:8/", "fe80::1%aA b", "8"},
        {"http://h%C3%A9%25/", NULL, "h\xC3\xA9%", ""},
        {"http://h\x80/", "http://h%80/", "h\x80", ""},
        {"a/b", NULL, "", ""},
        {"A/b:c", NULL, "", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK(parse(&fixture, kp_text_of(rows[i].text)));
        CHECK_TEXT(kp_url_text(&fixture.scratch, &fixture.url, KP_URL_USER),
                   kp_text_of(rows[i].again ? rows[i].again : rows[i].text));
        CHECK_TEXT(kp_url_hostname(&fixture.url), kp_text_of(rows[i].name));
        CHECK_TEXT(kp_url_port(&fixture.url), kp_text_of(rows[i].port));
        end(&fixture);
    }
}

/* Whichever of its parts is the long one. */
static void a_long_url_is_written_whole(void)
{
    static const struct {
        const char *before;
        const char *behind;
    } rows[] = {
        {"", ":/p"},          {"x:", "?q"},         {"x:y?", ""},
        {"http://", ":p@h/"}, {"http://u:", "@h/"}, {"http://", "/"},
        {"http://h/", "#f"},  {"http://h/#", ""},   {"http://[::1%25", "]/"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        struct kp_buf buf = {.bytes = text, .cap = sizeof text};
        struct fixture fixture;

        kp_buf_put(&buf, kp_text_of(rows[i].before));
        for (int k = 0; k < 300; k++)
            kp_buf_put_char(&buf, 'a');
        kp_buf_put(&buf, kp_text_of(rows[i].behind));
        begin(&fixture);
        CHECK(parse(&fixture, kp_buf_text(&buf)));
        CHECK_TEXT(kp_url_text(&fixture.scratch, &fixture.url, KP_URL_USER), kp_buf_text(&buf));
        end(&fixture);
    }
}

/* What stands in memory behind a text, or before it, is none of it. */
static void a_text_ends_where_it_ends(void)
{
    static const char bytes[] = "/a%2Fb%20c";
    struct fixture fixture;

    begin(&fixture);
    CHECK(!parse(&fixture, (struct kp_text){bytes, 4}));
    CHECK_TEXT(kp_scratch_message(&fixture.scratch, &fixture.why),
               KP_TEXT("parse \"/a%2\": invalid URL escape \"%2\""));
    CHECK(!parse(&fixture, (struct kp_text){bytes, 3}));
    CHECK(parse(&fixture, (struct kp_text){bytes, 5}));
    CHECK_TEXT(kp_url_text(&fixture.scratch, &fixture.url, KP_URL_USER), KP_TEXT("/a%2F"));
    CHECK(parse(&fixture, (struct kp_text){bytes + 6, 0}));
    CHECK_INT(fixture.url.path.len, 0);
    end(&fixture);
}

static void a_host_name_has_neither_port_nor_brackets(void)
{
    struct fixture fixture;

    begin(&fixture);
    CHECK(parse(&fixture, KP_TEXT("http://[fe80::1%25eth0]:80/")));
    CHECK_TEXT(kp_url_hostname(&fixture.url), KP_TEXT("fe80::1%eth0"));
    CHECK_TEXT(kp_url_port(&fixture.url), KP_TEXT("80"));
    CHECK_TEXT(kp_url_text(&fixture.scratch, &fixture.url, KP_URL_USER),
               KP_TEXT("http://[fe80::1%25eth0]:80/"));
    end(&fixture);
}

static void without_a_port_it_is_the_schemes(void)
{
    static const struct {
        const char *text;
        const char *port;
    } rows[] = {
        {"http://h/", "80"},  {"https://h/", "443"},           {"http://h:/", "80"},
        {"http://h:8/", "8"}, {"https://[::1]:8443/", "8443"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        begin(&fixture);
        CHECK(parse(&fixture, kp_text_of(rows[i].text)));
        CHECK_TEXT(kp_url_dialled_port(&fixture.url), kp_text_of(rows[i].port));
        end(&fixture);
    }
}

const struct unit_test url_test[] = {
    {"paths become request targets", paths_become_request_targets},
    {"what is no URL is reported in Go's words", what_is_no_url_is_reported_in_gos_words},
    {"Go came to read hosts more strictly", go_came_to_read_hosts_more_strictly},
    {"what is behind dots that lead to the root", what_is_behind_dots_that_lead_to_the_root},
    {"references are resolved as in RFC 3986", references_are_resolved_as_in_rfc_3986},
    {"segments are joined by the oldest", segments_are_joined_by_the_oldest},
    {"what was read is written again", what_was_read_is_written_again},
    {"a long URL is written whole", a_long_url_is_written_whole},
    {"a text ends where it ends", a_text_ends_where_it_ends},
    {"without a port it is the scheme's", without_a_port_it_is_the_schemes},
    {"a host name has neither port nor brackets", a_host_name_has_neither_port_nor_brackets},
    {0},
};
