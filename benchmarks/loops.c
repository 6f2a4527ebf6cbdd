/* loops around the functions of other libraries, so that what is timed holds no Python.
   the functions come as pointers: no header is needed. */
#include <stddef.h>
#include <string.h>

typedef int (*fmi2_set)(void *, const unsigned *, size_t, const double *);
typedef int (*fmi2_get)(void *, const unsigned *, size_t, double *);
typedef int (*fmi2_step)(void *, double, double, int);

/* communication steps of h from *t on, one for each row of inputs; without `set` the step alone, on held inputs.
   returns the worst status. */
int fmu_steps(fmi2_set set, fmi2_step step, fmi2_get get, void *fmu, const unsigned *in, size_t inputs,
              const unsigned *out, size_t outputs, const double *rows, double *results, size_t steps, double *t,
              double h) {
  int worst = 0;
  for (size_t k = 0; k < steps; ++k) {
    int status[3] = {0, 0, 0};
    if (set) status[0] = set(fmu, in, inputs, rows + k * inputs);
    status[1] = step(fmu, *t, h, 1);
    *t += h;
    if (set) status[2] = get(fmu, out, outputs, results + k * outputs);
    for (int i = 0; i < 3; ++i)
      if (status[i] > worst) worst = status[i];
  }
  return worst;
}

typedef void (*mujoco_stage)(const void *model, void *data);

/* a free body at each of the poses: its kinematics and, unless `collide` is null, its collisions. */
void mujoco_poses(mujoco_stage place, mujoco_stage collide, const void *model, void *data, double *qpos,
                  const double *poses, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    memcpy(qpos, poses + 7 * k, 7 * sizeof(double));
    place(model, data);
    if (collide) collide(model, data);
  }
}
