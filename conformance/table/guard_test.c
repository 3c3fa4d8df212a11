#include "conformance/table/guard.h"

#include "conformance/text/sha256.h"
#include "fakes/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* What a folder with that MANIFEST says of files named a.yaml (abc) and b.yaml. */
static void check_folder(const char *manifest, const char *wrong, const char *of_a,
                         const char *of_b, const char *missing)
{
    char folder[RIG_FOLDER];
    char path[RIG_FOLDER + 16];
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_guard guard;
    const char *text;
    FILE *file;

    if (!CHECK(rig_make_folder(folder)))
        return;
    snprintf(path, sizeof path, "%s/MANIFEST", folder);
    file = manifest ? fopen(path, "wb") : NULL;
    if (file) {
        fputs(manifest, file);
        fclose(file);
    }
    text = cf_guard_begin(&guard, &arena, folder);
    CHECK_STRING(text ? text : "", wrong);
    text = cf_guard_check(&guard, "a.yaml", KP_TEXT("abc"));
    CHECK_STRING(text ? text : "", of_a);
    text = cf_guard_check(&guard, "b.yaml", KP_TEXT("abc"));
    CHECK_STRING(text ? text : "", of_b);
    text = cf_guard_missing(&guard, &arena);
    CHECK_STRING(text ? text : "", missing);
    unlink(path);
    rmdir(folder);
    cf_arena_deinit(&arena);
}

static void a_folder_is_held_against_its_manifest(void)
{
    static const char other[] = "it is not the file whose hash stands in MANIFEST";

    check_folder(NULL, "", "", "", "");
    check_folder(HASH_OF_ABC "  a.yaml\n" HASH_OF_ABC "  b.yaml\n", "", "", "", "");
    check_folder(HASH_OF_ABC "  a.yaml\n", "", "", "it is not in MANIFEST", "");
    check_folder(HASH_OF_ABC "  a.yaml\n" HASH_OF_ABC "  b.yaml\n" HASH_OF_ABC "  c.yaml\n", "", "",
                 "", "c.yaml");
    check_folder("0" HASH_OF_ABC "  a.yaml\n" HASH_OF_ABC "  b.yaml\n",
                 "wanted lines as sha256sum writes them", "it is not in MANIFEST",
                 "it is not in MANIFEST", "");
    check_folder(
        "aa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.yaml\n" HASH_OF_ABC
        "  b.yaml\n",
        "", other, "", "");
}

const struct unit_test guard_test[] = {
    {"a folder is held against its manifest", a_folder_is_held_against_its_manifest},
    {0},
};
