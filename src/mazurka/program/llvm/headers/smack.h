/* What programs for SMACK include, as far as it is known here. */
#ifndef MAZURKA_SMACK_H
#define MAZURKA_SMACK_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __VERIFIER_error(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __SMACK_code(const char *, ...);
void __SMACK_top_decl(const char *, ...);
#define MAZURKA_NONDET(type, name) type __VERIFIER_nondet_##name(void); type __SMACK_nondet_##name(void);
MAZURKA_NONDET(bool, bool)
MAZURKA_NONDET(char, char)
MAZURKA_NONDET(unsigned char, uchar)
MAZURKA_NONDET(unsigned char, unsigned_char)
MAZURKA_NONDET(short, short)
MAZURKA_NONDET(unsigned short, ushort)
MAZURKA_NONDET(unsigned short, unsigned_short)
MAZURKA_NONDET(int, int)
MAZURKA_NONDET(unsigned int, uint)
MAZURKA_NONDET(unsigned int, unsigned_int)
MAZURKA_NONDET(long, long)
MAZURKA_NONDET(unsigned long, ulong)
MAZURKA_NONDET(unsigned long, unsigned_long)
MAZURKA_NONDET(float, float)
MAZURKA_NONDET(double, double)
MAZURKA_NONDET(void *, pointer)
#undef MAZURKA_NONDET
#ifdef __cplusplus
}
#endif
#undef assert
#define assert(condition) __VERIFIER_assert((condition) != 0)
#define assume(condition) __VERIFIER_assume((condition) != 0)
#endif
