/* main.c: the command `probetest`. */
#include <stdio.h>

int main(void)
{
    fprintf(stderr, "probetest: no command is built yet\n");
    return 2;
}
