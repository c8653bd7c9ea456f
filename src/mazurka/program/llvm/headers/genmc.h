/* What programs for GenMC include, as far as it is known here. The marks of loops that only wait are not needed. */
#ifndef MAZURKA_GENMC_H
#define MAZURKA_GENMC_H
#ifdef __cplusplus
extern "C" {
#endif
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
#ifdef __cplusplus
}
#endif
#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(goes_on) ((void)(goes_on))
#define await_while(condition) while (condition)
#define do_await_while(condition) while (condition)
#endif
