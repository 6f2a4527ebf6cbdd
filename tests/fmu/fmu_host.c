/* a host without python: loads the binary of an fmu, abuses it, runs it, and counts what it allocates.

     fmu_host LIBRARY GUID RESOURCES INPUTS

   INPUTS holds: inputs outputs steps h, the value references of both, then a row of input values per step.
   prints "name value" lines for the tests, and a row of outputs (hexadecimal floats) per step. */
#include <dlfcn.h>
#include <fmi2Functions.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the executable's malloc is the process's: every library's allocations come through here */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static long allocations;
void *malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return ++allocations, __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return ++allocations, __libc_realloc(old, size); }

static void *library;
static char last_message[1000];
static int last_status = -1;

/* formats as the standard says, so that a % in a sentence would read past the arguments */
static void logger(fmi2ComponentEnvironment env, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
  va_list arguments;
  (void)env, (void)name, (void)category;
  va_start(arguments, message);
  vsnprintf(last_message, sizeof last_message, message, arguments);
  va_end(arguments);
  last_status = status;
}

static const fmi2CallbackFunctions callbacks = {logger, NULL, NULL, NULL, NULL};

static void fail(const char *what) {
  printf("failed %s (last message: %s)\n", what, last_message);
  exit(1);
}

#define CHECK(condition) \
  do {                   \
    if (!(condition)) fail(#condition); \
  } while (0)

static void *symbol(const char *name) {
  void *found = dlsym(library, name);
  if (!found) fail(name);
  return found;
}

#define F(name) ((name##TYPE *)symbol(#name))

/* some masters go on after instantiate gave them null */
static void null_component(void) {
  fmi2Real x = 0;
  fmi2Integer n = 0;
  fmi2Boolean b = 0;
  fmi2String s = "";
  fmi2Status status = fmi2OK;
  fmi2FMUstate state = NULL;
  fmi2ValueReference vr = 0;
  fmi2Byte byte = 0;
  size_t size = 0;
  F(fmi2FreeInstance)(NULL);
  CHECK(F(fmi2SetDebugLogging)(NULL, 1, 0, NULL) == fmi2Error);
  CHECK(F(fmi2SetupExperiment)(NULL, 0, 0, 0, 0, 0) == fmi2Error);
  CHECK(F(fmi2EnterInitializationMode)(NULL) == fmi2Error);
  CHECK(F(fmi2ExitInitializationMode)(NULL) == fmi2Error);
  CHECK(F(fmi2Terminate)(NULL) == fmi2Error);
  CHECK(F(fmi2Reset)(NULL) == fmi2Error);
  CHECK(F(fmi2GetReal)(NULL, &vr, 1, &x) == fmi2Error);
  CHECK(F(fmi2GetInteger)(NULL, &vr, 1, &n) == fmi2Error);
  CHECK(F(fmi2GetBoolean)(NULL, &vr, 1, &b) == fmi2Error);
  CHECK(F(fmi2GetString)(NULL, &vr, 1, &s) == fmi2Error);
  CHECK(F(fmi2SetReal)(NULL, &vr, 1, &x) == fmi2Error);
  CHECK(F(fmi2SetInteger)(NULL, &vr, 1, &n) == fmi2Error);
  CHECK(F(fmi2SetBoolean)(NULL, &vr, 1, &b) == fmi2Error);
  CHECK(F(fmi2SetString)(NULL, &vr, 1, &s) == fmi2Error);
  CHECK(F(fmi2GetFMUstate)(NULL, &state) == fmi2Error);
  CHECK(F(fmi2SetFMUstate)(NULL, state) == fmi2Error);
  CHECK(F(fmi2FreeFMUstate)(NULL, &state) == fmi2Error);
  CHECK(F(fmi2SerializedFMUstateSize)(NULL, state, &size) == fmi2Error);
  CHECK(F(fmi2SerializeFMUstate)(NULL, state, &byte, 1) == fmi2Error);
  CHECK(F(fmi2DeSerializeFMUstate)(NULL, &byte, 1, &state) == fmi2Error);
  CHECK(F(fmi2GetDirectionalDerivative)(NULL, &vr, 1, &vr, 1, &x, &x) == fmi2Error);
  CHECK(F(fmi2SetRealInputDerivatives)(NULL, &vr, 1, &n, &x) == fmi2Error);
  CHECK(F(fmi2GetRealOutputDerivatives)(NULL, &vr, 1, &n, &x) == fmi2Error);
  CHECK(F(fmi2DoStep)(NULL, 0, 1, 0) == fmi2Error);
  CHECK(F(fmi2CancelStep)(NULL) == fmi2Error);
  CHECK(F(fmi2GetStatus)(NULL, fmi2DoStepStatus, &status) == fmi2Error);
  CHECK(F(fmi2GetRealStatus)(NULL, fmi2LastSuccessfulTime, &x) == fmi2Error);
  CHECK(F(fmi2GetIntegerStatus)(NULL, fmi2DoStepStatus, &n) == fmi2Error);
  CHECK(F(fmi2GetBooleanStatus)(NULL, fmi2Terminated, &b) == fmi2Error);
  CHECK(F(fmi2GetStringStatus)(NULL, fmi2PendingStatus, &s) == fmi2Error);
}

static fmi2Component instantiate(const char *guid, const char *resources) {
  return F(fmi2Instantiate)("host", fmi2CoSimulation, guid, resources, &callbacks, 0, 0);
}

static void refused_instances(const char *guid, const char *resources) {
  CHECK(!instantiate("%s%n%5$s", resources));
  CHECK(strstr(last_message, "%s%n%5$s") && last_status == fmi2Error);
  CHECK(!instantiate(NULL, resources));
  CHECK(!instantiate(guid, NULL));
  CHECK(!instantiate(guid, "file:///nowhere/at%20all"));
  CHECK(strstr(last_message, "/nowhere/at all/model.bin"));
  CHECK(!F(fmi2Instantiate)("host", fmi2ModelExchange, guid, resources, &callbacks, 0, 0));
  CHECK(!F(fmi2Instantiate)(NULL, fmi2CoSimulation, guid, "/nowhere", NULL, 0, 0));
  fmi2Component nameless = F(fmi2Instantiate)(NULL, fmi2CoSimulation, guid, resources, NULL, 1, 1);
  CHECK(nameless);
  F(fmi2FreeInstance)(nameless);
}

/* null arrays, wrong numbers, states that are not states */
static void abuse(fmi2Component c) {
  const fmi2ValueReference far = 4000000000u;
  fmi2ValueReference first = 0;
  fmi2Integer order = 2;
  fmi2Real x = 0;
  fmi2FMUstate state = NULL, stranger = &x;
  size_t size = 0;
  CHECK(F(fmi2EnterInitializationMode)(c) == fmi2OK);
  CHECK(F(fmi2GetReal)(c, NULL, 3, &x) == fmi2Error);
  CHECK(F(fmi2GetReal)(c, &first, 1, NULL) == fmi2Error);
  CHECK(F(fmi2GetReal)(c, NULL, 0, NULL) == fmi2OK);
  CHECK(F(fmi2GetReal)(c, &far, 1, &x) == fmi2Error);
  CHECK(strstr(last_message, "4000000000"));
  CHECK(F(fmi2SetReal)(c, &far, 1, &x) == fmi2Error);
  CHECK(F(fmi2SetReal)(c, &first, 1, NULL) == fmi2Error);
  CHECK(F(fmi2SetInteger)(c, &first, 1, &order) == fmi2Error);
  CHECK(F(fmi2SetRealInputDerivatives)(c, &first, 1, NULL, &x) == fmi2Error);
  CHECK(F(fmi2GetBoolean)(c, &first, 1, NULL) == fmi2Error);
  CHECK(F(fmi2SetString)(c, NULL, 0, NULL) == fmi2OK);
  CHECK(F(fmi2GetFMUstate)(c, NULL) == fmi2Error);
  CHECK(F(fmi2SetFMUstate)(c, stranger) == fmi2Error);
  CHECK(F(fmi2SetFMUstate)(c, NULL) == fmi2Error);
  CHECK(F(fmi2FreeFMUstate)(c, NULL) == fmi2OK);
  CHECK(F(fmi2FreeFMUstate)(c, &stranger) == fmi2Error);
  CHECK(F(fmi2DeSerializeFMUstate)(c, NULL, 9, &state) == fmi2Error);
  CHECK(F(fmi2DeSerializeFMUstate)(c, "CLSTATE2", 8, &state) == fmi2Error);
  CHECK(F(fmi2DoStep)(c, 0, 1, 0) == fmi2Error); /* not initialized yet */
  CHECK(F(fmi2GetFMUstate)(c, &state) == fmi2OK && state);
  CHECK(F(fmi2FreeFMUstate)(c, (fmi2FMUstate *)state) == fmi2OK); /* the wrong pointer that one master passes */
  CHECK(F(fmi2SerializedFMUstateSize)(c, state, NULL) == fmi2Error);
  CHECK(F(fmi2SerializedFMUstateSize)(c, state, &size) == fmi2OK && size > 0);
  CHECK(F(fmi2SerializeFMUstate)(c, state, NULL, size) == fmi2Error);
  CHECK(F(fmi2SetFMUstate)(c, state) == fmi2OK);
  CHECK(F(fmi2FreeFMUstate)(c, &state) == fmi2OK && !state);
  CHECK(F(fmi2Reset)(c) == fmi2OK);
}

static int python_is_loaded(void) {
  char line[1000];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, "libpython") != NULL;
  if (maps) fclose(maps);
  return found;
}

