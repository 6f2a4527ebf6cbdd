/* a small host for every platform: runs the binary of an fmu and prints the bits that it computes.

     platform_host LIBRARY GUID RESOURCES INPUTS STEPS REPEATED

   INPUTS has the form that fmu_host.c describes; its rows are used again from the first when STEPS is larger. in each
   step whose number is a multiple of REPEATED, the host saves the state, steps, restores the state from its bytes, and
   steps again: both results must have the same bits. 0 means never.

   prints "output REFERENCE BITS" after the last step, "outputs HASH" over all steps, "state SIZE HASH" of the serialized
   state at the end, and "repeated COUNT". */
#include <fmi2Functions.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

static void fail(const char *what, const char *more) {
  printf("failed %s: %s\n", what, more);
  exit(1);
}

#ifdef _WIN32
static HMODULE library;
static void load(const char *path) {
  library = LoadLibraryA(path);
  if (!library) fail("to load", path);
}
static void *find(const char *name) { return (void *)GetProcAddress(library, name); }
static void unload(void) { FreeLibrary(library); }
#else
static void *library;
static void load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail("to load", dlerror());
}
static void *find(const char *name) { return dlsym(library, name); }
static void unload(void) { dlclose(library); }
#endif

static void *symbol(const char *name) {
  void *found = find(name);
  if (!found) fail("to find", name);
  return found;
}
#define F(name) ((name##TYPE *)symbol(#name))
#define CHECK(call) \
  if ((call) != fmi2OK) fail("call", #call)

static void logger(fmi2ComponentEnvironment env, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
  (void)env, (void)name, (void)category;
  printf("log %d %s\n", (int)status, message);
}
static const fmi2CallbackFunctions callbacks = {logger, NULL, NULL, NULL, NULL};

/* FNV-1a */
static uint64_t hash(uint64_t value, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) value = (value ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return value;
}
static const uint64_t seed = 14695981039346656037u;

static FILE *file;
static double next(void) {
  char text[64];
  if (fscanf(file, "%63s", text) != 1) fail("to read", "the inputs");
  return strtod(text, NULL);
}

struct run {
  size_t inputs, outputs, rows;
  double h;
  fmi2ValueReference *in, *out;
  double *values, *result, *again;
};

static struct run read_run(const char *path) {
  struct run r;
  file = fopen(path, "r");
  if (!file) fail("to open", path);
  r.inputs = (size_t)next(), r.outputs = (size_t)next(), r.rows = (size_t)next(), r.h = next();
  r.in = calloc(r.inputs + 1, sizeof *r.in), r.out = calloc(r.outputs + 1, sizeof *r.out);
  r.values = calloc(r.inputs * r.rows + 1, sizeof *r.values);
  r.result = calloc(r.outputs + 1, sizeof *r.result), r.again = calloc(r.outputs + 1, sizeof *r.again);
  for (size_t i = 0; i < r.inputs; ++i) r.in[i] = (fmi2ValueReference)next();
  for (size_t i = 0; i < r.outputs; ++i) r.out[i] = (fmi2ValueReference)next();
  for (size_t i = 0; i < r.inputs * r.rows; ++i) r.values[i] = next();
  fclose(file);
  return r;
}

static char *serialized(fmi2Component c, size_t *size) {
  fmi2FMUstate state = NULL;
  CHECK(F(fmi2GetFMUstate)(c, &state));
  CHECK(F(fmi2SerializedFMUstateSize)(c, state, size));
  char *bytes = malloc(*size);
  CHECK(F(fmi2SerializeFMUstate)(c, state, bytes, *size));
  CHECK(F(fmi2FreeFMUstate)(c, &state));
  return bytes;
}

/* the step once more, from the bytes of the state before it */
static void repeat(fmi2Component c, const struct run *r, double t, char *bytes, size_t size) {
  fmi2FMUstate state = NULL;
  CHECK(F(fmi2DeSerializeFMUstate)(c, bytes, size, &state));
  CHECK(F(fmi2SetFMUstate)(c, state));
  CHECK(F(fmi2FreeFMUstate)(c, &state));
  CHECK(F(fmi2DoStep)(c, t, r->h, 1));
  CHECK(F(fmi2GetReal)(c, r->out, r->outputs, r->again));
  if (memcmp(r->result, r->again, r->outputs * sizeof(double))) fail("to repeat a step", "other bits");
  free(bytes);
}

static void run(fmi2Component c, const struct run *r, size_t steps, size_t repeated) {
  uint64_t all = seed;
  size_t count = 0, size = 0;
  CHECK(F(fmi2SetupExperiment)(c, 0, 0, 0, 0, 0));
  CHECK(F(fmi2EnterInitializationMode)(c));
  for (size_t k = 0; k < steps; ++k) {
    const double t = (double)k * r->h;
    CHECK(F(fmi2SetReal)(c, r->in, r->inputs, r->values + k % r->rows * r->inputs));
    if (k == 0) CHECK(F(fmi2ExitInitializationMode)(c));
    char *before = repeated && k % repeated == 0 ? serialized(c, &size) : NULL;
    CHECK(F(fmi2DoStep)(c, t, r->h, 0));
    CHECK(F(fmi2GetReal)(c, r->out, r->outputs, r->result));
    if (before) repeat(c, r, t, before, size), ++count;
    all = hash(all, r->result, r->outputs * sizeof(double));
  }
  for (size_t i = 0; i < r->outputs; ++i) {
    uint64_t bits;
    memcpy(&bits, r->result + i, sizeof bits);
    printf("output %u %016llx\n", (unsigned)r->out[i], (unsigned long long)bits);
  }
  char *end = serialized(c, &size);
  printf("outputs %016llx\n", (unsigned long long)all);
  printf("state %lu %016llx\n", (unsigned long)size, (unsigned long long)hash(seed, end, size));
  printf("repeated %lu\n", (unsigned long)count);
  free(end);
}

int main(int count, char **argument) {
  if (count != 7) return 2;
  load(argument[1]);
  const struct run r = read_run(argument[4]);
  fmi2Component c = F(fmi2Instantiate)("host", fmi2CoSimulation, argument[2], argument[3], &callbacks, 0, 0);
  if (!c) fail("to instantiate", argument[3]);
  run(c, &r, strtoul(argument[5], NULL, 10), strtoul(argument[6], NULL, 10));
  CHECK(F(fmi2Terminate)(c));
  F(fmi2FreeInstance)(c);
  unload();
  printf("done 1\n");
  return 0;
}
