#include "fakes/stderr.h"

#include <unistd.h>

void fake_stderr_begin(struct fake_stderr *heard)
{
    fflush(stderr);
    heard->kept = dup(STDERR_FILENO);
    heard->file = tmpfile();
    if (heard->file)
        dup2(fileno(heard->file), STDERR_FILENO);
}

struct kp_text fake_stderr_end(struct fake_stderr *heard, char *bytes, size_t size)
{
    size_t len = 0;

    fflush(stderr);
    dup2(heard->kept, STDERR_FILENO);
    close(heard->kept);
    if (!heard->file)
        return KP_TEXT("");
    rewind(heard->file);
    len = fread(bytes, 1, size, heard->file);
    fclose(heard->file);
    return (struct kp_text){bytes, len};
}
