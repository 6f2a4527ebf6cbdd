/* A docking in C: this program moves the bodies of a scene, contactlib gives the wrenches.

       contactlib library peg_in_hole -o out/c
       cc examples/c_docking.c -Iout/c -Lout/c -lcontactlib -Wl,-rpath,$PWD/out/c -lm -o out/c/docking
       out/c/docking out/c/peg_in_hole.bin 3.0 5e-3

   Every external body with a mass flies freely, integrated here by the midpoint rule. Its mass, centre of mass and inertia
   are variables of the scene. With the option `coupling` contactlib predicts the motion over each step and gives the mean
   wrench, so that the steps need not resolve the contact. Printed: the energy, the largest mean force, and the end of the
   bodies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contactlib.h"

typedef struct {
  double mass, com[3], I[6]; /* kg; m; kg m2 about the centre of mass: xx yy zz xy xz yz, body axes */
} Mass;

static void fail(const char *sentence) {
  fprintf(stderr, "%s\n", sentence);
  exit(1);
}

static double variable(contactlib_simulation *s, const char *body, const char *part) {
  char name[256];
  double value;
  snprintf(name, sizeof name, "%s.%s", body, part);
  const int i = contactlib_find_variable(s, name);
  if (i < 0) return NAN;
  if (contactlib_get(s, i, &value)) fail(contactlib_message(s));
  return value;
}

/* "gauss_seidel": the contact steps first, then the bodies step over the same interval. */
static void couple(contactlib_simulation *s) {
  const int option = contactlib_find_variable(s, "coupling"); /* every scene has it */
  const double gauss_seidel = 3.0;
  if (contactlib_set(s, &option, &gauss_seidel, 1)) fail(contactlib_message(s));
}

static Mass mass_of(contactlib_simulation *s, const char *body) {
  static const char *const com[] = {"com[1]", "com[2]", "com[3]"};
  static const char *const inertia[] = {"inertia[1]", "inertia[2]", "inertia[3]", "inertia[4]", "inertia[5]", "inertia[6]"};
  Mass m;
  m.mass = variable(s, body, "mass");
  for (int k = 0; k < 3; ++k) m.com[k] = variable(s, body, com[k]);
  for (int k = 0; k < 6; ++k) m.I[k] = variable(s, body, inertia[k]);
  return m; /* of NAN where the scene gives the body no mass */
}

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

static void rotate(const double q[4], const double x[3], double out[3]) { /* x + 2 v x (v x x + s x) */
  double a[3], b[3];
  cross(q + 1, x, a);
  for (int k = 0; k < 3; ++k) a[k] += q[0] * x[k];
  cross(q + 1, a, b);
  for (int k = 0; k < 3; ++k) out[k] = x[k] + 2.0 * b[k];
}

static void back(const double q[4], const double x[3], double out[3]) {
  const double p[4] = {q[0], -q[1], -q[2], -q[3]};
  rotate(p, x, out);
}

