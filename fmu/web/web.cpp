// What the WebAssembly module exports besides the functions of FMI: a scene from memory instead of a file, the variable
// table, and the sentences of the log. contactlib.mjs calls it. One scene runs in one instance of the module.
#include <cstdlib>
#include <utility>

#include "instance.hpp"

namespace {

using namespace contactlib::fmi;
using contactlib::boundary::Type;

std::string sentences;  // of the log since the last call of contactlib_sentences; one a line
std::string taken;

void keep_sentence(fmi2Status status, const char*, const std::string& sentence) {
  sentences += std::to_string(static_cast<int>(status)) + ' ';
  for (const char c : sentence) sentences += c == '\n' ? ' ' : c;
  sentences += '\n';
}

const Variable& variable(fmi2Component c, fmi2ValueReference reference) {
  return static_cast<const Instance*>(c)->table[reference];
}

}  // namespace

extern "C" {

// There are no exceptions in the module: what throws elsewhere, because memory ends, ends the module.
void* __cxa_allocate_exception(std::size_t) { std::abort(); }
void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }

void* contactlib_allocate(std::size_t size) { return std::malloc(size); }
void contactlib_release(void* memory) { std::free(memory); }

// An instance before initialization, or null, with the reason among the sentences.
fmi2Component contactlib_open(const unsigned char* model, std::size_t size, fmi2Boolean logging) {
  auto self = std::make_unique<Instance>();
  self->log.deliver = keep_sentence;
  self->log.turn(logging != fmi2False);
  std::string problem = self->read_scene(model, size, "model.bin");
  if (problem.empty()) problem = self->allocate();
  if (problem.empty()) return self.release();
  self->error(problem);
  return nullptr;
}

// "STATUS SENTENCE" lines since the last call, with the numbers of fmi2Status; valid until the next call.
const char* contactlib_sentences() {
  taken = std::exchange(sentences, {});
  return taken.c_str();
}

const char* contactlib_model_hash(fmi2Component c) { return static_cast<const Instance*>(c)->model.hash.c_str(); }
std::uint32_t contactlib_mode(fmi2Component c) { return static_cast<const Instance*>(c)->life.mode; }
std::size_t contactlib_variable_count(fmi2Component c) { return static_cast<const Instance*>(c)->table.size(); }

const char* contactlib_variable_name(fmi2Component c, fmi2ValueReference i) { return variable(c, i).name.c_str(); }
const char* contactlib_variable_unit(fmi2Component c, fmi2ValueReference i) { return variable(c, i).unit.c_str(); }
const char* contactlib_variable_description(fmi2Component c, fmi2ValueReference i) {
  return variable(c, i).description.c_str();
}
int contactlib_variable_causality(fmi2Component c, fmi2ValueReference i) {
  return static_cast<int>(variable(c, i).causality);
}
int contactlib_variable_type(fmi2Component c, fmi2ValueReference i) { return static_cast<int>(variable(c, i).type); }
int contactlib_variable_tunable(fmi2Component c, fmi2ValueReference i) { return variable(c, i).tunable ? 1 : 0; }
int contactlib_variable_choices(fmi2Component c, fmi2ValueReference i) { return variable(c, i).choices; }
// Options count from 1.
double contactlib_variable_start(fmi2Component c, fmi2ValueReference i) {
  return variable(c, i).start + (variable(c, i).choices > 0 ? 1 : 0);
}
double contactlib_variable_minimum(fmi2Component c, fmi2ValueReference i) { return variable(c, i).minimum; }

}  // extern "C"
