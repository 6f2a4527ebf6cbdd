// Counts instructions under callgrind: FOLDER contains `list`, a kernel a line (kind, name, steps, s of a step), and the
// data of each kernel in files of its name. Each kernel has a dump of its own; its trigger is the kernel's name.
// Callgrind has to start with --instr-atstart=no: what is not counted then runs faster. The
// loops around kernels and laws are those that narrow_phase.py measures; WITH_CONTACTLIB chooses them.
#include "narrow_phase.cpp"

#include <valgrind/callgrind.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "boundary/capacity.hpp"
#include "boundary/saved_state.hpp"
#include "model/reader/model.hpp"
#include "step/communication/step.hpp"

namespace {

using contactlib::Status;
using contactlib::boundary::advance_and_grow;
using contactlib::boundary::reserve_for_saved;
using contactlib::boundary::restore;
using contactlib::model::Model;
using contactlib::reader::read_model;
using contactlib::state::Data;
using contactlib::step::accept_inputs;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const unsigned char* bytes(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::vector<double> numbers(const std::string& path) {
  const std::string text = content(path);
  std::vector<double> found(text.size() / sizeof(double));
  std::memcpy(found.data(), text.data(), found.size() * sizeof(double));
  return found;
}

// The first run, which is not counted, grows memory and links functions. Both return whether they succeeded.
template <class Prepare, class Work>
bool count(const std::string& name, const Prepare& prepare, const Work& work) {
  if (!prepare() || !work() || !prepare()) return false;
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  const bool done = work();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
  return done;
}

bool nothing() { return true; }

// Placements (n x 24) of the two shapes of a model.
bool count_pair(const std::string& path, const std::string& name) {
  Model model;
  const std::string text = content(path + ".model");
  if (!read_model(bytes(text), text.size(), model) || model.shapes.size() != 2) return false;
  Couple pair;
  pair.A.shape = model.shapes[0];
  pair.B.shape = model.shapes[1];
  if (!pair.row().is_defined()) return false;
  pair.scratch.grow_capacity(pair.A.shape, pair.B.shape);
  const std::vector<double> rows = numbers(path + ".rows");
  std::vector<Placement> X(rows.size() / 24);
  std::memcpy(static_cast<void*>(X.data()), rows.data(), X.size() * sizeof(Placement));
  std::vector<Found> found(X.size());
  const auto collide = [&] {
    contactlib_collide(&pair, X.data(), X.size(), found.data());
    return true;
  };
  return count(name, nothing, collide);
}

// The body's state 13, parameters of the normal force 2, points 3 x n.
bool count_points(const std::string& path, const std::string& name) {
  const std::vector<double> rows = numbers(path + ".rows");
  BodyState body;
  std::memcpy(static_cast<void*>(&body), rows.data(), 13 * sizeof(double));
  double wrench[6];
  return count(name, nothing,
               [&] { return point_plane_wrench(&body, &rows[15], (rows.size() - 15) / 3, &rows[13], wrench) > 0; });
}

// Parameters of the friction law 4, s of a step 1; normal forces, depths and velocities along x and y, 4 x n. One step
// forward and one step back.
bool count_bristle(const std::string& path, const std::string& name) {
  const std::vector<double> rows = numbers(path + ".rows");
  const std::size_t n = (rows.size() - 5) / 4;
  const double *N = &rows[5], *depth = N + n, *v = depth + n;
  std::vector<double> back(2 * n), bristles, found(4 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) back[i] = -v[i];
  const auto prepare = [&] {
    bristles.assign(3 * n, 0.0);
    return true;
  };
  return count(name, prepare, [&] {
    bristle_update(v, N, depth, n, rows[4], rows.data(), bristles.data(), found.data());
    bristle_update(back.data(), N, depth, n, rows[4], rows.data(), bristles.data(), found.data());
    return true;
  });
}

// Steps of a scene from a saved state. External bodies continue with the velocity of the last step.
bool count_steps(const std::string& path, const std::string& name, int steps, double dt) {
  Model model;
  Data data;
  const std::string text = content(path + ".model"), saved = content(path + ".state");
  if (!read_model(bytes(text), text.size(), model) || !data.make(model)) return false;
  const auto prepare = [&] {
    reserve_for_saved(model, data, saved.size());
    return static_cast<bool>(restore(model, data, bytes(saved), saved.size()));
  };
  return count(name, prepare, [&] {
    for (int k = 0; k < steps; ++k) {
      for (std::size_t i = 0; i < model.bodies.size(); ++i) data.inputs()[i] = data.reports()[i];
      if (!accept_inputs(model, data) || !advance_and_grow(model, data, dt)) return false;
    }
    return true;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  std::ifstream list(folder + "list");
  std::string kind, name;
  int steps = 0;
  double dt = 0.0;
  while (list >> kind >> name >> steps >> dt) {
    const std::string path = folder + name;
    const bool done = kind == "pair"      ? count_pair(path, name)
                      : kind == "points"  ? count_points(path, name)
                      : kind == "bristle" ? count_bristle(path, name)
                                          : count_steps(path, name, steps, dt);
    if (done) continue;
    std::fprintf(stderr, "kernel '%s' failed\n", name.c_str());
    return 1;
  }
}
