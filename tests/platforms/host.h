/* what the C programs that run an FMU share: its library, its functions, its messages.

   before it is included: PROGRAM, the name of the program in errors, and WORST, the worst status that CALL accepts. */
#include <fmi2Functions.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
static void *open_library(const char *path) { return (void *)LoadLibraryA(path); }
static void *find(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
static const char *reason(void) { return "LoadLibrary fails"; }
#else
#include <dlfcn.h>
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *find(void *library, const char *name) { return dlsym(library, name); }
static const char *reason(void) { return dlerror(); }
#endif

static void *library;
static char message[1000] = "none";

static void fail(const char *what, const char *why) {
  fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
  exit(1);
}

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String text, ...) {
  va_list arguments;
  (void)environment, (void)name, (void)status, (void)category;
  va_start(arguments, text);
  vsnprintf(message, sizeof message, text, arguments);
  va_end(arguments);
}

static void *function(const char *name) {
  void *found = find(library, name);
  if (!found) fail(name, "the library does not export it");
  return found;
}

#define F(name) ((name##TYPE *)function(#name))
#define CALL(name, ...) \
  do {                  \
    if (F(name)(__VA_ARGS__) > WORST) fail(#name, message); \
  } while (0)
