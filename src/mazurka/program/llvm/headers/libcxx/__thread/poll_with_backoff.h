// In place of libc++'s header of this name, for programs under test: a thread that waits for a value looks once, and then
// waits to be notified. libc++ looks 64 times before, and at the clock, which changes nothing but the time it takes.
#ifndef _LIBCPP___THREAD_POLL_WITH_BACKOFF_H
#define _LIBCPP___THREAD_POLL_WITH_BACKOFF_H

#include <__chrono/duration.h>
#include <__chrono/high_resolution_clock.h>
#include <__config>

#pragma GCC system_header

_LIBCPP_BEGIN_NAMESPACE_STD

enum class __backoff_results : unsigned char {
  __continue_poll = 1,
  __poll_success = 2,
  __timeout = 3,
  __backoff_failure = 4,
};

enum class __poll_with_backoff_results : unsigned char {
  __poll_success = 2,
  __timeout = 3,
  __backoff_failure = 4,
};

template <class _Poll, class _Backoff>
_LIBCPP_HIDE_FROM_ABI __poll_with_backoff_results __libcpp_thread_poll_with_backoff(
    _Poll&& __poll, _Backoff&& __backoff, chrono::nanoseconds __max_elapsed = chrono::nanoseconds::zero()) {
  bool const __is_timed = __max_elapsed != chrono::nanoseconds::zero();
  chrono::nanoseconds const __start =
      __is_timed ? chrono::high_resolution_clock::now().time_since_epoch() : chrono::nanoseconds::zero();
  while (true) {
    if (__poll())
      return __poll_with_backoff_results::__poll_success;
    chrono::nanoseconds const __elapsed =
        __is_timed ? chrono::high_resolution_clock::now().time_since_epoch() - __start : chrono::nanoseconds::max();
    if (__is_timed && __max_elapsed < __elapsed)
      return __poll_with_backoff_results::__timeout;
    __backoff_results const __found = __backoff(__elapsed);
    if (__found != __backoff_results::__continue_poll)
      return static_cast<__poll_with_backoff_results>(__found);
  }
}

_LIBCPP_END_NAMESPACE_STD

#endif
