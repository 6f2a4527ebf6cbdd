/* A simulator in C: runs a scene through contactlib.h and prints what it found, as hexadecimal floats.

     host SCENE.bin INPUTS

   INPUTS: bodies, steps, h, then a row of 13 numbers of each body for every step. First all misuse that the header
   speaks of, which must be refused and change nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contactlib.h"

static void fail(const char *what, const char *message) {
  printf("failed %s (message: %s)\n", what, message);
  exit(1);
}

#define CHECK(s, condition) \
  do {                      \
    if (!(condition)) fail(#condition, contactlib_message(s)); \
  } while (0)
#define REFUSED(s, call, part) CHECK(s, (call) == 1 && strstr(contactlib_message(s), part))

static void misuse(const char *path) {
  char why[CONTACTLIB_MESSAGE] = "", small[8];
  CHECK(NULL, !contactlib_load("no such file", why, sizeof why) && strstr(why, "cannot be read"));
  CHECK(NULL, !contactlib_load(NULL, why, sizeof why) && strstr(why, "null"));
  CHECK(NULL, !contactlib_load("no such file", NULL, 0));
  CHECK(NULL, !contactlib_load("no such file", small, sizeof small) && strlen(small) == 7);
  CHECK(NULL, !contactlib_read("damaged", 7, why, sizeof why) && strstr(why, "not valid"));
  CHECK(NULL, !contactlib_read(NULL, 0, why, sizeof why));
  CHECK(NULL, contactlib_step(NULL, 1e-3, NULL, NULL) == 1 && contactlib_body_count(NULL) == 0);
  CHECK(NULL, contactlib_set(NULL, NULL, NULL, 0) == 1 && contactlib_variable_count(NULL) == 0);
  CHECK(NULL, !strcmp(contactlib_warnings(NULL), "") && contactlib_time(NULL) == 0.0);
  contactlib_free(NULL);
  contactlib_reset(NULL);

  contactlib_simulation *s = contactlib_load(path, why, sizeof why);
  if (!s) fail("load", why);
  CHECK(s, !strcmp(contactlib_message(s), ""));
  const size_t n = contactlib_body_count(s), size = contactlib_saved_size(s);
  double *states = calloc(13 * n, sizeof *states), *other = calloc(13 * n, sizeof *other), value = 0.0;
  unsigned char *saved = malloc(size), *after = calloc(size + 64, 1);
  contactlib_states(s, states);
  CHECK(s, contactlib_save(s, saved, size) == 0);
  REFUSED(s, contactlib_save(s, saved, size - 1), "needs");
  REFUSED(s, contactlib_step(s, 0.0, states, NULL), "positive");
  states[3] = 2.0;
  REFUSED(s, contactlib_step(s, 1e-3, states, NULL), "quaternion");
  REFUSED(s, contactlib_compute(s, states, NULL), "quaternion");
  REFUSED(s, contactlib_get(s, -1, &value), "no variable");
  REFUSED(s, contactlib_get(s, (int)contactlib_variable_count(s), &value), "no variable");
  REFUSED(s, contactlib_get(s, 0, NULL), "null");
  REFUSED(s, contactlib_set(s, NULL, NULL, 1), "null");
  REFUSED(s, contactlib_apply(s, n, states), "no body");
  REFUSED(s, contactlib_apply(s, 0, states), "'interface' is not free");
  REFUSED(s, contactlib_place(s, NULL), "null");
  REFUSED(s, contactlib_place(s, states), "quaternion");
  const int names[] = {contactlib_find_variable(s, "pin_hole.stiffness"), contactlib_find_variable(s, "step_size")};
  const int output = contactlib_find_variable(s, "contact.count"), state = contactlib_find_variable(s, "interface.r[1]");
  const double good[] = {1e5, 1e-4}, bad[] = {1e5, -1e-9}, half = 0.5;
  const int tolerance = contactlib_find_variable(s, "mass_tolerance");
  CHECK(s, names[0] >= 0 && names[1] >= 0 && output >= 0 && state >= 0);
  REFUSED(s, contactlib_set(s, names, bad, 2), "step_size cannot be -1e-09; it must be greater than 0");
  REFUSED(s, contactlib_set(s, &tolerance, &half, 1), "mass_tolerance cannot be 0.5; it must be at least 1");
  REFUSED(s, contactlib_set(s, &output, good, 1), "is an output");
  REFUSED(s, contactlib_set(s, &state, good, 1), "contactlib_step");
  REFUSED(s, contactlib_restore(s, NULL, 0), "null");
  REFUSED(s, contactlib_restore(s, saved, size - 8), "checksum");
  saved[size / 2] ^= 1;
  REFUSED(s, contactlib_restore(s, saved, size), "checksum");
  saved[size / 2] ^= 1;
  REFUSED(s, contactlib_restore(s, after, size), "not a saved state");
  contactlib_states(s, other);
  CHECK(s, contactlib_save(s, after, size) == 0 && !memcmp(saved, after, size)); /* nothing has changed */
  CHECK(s, contactlib_restore(s, after, size + 64) == 0); /* a buffer may be longer */
  CHECK(s, contactlib_set(s, names, good, 2) == 0 && contactlib_get(s, names[0], &value) == 0 && value == 1e5);
  CHECK(s, contactlib_find_body(s, "no such body") == -1 && contactlib_find_body(s, NULL) == -1);
  CHECK(s, contactlib_body_name(s, n) == NULL && contactlib_body_motion(s, n) == -1);
  CHECK(s, contactlib_find_body(s, contactlib_body_name(s, n - 1)) == (int)n - 1);
  contactlib_variable about;
  CHECK(s, contactlib_get_variable(s, names[0], &about) == 0 && !strcmp(about.name, "pin_hole.stiffness"));
  CHECK(s, about.causality == CONTACTLIB_PARAMETER && about.tunable && !strcmp(about.unit, "N/m"));
  contactlib_reset(s);
  CHECK(s, contactlib_get(s, names[0], &value) == 0 && value != 1e5);
  free(states), free(other), free(saved), free(after);
  contactlib_free(s);
}

