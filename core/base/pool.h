/* pool.h: pieces of larger blocks; AddressSanitizer is told which bytes are nobody's. */
#pragma once

#if defined __has_feature /* clang's */
#if __has_feature(address_sanitizer)
#define KP_POOL_WATCHED
#endif
#elif defined __SANITIZE_ADDRESS__
#define KP_POOL_WATCHED
#endif

#ifdef KP_POOL_WATCHED
#include <sanitizer/asan_interface.h>
#define KP_POOL_GAP 16 /* bytes behind a piece that belong to none */
#define kp_pool_poison(at, bytes) __asan_poison_memory_region(at, bytes)
#define kp_pool_unpoison(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define KP_POOL_GAP 0
#define kp_pool_poison(at, bytes) ((void)0)
#define kp_pool_unpoison(at, bytes) ((void)0)
#endif
