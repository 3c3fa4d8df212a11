/* host.c: what the C library of WASI lacks and the command or the compiler's own functions ask for. */
#include <stddef.h>
#include <stdint.h>

int madvise(void *address, size_t bytes, int advice);
_Noreturn void __stack_chk_fail(void);

uintptr_t __stack_chk_guard = 0x5AFE;

/* Advice alone: there are no pages to give it to. */
int madvise(void *address, size_t bytes, int advice)
{
    (void)address;
    (void)bytes;
    (void)advice;
    return 0;
}

void __stack_chk_fail(void)
{
    __builtin_trap();
}