static void row(const char *name, const double *x, size_t n) {
  printf("%s", name);
  for (size_t i = 0; i < n; ++i) printf(" %a", x[i]);
  printf("\n");
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  misuse(arguments[1]);
  FILE *file = fopen(arguments[2], "r");
  unsigned long n, steps;
  double h;
  if (!file || fscanf(file, "%lu %lu %lf", &n, &steps, &h) != 3) return 2;
  contactlib_simulation *s = contactlib_load(arguments[1], NULL, 0);
  CHECK(s, s && contactlib_body_count(s) == n && !strcmp(contactlib_version(), CONTACTLIB_VERSION));
  double *states = malloc(13 * n * sizeof *states), *wrenches = malloc(6 * n * sizeof *wrenches);
  unsigned char *saved = NULL;
  size_t size = 0;
  contactlib_contact contacts[64];
  for (unsigned long k = 0; k < steps; ++k) {
    for (size_t i = 0; i < 13 * n; ++i)
      if (fscanf(file, "%lf", &states[i]) != 1) return 2;
    if (k == steps / 2) {
      size = contactlib_saved_size(s);
      CHECK(s, (saved = malloc(size)) && contactlib_save(s, saved, size) == 0);
      CHECK(s, contactlib_step(s, 2.0 * h, states, NULL) == 0 && contactlib_restore(s, saved, size) == 0);
    }
    CHECK(s, contactlib_step(s, h, states, wrenches) == 0);
    row("wrenches", wrenches, 6 * n);
    const size_t found = contactlib_contacts(s, contacts, 64);
    CHECK(s, found == contactlib_contact_count(s) && contactlib_contacts(s, contacts, 1) <= 1);
    contactlib_contacts(s, contacts, 64);
    for (size_t i = 0; i < found; ++i) {
      const double numbers[] = {contacts[i].body_a, contacts[i].body_b,   contacts[i].p_AC_W[0], contacts[i].n_AB_W[2],
                                contacts[i].depth,  contacts[i].f_B_W[1], contacts[i].slipping};
      row("contact", numbers, 7);
    }
  }
  const double time = contactlib_time(s);
  row("time", &time, 1);
  printf("warnings %s", contactlib_warnings(s));
  fclose(file), free(states), free(wrenches), free(saved);
  contactlib_free(s);
  return 0;
}
