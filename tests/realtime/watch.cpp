#include "realtime/watch.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <iterator>

namespace {

thread_local bool watching = false;
thread_local realtime::Calls calls;

void count_memory() { calls.memory += watching; }
void count_lock() { calls.locks += watching; }

/// Returns the original function of the C library, which a function of the same name in this file replaces.
template <class Function>
Function* original(Function*& known, const char* name) {
  if (known == nullptr) known = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return known;
}

}  // namespace

#pragma GCC visibility push(default)  // The functions are exported, so that calls from shared libraries also reach them.

// The C library exports its allocator under these names as well, so that programs which replace malloc, free and so on can still call it.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) { return count_memory(), __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return count_memory(), __libc_calloc(n, size); }
void* realloc(void* memory, size_t size) { return count_memory(), __libc_realloc(memory, size); }
void* memalign(size_t alignment, size_t size) { return count_memory(), __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return count_memory(), __libc_memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) {
  count_memory();
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) { return count_memory(), __libc_free(memory); }

#define HARP_REPLACED_LOCK(name, type)                   \
  int name(type* object) {                               \
    static int (*known)(type*) = nullptr;                \
    return count_lock(), original(known, #name)(object); \
  }                                                      \
  static_assert(sizeof(type) > 0)
HARP_REPLACED_LOCK(pthread_mutex_lock, pthread_mutex_t);
HARP_REPLACED_LOCK(pthread_mutex_trylock, pthread_mutex_t);
HARP_REPLACED_LOCK(pthread_mutex_unlock, pthread_mutex_t);
HARP_REPLACED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t);
HARP_REPLACED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t);
HARP_REPLACED_LOCK(pthread_rwlock_unlock, pthread_rwlock_t);
HARP_REPLACED_LOCK(pthread_cond_signal, pthread_cond_t);
HARP_REPLACED_LOCK(pthread_cond_broadcast, pthread_cond_t);
HARP_REPLACED_LOCK(sem_wait, sem_t);
HARP_REPLACED_LOCK(sem_post, sem_t);
int pthread_spin_lock(pthread_spinlock_t* lock) {
  static int (*known)(pthread_spinlock_t*) = nullptr;
  return count_lock(), original(known, "pthread_spin_lock")(lock);
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static int (*known)(pthread_cond_t*, pthread_mutex_t*) = nullptr;
  return count_lock(), original(known, "pthread_cond_wait")(condition, mutex);
}
}

#pragma GCC visibility pop

namespace realtime {

Calls calls_of(const std::function<void()>& body) {
  calls = {};
  watching = true;
  body();
  watching = false;
  return calls;
}

namespace {

/// After this call the kernel kills the process if it makes any system call other than exit.
bool forbid_system_calls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

std::string system_call_of(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    if (!forbid_system_calls()) _exit(1);
    body();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? "a system call" : "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "this system does not forbid system calls";
}

}  // namespace realtime
