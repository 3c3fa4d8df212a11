#include "conformance/table/fire_text.h"

#include "conformance/text/out.h"
#include "conformance/text/sha256.h"

#include <string.h>

/* ---- placeholders ------------------------------------------------------------------------- */

enum { REPEATS_MAX = 16 * 1024 * 1024 };

/* TEXT*N; false: it is none. */
static bool put_repeated(struct cf_out *out, struct kp_text name)
{
    size_t star = name.len;
    size_t count = 0;

    while (star > 0 && name.bytes[star - 1] != '*')
        star--;
    if (star < 2 || star == name.len)
        return false;
    for (size_t i = star; i < name.len; i++) {
        if (name.bytes[i] < '0' || name.bytes[i] > '9' || count > REPEATS_MAX)
            return false;
        count = 10 * count + (size_t)(name.bytes[i] - '0');
    }
    if (count * (star - 1) > REPEATS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        cf_out_put(out, (struct kp_text){name.bytes, star - 1});
    return true;
}

static bool put_named(struct cf_out *out, const struct cf_fire_names *names, struct kp_text name)
{
    const struct {
        struct kp_text name;
        struct kp_text value;
    } texts[] = {{KP_TEXT("DIR"), names->dir},
                 {KP_TEXT("TIMEOUT"), names->timeout},
                 {KP_TEXT("VERSION"), names->version}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (kp_text_equal(texts[i].name, name)) {
            cf_out_put(out, texts[i].value);
            return true;
        }
    if (kp_text_equal(name, KP_TEXT("PORT")))
        cf_out_put_int(out, names->ports[0]);
    else if (kp_text_equal(name, KP_TEXT("OTHER")))
        cf_out_put_int(out, names->ports[1]);
    else
        return false;
    return true;
}

static bool put_value(struct cf_out *out, const struct cf_fire_names *names, struct kp_text name)
{
    return (names && put_named(out, names, name)) || put_repeated(out, name);
}

struct kp_text cf_fire_expand(struct cf_arena *arena, const struct cf_fire_names *names,
                              struct kp_text text)
{
    struct cf_out out = {0};
    struct kp_text expanded;

    for (size_t i = 0; i < text.len; i++) {
        const char *end = NULL;

        if (text.bytes[i] == '$' && i + 1 < text.len && text.bytes[i + 1] == '{')
            end = memchr(text.bytes + i, '}', text.len - i);
        if (end &&
            put_value(&out, names,
                      (struct kp_text){text.bytes + i + 2, (size_t)(end - text.bytes) - i - 2}))
            i = (size_t)(end - text.bytes);
        else
            cf_out_put_char(&out, text.bytes[i]);
    }
    expanded = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return expanded;
}

/* ---- for reports -------------------------------------------------------------------------- */

/* A run of digits: a port's number by its name. */
static size_t put_number(struct cf_out *out, const struct cf_fire_names *names, struct kp_text rest)
{
    static const char *const words[] = {"${PORT}", "${OTHER}"};
    size_t len = 0;
    uint32_t value = 0;

    while (len < rest.len && kp_is_digit(rest.bytes[len])) {
        value = len < 6 ? 10 * value + (uint32_t)(rest.bytes[len] - '0') : 0;
        len++;
    }
    for (size_t k = 0; k < 2; k++)
        if (value > 0 && names->ports[k] == value) {
            cf_out_put_string(out, words[k]);
            return len;
        }
    cf_out_put(out, (struct kp_text){rest.bytes, len});
    return len;
}

/* The client's end of a connection: 127.0.0.1:PORT->, another one each time. */
static size_t client_port(struct kp_text rest)
{
    size_t len = 1 + kp_text_digits(kp_text_from(rest, 1));

    return len > 1 && kp_text_begins(kp_text_from(rest, len), "->") ? len : 0;
}

static size_t put_shown(struct cf_out *out, const struct cf_fire_names *names, struct kp_text rest)
{
    unsigned char c = (unsigned char)rest.bytes[0];
    size_t client = c == ':' ? client_port(rest) : 0;

    if (names->dir.len > 0 && rest.len >= names->dir.len &&
        memcmp(rest.bytes, names->dir.bytes, names->dir.len) == 0) {
        cf_out_put_string(out, "${DIR}");
        return names->dir.len;
    }
    if (client > 0) {
        cf_out_put_string(out, ":${CLIENT}");
        return client;
    }
    if (kp_is_digit((char)c))
        return put_number(out, names, rest);
    if (c == '\n')
        cf_out_put_string(out, "\\n");
    else if (c < 0x20 || c == 0x7f)
        cf_out_printf(out, "\\x%02x", c);
    else
        cf_out_put_char(out, (char)c);
    return 1;
}

/* A long text is shown by its beginning, its length and a hash. */
static void shorten(struct cf_out *out, size_t bytes)
{
    enum { SHOWN = 200 };
    struct cf_sha256 sha;
    char hex[CF_SHA256_HEX + 1];

    if (out->len <= 2 * SHOWN)
        return;
    cf_sha256_init(&sha);
    cf_sha256_put(&sha, cf_out_text(out));
    cf_sha256_take(&sha, hex);
    out->len = SHOWN;
    while (out->len > 0 && ((unsigned char)out->bytes[out->len - 1] & 0xc0) == 0x80)
        out->len--;
    if (out->len > 0 && (unsigned char)out->bytes[out->len - 1] >= 0xc0)
        out->len--;
    cf_out_printf(out, "... (%zu bytes, %.8s)", bytes, hex);
}

struct kp_text cf_fire_display(struct cf_arena *arena, const struct cf_fire_names *names,
                               struct kp_text text)
{
    struct cf_out out = {0};
    struct kp_text shown;

    for (size_t i = 0; i < text.len;)
        i += put_shown(&out, names, kp_text_from(text, i));
    shorten(&out, text.len);
    shown = cf_arena_text(arena, cf_out_text(&out));
    cf_out_deinit(&out);
    return shown;
}

/* ---- classes ------------------------------------------------------------------------------ */

static const char *const class_words[CF_FIRE_CLASSES] = {
#define CLASS(name, word, what) [CF_CLASS_##name] = word,
#define WORDS(name, words)
#include "conformance/table/fire_classes.def"
#undef CLASS
#undef WORDS
};
const struct cf_words cf_fire_class_words = {class_words, CF_FIRE_CLASSES, 0};

static const struct {
    enum cf_fire_class class;
    const char *words;
} known_words[] = {
#define CLASS(name, word, what)
#define WORDS(name, words) {CF_CLASS_##name, words},
#include "conformance/table/fire_classes.def"
#undef CLASS
#undef WORDS
};

int cf_fire_class_of(struct kp_text text)
{
    for (size_t i = 0; i < sizeof known_words / sizeof *known_words; i++)
        if (kp_text_has(text, known_words[i].words))
            return (int)known_words[i].class;
    return -1;
}

/* The next class of "tls|closed>"; -1: the word is none. */
static int next_class(struct kp_text *rest)
{
    size_t len = 0;
    int class;

    while (rest->bytes[len] != '|' && rest->bytes[len] != '>')
        len++;
    class = cf_find_word(&cf_fire_class_words, (struct kp_text){rest->bytes, len});
    *rest = (struct kp_text){rest->bytes + len + 1, rest->len - len - 1};
    return class;
}

static const struct kp_text any = {"<any>", 5};

/* The length of a text before an ending such as <tls|closed>; its length where there is none. */
static size_t before_ending(struct kp_text text)
{
    size_t from = text.len;
    struct kp_text rest;

    if (text.len >= any.len &&
        kp_text_equal(any, (struct kp_text){text.bytes + text.len - any.len, any.len}))
        return text.len - any.len;
    if (text.len == 0 || text.bytes[text.len - 1] != '>')
        return text.len;
    while (from > 0 && text.bytes[from - 1] != '<')
        from--;
    rest = kp_text_from(text, from);
    while (from > 0 && rest.len > 0)
        if (next_class(&rest) < 0)
            return text.len;
    return from > 0 ? from - 1 : text.len;
}

bool cf_fire_fits(struct kp_text wanted, struct kp_text got, int said)
{
    size_t len = before_ending(wanted);
    struct kp_text rest;
    int class;

    if (len == wanted.len)
        return kp_text_equal(wanted, got);
    if (got.len < len || memcmp(got.bytes, wanted.bytes, len) != 0)
        return false;
    if (kp_text_equal(any, kp_text_from(wanted, len)))
        return true;
    class = said >= 0 ? said : cf_fire_class_of(kp_text_from(got, len));
    rest = (struct kp_text){wanted.bytes + len + 1, wanted.len - len - 1};
    while (rest.len > 0) {
        int one = next_class(&rest);

        if (one == class || (one == CF_CLASS_GRPC && said < 0))
            return true;
    }
    return false;
}

bool cf_fire_line_fits(struct kp_text wanted, struct kp_text got)
{
    if (wanted.len == 0 || wanted.bytes[wanted.len - 1] != '*')
        return kp_text_equal(wanted, got);
    return got.len >= wanted.len - 1 && memcmp(got.bytes, wanted.bytes, wanted.len - 1) == 0;
}

static char small(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

bool cf_fire_header_fits(struct kp_text wanted, struct kp_text got)
{
    const char *colon = memchr(wanted.bytes, ':', wanted.len);
    size_t name = colon ? (size_t)(colon - wanted.bytes) : 0;

    if (name == 0 || name >= got.len)
        return cf_fire_line_fits(wanted, got);
    for (size_t i = 0; i < name; i++)
        if (small(wanted.bytes[i]) != small(got.bytes[i]))
            return false;
    return cf_fire_line_fits(kp_text_from(wanted, name), kp_text_from(got, name));
}
