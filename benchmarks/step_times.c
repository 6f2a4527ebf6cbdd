/* the steps of an FMU, one by one: inputs set, doStep, outputs read. for step_times.py.

     step_times LIBRARY RUNS CORE [STEP ...] < INPUTS > TIMES

   reads model.bin in the working folder and the inputs of all steps, makes RUNS equal runs, and writes the time of each
   step (ns, doubles), one run after the other. CORE: the core that it is pinned to, -1 for none. all memory is locked; a
   refusal is a line of standard error, and the run goes on.

   compiled with COUNT, under callgrind: each STEP, or each step if there is none, becomes a part of callgrind's dump, with
   its instructions, and nothing is written. STEPs ascend. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef COUNT
#include <valgrind/callgrind.h>
#endif

#define PROGRAM "step_times"
#define WORST fmi2Warning
#include "../tests/platforms/host.h"

struct head {
  char guid[40];
  uint32_t steps, reals, integers, real_outputs, integer_outputs, zero;
  double h;
};

/* all of a run that is allocated before its first step */
struct run {
  struct head head;
  fmi2ValueReference *reals, *integers, *real_outputs, *integer_outputs;
  fmi2Real *real_rows, *values;
  fmi2Integer *integer_rows, *counts;
  double *times;
  char **counted; /* steps to be counted, or NULL: all of them */
};

static void *read_array(size_t size, size_t count) {
  void *array = calloc(count + 1, size);
  if (!array || fread(array, size, count, stdin) != count) fail("INPUTS", "end early");
  return array;
}

static void read_run(struct run *run) {
  struct head *head = &run->head;
  if (fread(head, sizeof *head, 1, stdin) != 1) fail("INPUTS", "end early");
  run->reals = read_array(4, head->reals);
  run->integers = read_array(4, head->integers);
  run->real_outputs = read_array(4, head->real_outputs);
  run->integer_outputs = read_array(4, head->integer_outputs);
  run->real_rows = read_array(sizeof(fmi2Real), (size_t)head->steps * head->reals);
  run->integer_rows = read_array(sizeof(fmi2Integer), (size_t)head->steps * head->integers);
  run->values = calloc(head->real_outputs + 1, sizeof(fmi2Real));
  run->counts = calloc(head->integer_outputs + 1, sizeof(fmi2Integer));
  run->times = calloc(head->steps + 1, sizeof(double));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (core >= 0) CPU_SET(core, &cores);
  if (core >= 0 && sched_setaffinity(0, sizeof cores, &cores) != 0) perror("the core is not pinned");
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) perror("the memory is not locked");
}

#ifdef COUNT
static int is_counted(struct run *run, uint32_t step) {
  if (!run->counted) return 1;
  if (!*run->counted || strtoul(*run->counted, NULL, 10) != step) return 0;
  ++run->counted;
  return 1;
}
#endif

static void steps(fmi2Component c, struct run *run) {
  const struct head *head = &run->head;
  fmi2SetRealTYPE *set = F(fmi2SetReal);
  fmi2SetIntegerTYPE *set_integers = F(fmi2SetInteger);
  fmi2GetRealTYPE *get = F(fmi2GetReal);
  fmi2GetIntegerTYPE *get_integers = F(fmi2GetInteger);
  fmi2DoStepTYPE *step = F(fmi2DoStep);
  for (uint32_t k = 0; k < head->steps; ++k) {
    const double start = now();
#ifdef COUNT
    const int counted = is_counted(run, k);
    if (counted) {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
    }
#endif
    fmi2Status worst = set(c, run->reals, head->reals, run->real_rows + (size_t)k * head->reals);
    worst |= set_integers(c, run->integers, head->integers, run->integer_rows + (size_t)k * head->integers);
    worst |= step(c, k * head->h, head->h, fmi2True);
    worst |= get(c, run->real_outputs, head->real_outputs, run->values);
    worst |= get_integers(c, run->integer_outputs, head->integer_outputs, run->counts);
#ifdef COUNT
    if (counted) CALLGRIND_DUMP_STATS;
    if (counted && run->counted) CALLGRIND_STOP_INSTRUMENTATION;
#endif
    run->times[k] = now() - start;
    if (worst > fmi2Warning) fail("a step", message);
  }
}

int main(int count, char **argument) {
  static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
  struct run run;
  if (count < 4) fail("usage", "step_times LIBRARY RUNS CORE [STEP ...] < INPUTS > TIMES");
  read_run(&run);
  run.counted = count > 4 ? argument + 4 : NULL;
  library = open_library(argument[1]);
  if (!library) fail(argument[1], reason());
  fmi2Component c = F(fmi2Instantiate)("steps", fmi2CoSimulation, run.head.guid, ".", &callbacks, 0, 0);
  if (!c) fail("fmi2Instantiate", message);
  pin(atoi(argument[3]));
  for (int k = 0; k < atoi(argument[2]); ++k) {
    CALL(fmi2SetupExperiment, c, fmi2False, 0, 0, fmi2False, 0);
    CALL(fmi2EnterInitializationMode, c);
    CALL(fmi2SetReal, c, run.reals, run.head.reals, run.real_rows);
    CALL(fmi2SetInteger, c, run.integers, run.head.integers, run.integer_rows);
    CALL(fmi2ExitInitializationMode, c);
    steps(c, &run);
#ifdef COUNT
    CALLGRIND_STOP_INSTRUMENTATION;
#endif
    CALL(fmi2Terminate, c);
    CALL(fmi2Reset, c);
#ifndef COUNT
    fwrite(run.times, sizeof(double), run.head.steps, stdout);
#endif
  }
  F(fmi2FreeInstance)(c);
  return 0;
}
