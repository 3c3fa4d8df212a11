#include "punycode.h"

#include "fakes/alloc.h"
#include "fakes/unit.h"

/* As golang.org/x/net/idna 0.57 writes them, and Python's codec; three are RFC 3492's own examples.
 */
static void names_are_written_as_go_writes_them(void)
{
    static const struct {
        const char *host;
        const char *ascii;
    } rows[] = {
        {"", ""},
        {"example.com", "example.com"},
        {"a\x7Fü", "xn--a\x7F-yka"},
        {"ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"},
        {"😀жb💩と", "xn--b-ktb7505awb06a6nb"}, /* a bias of 11 and its like */
        {"嵲렑", "xn--3otw22s"},              /* 699 would be another damp */
        {"éș語", "xn--9ca22dw901a"},          /* a delta of 456, which is more than 455 */
        {"xn--bcher-kva.ü", "xn--bcher-kva.xn--tda"},
        {"büücher", "xn--bcher-kvaa"},
        {"aébé", "xn--ab-bjab"},
        {"ééé", "xn--9caaa"},
        {".é", ".xn--9ca"},
        {"日本日本", "xn--wgva49gba"},
        {"a-é-é", "xn--a---cmab"},
        {"üöüö", "xn--ndaaqb"},
        {"éabcdefghijklmnopqrstuvwxyz0123456789abcdéü",
         "xn--abcdefghijklmnopqrstuvwxyz0123456789abcd-9rd4bz0e"}, /* the second bias is 11 or more
                                                                    */
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
