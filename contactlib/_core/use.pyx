# Locks: one Data is used by one thread at a time, and OpenMP threads start only where the process can create them.
# Included by engine.pyx.

from cpython.pythread cimport PyThread_get_thread_ident


cdef extern from *:
    """
    #ifdef _OPENMP
    static const bool contactlib_openmp = true;
    #else
    static const bool contactlib_openmp = false;
    #endif
    #if defined(_OPENMP) && defined(__clang__)  // LLVM's runtime
    #include <cstdlib>
    #include <omp.h>
    // two OpenMP runtimes of LLVM's family abort the process, unless this is set. NumPy may bring Intel's, with MKL.
    [[maybe_unused]] static const int contactlib_other_runtimes = setenv("KMP_DUPLICATE_LIB_OK", "TRUE", 0);
    // threads wait actively for the next loop: 10 ms, near GCC's runtime, instead of 200 ms.
    static void contactlib_wait_briefly() noexcept { kmp_set_blocktime(10); }
    #else
    static void contactlib_wait_briefly() noexcept {}
    #endif
    """
    const bint contactlib_openmp


cdef extern from *:
    """
    #include <atomic>
    #include <mutex>
    #include <condition_variable>
    #include <system_error>
    #include <thread>
    #include <vector>
    #ifndef _WIN32
    #include <unistd.h>
    #endif

    namespace contactlib_use {

    // the thread that uses a Data, as often as it has entered; `runs` while the core works.
    struct Use {
      std::atomic<unsigned long> owner{0};
      int depth = 0;
      bool runs = false;

      bool enter(unsigned long me) noexcept {
        unsigned long nobody = 0;
        if (owner.load(std::memory_order_acquire) != me &&
            !owner.compare_exchange_strong(nobody, me, std::memory_order_acquire))
          return false;
        ++depth;
        return true;
      }
      void leave() noexcept {
        if (--depth == 0) owner.store(0, std::memory_order_release);
      }
    };

    // one call: leaves when the function returns, however it does.
    struct Turn {
      Use* use = nullptr;
      bool runs = false;

      bool enter(Use& of, unsigned long me) noexcept {
        if (!of.enter(me)) return false;
        use = &of;
        return true;
      }
      void run() noexcept { use->runs = runs = true; }
      ~Turn() {
        if (runs) use->runs = false;
        if (use != nullptr) use->leave();
      }
    };

    inline long process() noexcept {
    #ifdef _WIN32
      return 1;  // which has no fork
    #else
      return static_cast<long>(getpid());
    #endif
    }

    // the process that OpenMP made threads in: a fork has none of them, and would wait for them for ever.
    inline std::atomic<long> with_threads{0};

    inline bool forked() noexcept {
      const long of = with_threads.load(std::memory_order_relaxed);
      return of != 0 && of != process();
    }

    // whether so many threads can be there at once. OpenMP ends the process where it cannot start one.
    inline bool can_start(int count) {
      std::mutex lock;
      std::condition_variable all;
      bool over = false;
      std::vector<std::thread> threads;
      bool good = true;
      try {
        threads.reserve(count);
        for (int i = 0; i < count; ++i)
          threads.emplace_back([&] {
            std::unique_lock<std::mutex> held(lock);
            all.wait(held, [&] { return over; });
          });
      } catch (const std::exception&) {
        good = false;
      }
      {
        const std::lock_guard<std::mutex> held(lock);
        over = true;
      }
      all.notify_all();
      for (std::thread& thread : threads) thread.join();
      return good;
    }

    // those that OpenMP keeps for this thread of python: it drops those that a loop does not want.
    inline thread_local int kept = 1;

    // how many threads a loop may have that wants `count`; 0: so many cannot be made.
    inline int threads_for(int count) {
      if (count <= 1 || forked()) return 1;
      if (count > kept && !can_start(count)) return 0;  // one more than there will be: OpenMP needs some memory, too
      contactlib_wait_briefly();
      with_threads.store(process(), std::memory_order_relaxed);
      kept = count;
      return count;
    }

    }  // namespace contactlib_use
    """
    cdef cppclass Use "contactlib_use::Use":
        bint runs
        bint enter(unsigned long me) noexcept
        void leave() noexcept

    cdef cppclass Turn "contactlib_use::Turn":
        bint enter(Use& of, unsigned long me) noexcept
        void run() noexcept

    bint forked "contactlib_use::forked"() noexcept nogil
    int threads_for "contactlib_use::threads_for"(int count) except + nogil


cdef int in_use() except -1:
    raise RuntimeError("another thread is using this Simulation: give each thread a Simulation of its own; they may "
                       "share the Model")


cdef class Lock:
    """What one thread may use at a time: for one call, or as `with lock:` for several."""

    cdef Use use

    def __enter__(self):
        if not self.use.enter(PyThread_get_thread_ident()):
            in_use()
        return self

    def __exit__(self, *error):
        self.use.leave()


cdef int take_turn(Use* use, Turn* turn, bint changes) except -1:
    """Lock the Data for one call. RuntimeError if another thread uses it, or if a contact model calls back."""
    if not turn.enter(use[0], PyThread_get_thread_ident()):
        in_use()
    if changes and use.runs:
        raise RuntimeError("a contact model must not change the Simulation that is calling it: it may only read")
    return 0


cdef int team(int num_threads) except 0:
    """Number of threads of a loop: as wanted, or one in a process that was forked from a process with threads."""
    cdef int found
    if not contactlib_openmp or num_threads <= 1:
        return 1
    with nogil:
        found = threads_for(num_threads)
    if found == 0:
        raise RuntimeError(f"{num_threads} threads cannot be started: the system allows this process no more. Use a "
                           f"smaller num_threads, or raise the limits of threads and memory (ulimit -u, ulimit -v)")
    return found
