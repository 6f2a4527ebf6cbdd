/* a host for any system: runs an FMU along the input signals of `contactlib hash`, and writes its outputs.

     replay LIBRARY OUTPUTS

   reads model.bin and inputs.bin in the working folder. the SHA-256 of OUTPUTS is the hash of the scene
   (docs/platforms.md, which also describes inputs.bin). the numbers of both files are little-endian, as those of every
   processor that this program is built for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "replay"
#define WORST fmi2OK
#include "host.h"

struct head {
  char magic[8], guid[40];
  uint32_t steps, reals, integers, real_outputs, integer_outputs, zero;
  double h;
};

static FILE *open_file(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file) fail(path, "cannot be opened");
  return file;
}

static void *read_array(FILE *file, size_t size, size_t count) {
  void *array = malloc(size * count + 1);
  if (!array || fread(array, size, count, file) != count) fail("inputs.bin", "ends early");
  return array;
}

static void run(fmi2Component c, const struct head *head, FILE *in, FILE *out) {
  fmi2ValueReference *reals = read_array(in, 4, head->reals), *integers = read_array(in, 4, head->integers);
  fmi2ValueReference *real_outputs = read_array(in, 4, head->real_outputs);
  fmi2ValueReference *integer_outputs = read_array(in, 4, head->integer_outputs);
  fmi2Integer *constants = read_array(in, 4, head->integers), *counts = calloc(head->integer_outputs + 1, 4);
  fmi2Real *values = calloc(head->real_outputs + 1, sizeof *values);
  CALL(fmi2SetupExperiment, c, fmi2False, 0, 0, fmi2False, 0);
  CALL(fmi2EnterInitializationMode, c);
  CALL(fmi2SetInteger, c, integers, head->integers, constants);
  for (uint32_t k = 0; k < head->steps; ++k) {
    fmi2Real *row = read_array(in, sizeof *row, head->reals);
    CALL(fmi2SetReal, c, reals, head->reals, row);
    if (k == 0) CALL(fmi2ExitInitializationMode, c);
    CALL(fmi2DoStep, c, k * head->h, head->h, fmi2True);
    CALL(fmi2GetReal, c, real_outputs, head->real_outputs, values);
    CALL(fmi2GetInteger, c, integer_outputs, head->integer_outputs, counts);
    if (fwrite(values, sizeof *values, head->real_outputs, out) != head->real_outputs ||
        fwrite(counts, sizeof *counts, head->integer_outputs, out) != head->integer_outputs)
      fail("OUTPUTS", "cannot be written");
    free(row);
  }
  CALL(fmi2Terminate, c);
  free(reals), free(integers), free(real_outputs), free(integer_outputs), free(constants), free(values), free(counts);
}

int main(int count, char **argument) {
  static const fmi2CallbackFunctions callbacks = {logger, NULL, NULL, NULL, NULL};
  struct head head;
  if (count != 3) fail("usage", "replay LIBRARY OUTPUTS");
  FILE *in = open_file("inputs.bin", "rb"), *out = open_file(argument[2], "wb");
  if (fread(&head, sizeof head, 1, in) != 1 || memcmp(head.magic, "CLINPUT1", 8) != 0)
    fail("inputs.bin", "must begin with CLINPUT1");
  library = open_library(argument[1]);
  if (!library) fail(argument[1], reason());
  fmi2Component c = F(fmi2Instantiate)("replay", fmi2CoSimulation, head.guid, ".", &callbacks, 0, 0);
  if (!c) fail("fmi2Instantiate", message);
  run(c, &head, in, out);
  F(fmi2FreeInstance)(c);
  fclose(in);
  if (fclose(out) != 0) fail("OUTPUTS", "cannot be written");
  return 0;
}
