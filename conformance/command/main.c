/* main.c: the command `probetest`. */
#include "conformance/text/cli.h"

int main(int argc, char **argv)
{
    return cf_cli_main(argc, argv);
}
