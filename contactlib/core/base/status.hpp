// The result of a function of the core that may fail.
#pragma once

#include <cstdint>

namespace contactlib {

enum class Code : std::int32_t {
  ok = 0,
  not_finite,         // an input or a result is nan or infinite
  bad_quaternion,     // |q| is off 1 by more than 1e-3
  bad_magic,          // model file: not a contactlib model
  bad_version,        // model file: written by another version
  bad_checksum,       // model file: damaged
  bad_section,        // model file: truncated or inconsistent
  bad_value,          // model file: a number out of its range
  contact_overflow,   // more contacts than the pool holds; `index` is how many were needed
  bad_state,          // a saved state that cannot be restored; `index` is why, a SavedFault
  bad_argument,       // a value that the variable does not allow
  element_failed,     // an element cannot go on; `index` is which
  no_model,           // a contact model that the caller must bring is not there; `index` is its law
  model_failed,       // one that the caller brought cannot go on; `index` is its law, `port` the contact or -1
  out_of_memory,
  unstable,           // a run that makes energy out of nothing; `index` is a body, `port` a law, `time` when
  bad_step,           // a step that is not positive, not finite, or too long
  bad_parameters,     // parameters that do not go together; `index` is the law, the element behind the laws, or
                      // the body behind the elements, `port` the parameter
  bad_output,         // an output that is nan or infinite; `index` is the element, -1 the contacts' summary
  near_overflow,      // more pairs of bodies are near than there is memory for; `index` is how many
  surface_overflow,   // a surface contact has more pieces than there is memory for; `index` is how many
};

// What is wrong and where: `index` is a body, a pair, an element or a section, depending on the code; `port` of an
// element.
struct Status {
  Code code = Code::ok;
  std::int32_t index = -1;
  std::int32_t port = -1;
  double time = 0.0;  // s
  constexpr explicit operator bool() const noexcept { return code == Code::ok; }
};

}  // namespace contactlib
