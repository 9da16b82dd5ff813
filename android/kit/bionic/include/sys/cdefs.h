#pragma once
/* mini-bionic: hand-written, ABI facts only (LP64, API >= 26). */
#if !defined(__LP64__) || !defined(__ANDROID__)
#error "mini-bionic covers 64-bit Android only"
#endif
#define __BIONIC__ 1
#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif
#define __noreturn __attribute__((__noreturn__))
#ifndef __ANDROID_API__
#ifdef __ANDROID_MIN_SDK_VERSION__
#define __ANDROID_API__ __ANDROID_MIN_SDK_VERSION__
#else
#define __ANDROID_API__ 26
#endif
#endif
