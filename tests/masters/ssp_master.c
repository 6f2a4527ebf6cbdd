/* a master without python: steps some FMUs in parallel (Jacobi) and copies outputs to inputs after each step.

     ssp_master FILE

   FILE holds: components connections results steps h, then for each component LIBRARY GUID RESOURCES, for each
   connection source reference sink reference, for each result component reference.
   prints the results after the last step, as hexadecimal floats, one a line. */
#include <dlfcn.h>
#include <fmi2Functions.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 8 };

struct component {
  void *library;
  fmi2Component instance;
  fmi2SetRealTYPE *set;
  fmi2GetRealTYPE *get;
  fmi2DoStepTYPE *step;
};
struct end {
  unsigned component;
  fmi2ValueReference reference;
};

static struct component components[most];
static FILE *file;

static void fail(const char *what) {
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

#define CHECK(condition) \
  do {                   \
    if (!(condition)) fail(#condition); \
  } while (0)

static void logger(fmi2ComponentEnvironment env, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
  va_list arguments;
  (void)env, (void)category;
  va_start(arguments, message);
  fprintf(stderr, "%s, status %d: ", name, (int)status);
  vfprintf(stderr, message, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

static void *symbol(const struct component *c, const char *name) {
  void *found = dlsym(c->library, name);
  if (!found) fail(name);
  return found;
}

#define F(c, name) ((name##TYPE *)symbol(c, #name))

static void open_component(struct component *c) {
  static const fmi2CallbackFunctions callbacks = {logger, NULL, NULL, NULL, NULL};
  static char library[4096], guid[100], resources[4096];
  CHECK(fscanf(file, "%4095s %99s %4095s", library, guid, resources) == 3);
  c->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!c->library) fail(dlerror());
  c->instance = F(c, fmi2Instantiate)(guid, fmi2CoSimulation, guid, resources, &callbacks, 0, 0);
  CHECK(c->instance);
  c->set = F(c, fmi2SetReal), c->get = F(c, fmi2GetReal), c->step = F(c, fmi2DoStep);
  CHECK(F(c, fmi2SetupExperiment)(c->instance, 0, 0, 0, 0, 0) == fmi2OK);
  CHECK(F(c, fmi2EnterInitializationMode)(c->instance) == fmi2OK);
  CHECK(F(c, fmi2ExitInitializationMode)(c->instance) == fmi2OK);
}

static struct end read_end(void) {
  struct end end;
  CHECK(fscanf(file, "%u %u", &end.component, &end.reference) == 2 && end.component < most);
  return end;
}

static double value_of(const struct end *end) {
  double value;
  CHECK(components[end->component].get(components[end->component].instance, &end->reference, 1, &value) == fmi2OK);
  return value;
}

int main(int count, char **argument) {
  unsigned parts, links, results;
  unsigned long steps;
  double h;
  if (count != 2 || !(file = fopen(argument[1], "r"))) return 2;
  CHECK(fscanf(file, "%u %u %u %lu %la", &parts, &links, &results, &steps, &h) == 5 && parts <= most);
  for (unsigned i = 0; i < parts; ++i) open_component(&components[i]);
  struct end *from = calloc(links, sizeof *from), *to = calloc(links, sizeof *to);
  for (unsigned i = 0; i < links; ++i) from[i] = read_end(), to[i] = read_end();
  for (unsigned long k = 0; k < steps; ++k) {
    for (unsigned i = 0; i < links; ++i) {
      const double value = value_of(&from[i]);
      const struct component *sink = &components[to[i].component];
      CHECK(sink->set(sink->instance, &to[i].reference, 1, &value) == fmi2OK);
    }
    for (unsigned i = 0; i < parts; ++i)
      CHECK(components[i].step(components[i].instance, (double)k * h, h, 1) <= fmi2Warning);
  }
  for (unsigned i = 0; i < results; ++i) {
    const struct end end = read_end();
    printf("%a\n", value_of(&end));
  }
  for (unsigned i = 0; i < parts; ++i) F(&components[i], fmi2FreeInstance)(components[i].instance);
  free(from), free(to), fclose(file);
  return 0;
}