/* numbers of the input file */
static FILE *file;
static double next(void) {
  double value = 0;
  if (fscanf(file, "%la", &value) != 1) fail("reading the inputs");
  return value;
}

static void print_outputs(fmi2Component c, const fmi2ValueReference *vr, size_t n, double *value) {
  CHECK(F(fmi2GetReal)(c, vr, n, value) == fmi2OK);
  printf("row");
  for (size_t i = 0; i < n; ++i) printf(" %a", value[i]);
  printf("\n");
}

static void run(fmi2Component c) {
  const size_t inputs = (size_t)next(), outputs = (size_t)next(), steps = (size_t)next();
  const double h = next();
  long counted = 0;
  fmi2ValueReference *in = calloc(inputs, sizeof *in), *out = calloc(outputs, sizeof *out);
  double *value = calloc(inputs, sizeof *value), *result = calloc(outputs, sizeof *result);
  for (size_t i = 0; i < inputs; ++i) in[i] = (fmi2ValueReference)next();
  for (size_t i = 0; i < outputs; ++i) out[i] = (fmi2ValueReference)next();
  fmi2SetRealTYPE *set = F(fmi2SetReal);
  fmi2GetRealTYPE *get = F(fmi2GetReal);
  fmi2DoStepTYPE *step = F(fmi2DoStep);
  CHECK(F(fmi2SetupExperiment)(c, 0, 0, 0, 0, 0) == fmi2OK);
  CHECK(F(fmi2EnterInitializationMode)(c) == fmi2OK);
  for (size_t k = 0; k < steps; ++k) {
    for (size_t i = 0; i < inputs; ++i) value[i] = next();
    if (k == 0) {
      CHECK(set(c, in, inputs, value) == fmi2OK);
      CHECK(F(fmi2ExitInitializationMode)(c) == fmi2OK);
      print_outputs(c, out, outputs, result);
    }
    const long before = allocations;
    const fmi2Status status[] = {set(c, in, inputs, value), step(c, (double)k * h, h, 1), get(c, out, outputs, result)};
    counted += allocations - before;
    CHECK(status[0] == fmi2OK && status[1] == fmi2OK && status[2] == fmi2OK);
    print_outputs(c, out, outputs, result);
  }
  printf("allocations_in_steps %ld\n", counted);
  free(in), free(out), free(value), free(result);
}

int main(int count, char **argument) {
  if (count != 5) return 2;
  library = dlopen(argument[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(dlerror());
  CHECK(strcmp(F(fmi2GetVersion)(), "2.0") == 0);
  CHECK(strcmp(F(fmi2GetTypesPlatform)(), "default") == 0);
  null_component();
  refused_instances(argument[2], argument[3]);
  const long before = allocations;
  fmi2Component c = instantiate(argument[2], argument[3]);
  CHECK(c);
  printf("allocations_in_instantiate %ld\n", allocations - before);
  abuse(c);
  file = fopen(argument[4], "r");
  CHECK(file);
  run(c);
  fclose(file);
  CHECK(F(fmi2Terminate)(c) == fmi2OK);
  F(fmi2FreeInstance)(c);
  printf("python_loaded %d\n", python_is_loaded());
  dlclose(library);
  printf("done 1\n");
  return 0;
}
