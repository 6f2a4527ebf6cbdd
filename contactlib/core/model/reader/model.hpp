// The reader of model files.
#pragma once

#include "model/model.hpp"

namespace contactlib::reader {

using model::Model;

// Reads a file of model_file.py. Every length and index is checked; a bad file leaves `out` empty.
Status read_model(const unsigned char* bytes, std::size_t size, Model& out) noexcept;

}  // namespace contactlib::reader