static void times(const double I[6], const double w[3], double out[3]) {
  out[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
  out[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
  out[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
}

static void solve(const double I[6], const double b[3], double x[3]) { /* Cramer's rule */
  const double c0 = I[1] * I[2] - I[5] * I[5], c1 = I[4] * I[5] - I[3] * I[2], c2 = I[3] * I[5] - I[1] * I[4];
  const double det = I[0] * c0 + I[3] * c1 + I[4] * c2;
  x[0] = (c0 * b[0] + c1 * b[1] + c2 * b[2]) / det;
  x[1] = (c1 * b[0] + (I[0] * I[2] - I[4] * I[4]) * b[1] + (I[3] * I[4] - I[0] * I[5]) * b[2]) / det;
  x[2] = (c2 * b[0] + (I[3] * I[4] - I[0] * I[5]) * b[1] + (I[0] * I[1] - I[3] * I[3]) * b[2]) / det;
}

/* Rates of r, q, v, w of a body under a wrench about its origin, world axes (Newton and Euler). */
static void rates(const Mass *m, const double *s, const double *wrench, double *out) {
  const double *q = s + 3, *v = s + 7, *w = s + 10, *f = wrench;
  double c[3], lever[3], t[3], w_B[3], t_B[3], L_B[3], gyro[3], alpha_B[3], alpha[3], a1[3], wc[3], a2[3];
  rotate(q, m->com, c);
  cross(c, f, lever);
  for (int k = 0; k < 3; ++k) t[k] = wrench[3 + k] - lever[k];
  back(q, w, w_B), back(q, t, t_B);
  times(m->I, w_B, L_B);
  cross(w_B, L_B, gyro);
  for (int k = 0; k < 3; ++k) t_B[k] -= gyro[k];
  solve(m->I, t_B, alpha_B);
  rotate(q, alpha_B, alpha);
  cross(alpha, c, a1), cross(w, c, wc), cross(w, wc, a2);
  out[3] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
  out[4] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
  out[5] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
  out[6] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
  for (int k = 0; k < 3; ++k) out[k] = v[k], out[7 + k] = f[k] / m->mass - a1[k] - a2[k], out[10 + k] = alpha[k];
}

static void advance(const Mass *m, double *s, const double *wrench, double h) {
  double rate[13], middle[13], norm = 0.0;
  rates(m, s, wrench, rate);
  for (int k = 0; k < 13; ++k) middle[k] = s[k] + 0.5 * h * rate[k];
  rates(m, middle, wrench, rate);
  for (int k = 0; k < 13; ++k) s[k] += h * rate[k];
  for (int k = 3; k < 7; ++k) norm += s[k] * s[k];
  for (int k = 3; k < 7; ++k) s[k] /= sqrt(norm);
}

static double kinetic(const Mass *m, const double *s) {
  double c[3], wc[3], w_B[3], L_B[3], energy = 0.0;
  rotate(s + 3, m->com, c);
  cross(s + 10, c, wc);
  back(s + 3, s + 10, w_B);
  times(m->I, w_B, L_B);
  for (int k = 0; k < 3; ++k) energy += 0.5 * m->mass * pow(s[7 + k] + wc[k], 2) + 0.5 * w_B[k] * L_B[k];
  return energy;
}

int main(int count, char **arguments) {
  if (count != 4) fail("usage: docking SCENE.bin DURATION STEP");
  const double duration = atof(arguments[2]), h = atof(arguments[3]);
  if (!(duration > 0.0) || !(h > 0.0)) fail("DURATION and STEP must be greater than 0");
  char why[CONTACTLIB_MESSAGE];
  contactlib_simulation *s = contactlib_load(arguments[1], why, sizeof why);
  if (!s) fail(why);
  const size_t n = contactlib_body_count(s);
  double *states = calloc(n * CONTACTLIB_STATE, sizeof *states);
  double *wrenches = calloc(n * CONTACTLIB_WRENCH, sizeof *wrenches);
  Mass *masses = calloc(n, sizeof *masses);
  double before = 0.0, after = 0.0, largest = 0.0;
  if (!states || !wrenches || !masses) fail("There is not enough memory.");
  size_t flying = 0;
  for (size_t i = 0; i < n; ++i) masses[i] = mass_of(s, contactlib_body_name(s, i)), flying += masses[i].mass > 0.0;
  if (!flying) fail("No external body of this scene has a mass, so there is nothing to move.");
  couple(s);
  contactlib_states(s, states);
  for (size_t i = 0; i < n; ++i)
    if (masses[i].mass > 0.0) before += kinetic(&masses[i], states + 13 * i);
  for (long step = 0; step < lround(duration / h); ++step) {
    if (contactlib_step(s, h, states, wrenches)) fail(contactlib_message(s));
    for (size_t i = 0; i < n; ++i) {
      const double *f = wrenches + 6 * i;
      largest = fmax(largest, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
      if (contactlib_body_motion(s, i) == CONTACTLIB_EXTERNAL && masses[i].mass > 0.0)
        advance(&masses[i], states + 13 * i, f, h);
    }
  }
  for (size_t i = 0; i < n; ++i)
    if (masses[i].mass > 0.0) after += kinetic(&masses[i], states + 13 * i);
  printf("kinetic energy %.4f J before, %.4f J after; largest mean force %.2f N; %zu contacts at the end\n", before, after,
         largest, contactlib_contact_count(s));
  for (size_t i = 0; i < n; ++i)
    printf("%-10s r = %9.6f %9.6f %9.6f m, v = %9.6f %9.6f %9.6f m/s\n", contactlib_body_name(s, i), states[13 * i],
           states[13 * i + 1], states[13 * i + 2], states[13 * i + 7], states[13 * i + 8], states[13 * i + 9]);
  fputs(contactlib_warnings(s), stderr);
  free(states), free(wrenches), free(masses);
  contactlib_free(s);
  return 0;
}
