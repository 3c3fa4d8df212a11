#include "punycode.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

/* As golang.org/x/net/idna 0.57 writes them; three of them are RFC 3492's own examples. */
static void names_are_written_as_go_writes_them(void)
{
    static const struct {
        const char *host;
        const char *ascii;
    } rows[] = {
        {"", ""},
        {"example.com", "example.com"},
        {"bücher.example", "xn--bcher-kva.example"},
        {"BÜCHER.example", "xn--BCHER-2pa.example"},
        {"ü", "xn--tda"},
        {"\xC2\x80", "xn--a"},
        {"a\x7Fü", "xn--a\x7F-yka"},
        {"üü", "xn--tdaa"},
        {"a.ü..b.", "a.xn--tda..b."},
        {"ü:x:y", "xn--:x:y-zra"},
        {"a-ü-zß9", "xn--a--z9-oqa4r"},
        {"éàéàéà", "xn--0caaa7abb"},
        {"Übergrößenträger", "xn--bergrentrger-g8a1c1e4o"},
        {"ü😀😀", "xn--tda4367wa"},
        {"ü日本語日本語日本語日本語日本語日本語日本語日本語",
         "xn--tda0872caaaaaaa773ababbbbbb2344ncacccccc"},
        {"他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"},
        {"ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"},
        {"安室奈美恵-with-SUPER-MONKEYS", "xn---with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"},
        {"xn--bcher-kva.ü", "xn--bcher-kva.xn--tda"},
        {"aa¡ŗあ", "xn--aa-5ca24e233p"},
        {"\xFF\xC3", "xn--zn7ca"},
        {"\x80", "xn--zn7c"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_mem mem = fake_alloc_plain();
        struct kp_scratch scratch;

        kp_scratch_init(&scratch, &mem);
        CHECK_TEXT(kp_punycode(&scratch, kp_text_of(rows[i].host)), kp_text_of(rows[i].ascii));
        kp_scratch_deinit(&scratch);
    }
}

const struct unit_test punycode_test[] = {
    {"names are written as Go writes them", names_are_written_as_go_writes_them},
    {0},
};
