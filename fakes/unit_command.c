#include "fakes/unit_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 32, LINE_MAX_BYTES = 1000, STREAMS = 3 };

/* Cut the line into words, within `bytes`. */
static int words_of(const char *line, char *bytes, char **words)
{
    int count = 0;

    while (*line && count < WORDS_MAX - 1) {
        char end = ' ';

        while (*line == ' ')
            line++;
        words[count++] = bytes;
        for (; *line && (*line != ' ' || end == '\''); line++) {
            if (*line == '\'')
                end = end == ' ' ? '\'' : ' ';
            else
                *bytes++ = *line;
        }
        *bytes++ = '\0';
    }
    words[count] = NULL;
    return count;
}

static char *all_of(FILE *file)
{
    long len = ftell(file);
    char *text = len < 0 ? NULL : malloc((size_t)len + 1);

    if (!text)
        return NULL;
    rewind(file);
    text[fread(text, 1, (size_t)len, file)] = '\0';
    return text;
}

/* The process' own streams are put aside, and put back. */
static int run(int (*command)(int argc, char **argv), int argc, char **argv, FILE **files)
{
    int kept[STREAMS];
    int code;

    for (int i = 0; i < STREAMS; i++) {
        kept[i] = dup(i);
        dup2(fileno(files[i]), i);
    }
    clearerr(stdin);
    code = command(argc, argv);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < STREAMS; i++) {
        dup2(kept[i], i);
        close(kept[i]);
    }
    return code;
}

struct unit_said unit_command(int (*command)(int argc, char **argv), const char *line,
                              const char *in)
{
    FILE *files[STREAMS] = {tmpfile(), tmpfile(), tmpfile()};
    struct unit_said said = {-1, NULL, NULL};
    char bytes[LINE_MAX_BYTES];
    char *words[WORDS_MAX];

    fflush(stdout);
    fflush(stderr);
    if (files[0] && files[1] && files[2] && strlen(line) < sizeof bytes - WORDS_MAX) {
        fputs(in ? in : "", files[0]);
        rewind(files[0]);
        said.code = run(command, words_of(line, bytes, words), words, files);
        fseek(files[1], 0, SEEK_END);
        fseek(files[2], 0, SEEK_END);
        said.out = all_of(files[1]);
        said.err = all_of(files[2]);
    }
    for (int i = 0; i < STREAMS; i++)
        if (files[i])
            fclose(files[i]);
    return said;
}

void unit_said_free(struct unit_said *said)
{
    free(said->out);
    free(said->err);
}
