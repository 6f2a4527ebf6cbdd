/* contactlib in C: contact wrenches for simulators in C, C++, Fortran, Julia and all that call C.

   A simulation is made from a compiled scene, a file that `contactlib library SCENE` or `Model.to_bytes()` of Python
   writes. Your simulator moves the bodies; each step takes their states and gives the wrenches of contacts and elements.
   Results have the same bits as those of `contactlib.Simulation` in Python with one thread.

       char why[CONTACTLIB_MESSAGE];
       contactlib_simulation *s = contactlib_load("peg_in_hole.bin", why, sizeof why);
       if (!s) return fprintf(stderr, "%s\n", why), 1;
       size_t n = contactlib_body_count(s);
       double *states = malloc(n * CONTACTLIB_STATE * sizeof *states);
       double *wrenches = malloc(n * CONTACTLIB_WRENCH * sizeof *wrenches);
       contactlib_states(s, states);                      // those of the scene
       while (contactlib_time(s) < 1.0) {
         if (contactlib_step(s, 1e-3, states, wrenches)) return fprintf(stderr, "%s\n", contactlib_message(s)), 1;
         move_bodies(states, wrenches);                   // yours: the external ones
       }
       contactlib_free(s);

   Rows of bodies that contactlib moves (free and driven ones) are not read by a step; contactlib_states gives them.

   Units are SI. A state is r (m, the body's origin), q (unit quaternion, scalar first), v (m/s, of the origin) and w
   (rad/s); a wrench is force (N) and torque about the body's origin (N m). All are in world axes; w and wrenches are in
   body axes if the scene says resolve_in = "body" (contactlib_get tells the variable resolve_in: 1 world, 2 body).

   Functions that return int return 0, or 1 if they refuse: then nothing has changed, and contactlib_message() tells why,
   in one sentence. Numbers of bodies and variables count from 0. A simulation may be used by one thread at a time;
   different simulations by different threads. No step allocates memory, unless a scene without max_contacts needs more
   contacts than before, or the step is the first to warn. docs/c.md tells more. */
#ifndef CONTACTLIB_H
#define CONTACTLIB_H

#include <stddef.h>
#include <stdint.h>

#ifndef CONTACTLIB_API
#define CONTACTLIB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CONTACTLIB_STATE = 13,    /* numbers of a state: r[3], q[4], v[3], w[3] */
  CONTACTLIB_WRENCH = 6,    /* numbers of a wrench: force[3], torque[3] */
  CONTACTLIB_MESSAGE = 1024 /* bytes that hold the messages of contactlib_load */
};

typedef struct contactlib_simulation contactlib_simulation;

#define CONTACTLIB_VERSION "0.1.0"
/* That of the library, which should be CONTACTLIB_VERSION. */
CONTACTLIB_API const char *contactlib_version(void);

/* ---- a simulation -------------------------------------------------------------------------------------------- */

/* From a file, or from its bytes in memory. Null if that fails; `message` (may be null) then has the reason. */
CONTACTLIB_API contactlib_simulation *contactlib_load(const char *path, char *message, size_t size);
CONTACTLIB_API contactlib_simulation *contactlib_read(const void *bytes, size_t count, char *message, size_t size);
CONTACTLIB_API void contactlib_free(contactlib_simulation *s); /* null is allowed */

/* Why the last function that returned 1 refused; "" at first. Valid until this simulation's next call, so let that not be
   in the same expression. */
CONTACTLIB_API const char *contactlib_message(const contactlib_simulation *s);
/* Warnings of the steps since the last call of this function, one a line: a step too long for the contact, an energy error,
   a contact that is deep, the wrong order of stepping. "" if there are none. Each cause warns once, and again after a reset.
   Valid until the next call of this function. */
CONTACTLIB_API const char *contactlib_warnings(contactlib_simulation *s);

/* Back to the start: time, states, memory of contacts, and all that was set. */
CONTACTLIB_API void contactlib_reset(contactlib_simulation *s);

/* ---- bodies -------------------------------------------------------------------------------------------------- */

enum contactlib_motion { CONTACTLIB_EXTERNAL, CONTACTLIB_DRIVEN, CONTACTLIB_FREE, CONTACTLIB_FIXED };

CONTACTLIB_API size_t contactlib_body_count(const contactlib_simulation *s);
CONTACTLIB_API const char *contactlib_body_name(const contactlib_simulation *s, size_t body); /* null: no such body */
CONTACTLIB_API int contactlib_body_motion(const contactlib_simulation *s, size_t body); /* of enum contactlib_motion; -1 */
CONTACTLIB_API int contactlib_find_body(const contactlib_simulation *s, const char *name); /* -1: none */

