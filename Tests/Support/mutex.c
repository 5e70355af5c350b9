// Reports contended locking of Swift's Mutex to ThreadSanitizer.
//
// Without contention, Synchronization.Mutex locks and unlocks with an atomic operation in the caller's code, which
// ThreadSanitizer sees. With contention it uses a futex in libswiftSynchronization.so, which is not instrumented, so
// every access that such a lock protects looks like a data race. These functions replace those of the library
// (LD_PRELOAD), call the originals, and report the acquire and the release. Nothing is suppressed: an access without
// the lock is still reported.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Non-null only if the program is built with ThreadSanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// _MutexHandle._lockSlow(UInt32), _tryLockSlow() -> Bool and _unlockSlow(); self is the address of the lock word.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*lock_function)(uint32_t, SELF);
typedef SWIFT bool (*try_lock_function)(SELF);
typedef SWIFT void (*unlock_function)(SELF);

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT bool try_lock_slow(SELF) {
  bool is_locked = ((try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK_SLOW))(self);
  if (is_locked && __tsan_acquire) __tsan_acquire(self);
  return is_locked;
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(self);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK_SLOW))(self);
}