/* Of all bodies, a row each: where the last compute or step left them; at first, those of the scene. External bodies stand
   where their twist or prediction led them at the end of the step. */
CONTACTLIB_API void contactlib_states(contactlib_simulation *s, double *states);
CONTACTLIB_API void contactlib_wrenches(contactlib_simulation *s, double *wrenches);

/* ---- steps --------------------------------------------------------------------------------------------------- */

/* `states` has a row of each body, of which those of external bodies are read; null: these are where they are now.
   `wrenches` has a row of each body; null: they are not written. */

/* Contacts and wrenches at the given states; time and friction memory stay. */
CONTACTLIB_API int contactlib_compute(contactlib_simulation *s, const double *states, double *wrenches);
/* Advances by dt (s). External bodies begin at their rows and follow the twist there (with `coupling`: their predicted
   motion). Free and driven bodies go on from where the last step left them. */
CONTACTLIB_API int contactlib_step(contactlib_simulation *s, double dt, const double *states, double *wrenches);
/* Places all bodies, those too that contactlib moves, at the given states; null is refused. */
CONTACTLIB_API int contactlib_place(contactlib_simulation *s, const double *states);
CONTACTLIB_API double contactlib_time(const contactlib_simulation *s); /* s */
/* A load on a free body, always in world axes, about its origin: from the next step on until it is changed, or reset. It adds to
   the variables NAME.f_ext and NAME.t_ext. */
CONTACTLIB_API int contactlib_apply(contactlib_simulation *s, size_t body, const double wrench[6]);

/* ---- contacts ------------------------------------------------------------------------------------------------ */

typedef struct contactlib_contact {
  int32_t body_a, body_b;   /* numbers of bodies */
  int32_t shape_a, shape_b; /* numbers of shapes in the scene */
  int32_t law;              /* number of the law */
  int32_t feature;          /* the place on the shapes, the same from step to step */
  int32_t slipping;         /* 0: sticks, 1: slips */
  int32_t reserved;
  double p_AC_W[3], p_BC_W[3]; /* m, the contact point from the bodies' origins, world axes */
  double n_AB_W[3];            /* unit, from A to B */
  double depth, depth_rate;    /* m, m/s */
  double f_B_W[3];             /* N, force on B at the contact point; A feels the opposite */
  double normal_force;         /* N */
  double load_share;           /* of the pair's force at this place, 0 to 1 */
} contactlib_contact;

CONTACTLIB_API size_t contactlib_contact_count(const contactlib_simulation *s);
/* Writes the first `capacity` contacts; returns how many were written. */
CONTACTLIB_API size_t contactlib_contacts(const contactlib_simulation *s, contactlib_contact *contacts, size_t capacity);

/* ---- variables: those of the FMU, such as "metal.stiffness", "net.reel[1]", "contact.energy_error" ---------------- */

enum contactlib_causality { CONTACTLIB_INPUT, CONTACTLIB_OUTPUT, CONTACTLIB_PARAMETER };

typedef struct contactlib_variable {
  const char *name, *unit, *description; /* valid as long as the simulation */
  int causality;                         /* of enum contactlib_causality */
  int is_integer, tunable;
  int choices;           /* of an option: an integer from 1 to this; 0 for others; docs/scenes.md has them in this order */
  double start, minimum; /* minimum: -infinity if there is none; the least number above 0 for "greater than 0" */
} contactlib_variable;

CONTACTLIB_API size_t contactlib_variable_count(const contactlib_simulation *s);
CONTACTLIB_API int contactlib_find_variable(const contactlib_simulation *s, const char *name); /* -1: none */
CONTACTLIB_API int contactlib_get_variable(contactlib_simulation *s, int variable, contactlib_variable *out);
/* Outputs are those of the last compute or step; before it, start values. */
CONTACTLIB_API int contactlib_get(contactlib_simulation *s, int variable, double *value);
/* Sets tunable parameters, commands of elements, loads and next_step together, from the next step on: all or none. */
CONTACTLIB_API int contactlib_set(contactlib_simulation *s, const int *variables, const double *values, size_t count);

/* ---- saved states -------------------------------------------------------------------------------------------- */

CONTACTLIB_API size_t contactlib_saved_size(const contactlib_simulation *s); /* bytes, at this moment */
CONTACTLIB_API int contactlib_save(contactlib_simulation *s, void *bytes, size_t size);
/* Bytes from contactlib_save, or from `save()` in Python; the buffer may be longer. Damaged bytes and those of other scenes are
   refused. There are no contacts until the next compute or step; the rest of the run has the same bits. */
CONTACTLIB_API int contactlib_restore(contactlib_simulation *s, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
