// the reader of model files: trusts nothing. lengths first, then every number, then what belongs together.
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "format.hpp"
#include "geometry/pairs.hpp"
#include "rotation.hpp"

namespace contactlib {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t fnv1a(const unsigned char* bytes, std::size_t size) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

bool finite(const double* numbers, int count) noexcept {
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(numbers[i])) return false;
  return true;
}

bool unit(const double* q) noexcept {
  return finite(q, 4) && std::abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-9;
}

class Reader {
 public:
  Reader(const unsigned char* bytes, std::size_t size) noexcept : bytes_(bytes), size_(size) {}

  Status header(std::string& hash) {
    format::Header header;
    if (size_ < sizeof header) return {Code::bad_section, -1};
    std::memcpy(&header, bytes_, sizeof header);
    if (std::memcmp(header.magic, format::magic, sizeof format::magic) != 0) return {Code::bad_magic, -1};
    if (header.version != format::version) return {Code::bad_version, static_cast<std::int32_t>(header.version)};
    const std::size_t covered = offsetof(format::Header, sha256);
    if (fnv1a(bytes_ + covered, size_ - covered) != header.checksum) return {Code::bad_checksum, -1};
    if (header.sections != format::tags) return {Code::bad_section, -1};
    hash = hexadecimal(header.sha256, sizeof header.sha256);
    return {};
  }

  // copies section `tag` into records; the file may lie at any address.
  template <class Record>
  Status section(format::Tag tag, std::vector<Record>& records) {
    const Status bad{Code::bad_section, static_cast<std::int32_t>(tag)};
    const std::size_t at = sizeof(format::Header) + tag * sizeof(format::Section);
    if (size_ < at + sizeof(format::Section)) return bad;
    format::Section section;
    std::memcpy(&section, bytes_ + at, sizeof section);
    if (section.tag != tag || section.record_size != sizeof(Record) || section.offset > size_) return bad;
    if (section.count > (size_ - section.offset) / sizeof(Record)) return bad;
    records.resize(section.count);
    if (section.count) std::memcpy(records.data(), bytes_ + section.offset, section.count * sizeof(Record));
    return {};
  }

 private:
  const unsigned char* bytes_;
  std::size_t size_;
};

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

// letters, digits and _, no digit first: names stand in variables' names and in xml.
bool in_name(char c) noexcept { return c == '_' || digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool read_text(const std::vector<char>& strings, const format::Text& text, std::string& out) {
  if (text.offset > strings.size() || text.length > strings.size() - text.offset || text.length == 0) return false;
  out.assign(strings.data() + text.offset, text.length);
  return !digit(out[0]) && std::all_of(out.begin(), out.end(), in_name);
}

template <class Enum>
bool in_range(std::int32_t value, Enum last) noexcept {
  return value >= 0 && value <= static_cast<std::int32_t>(last);
}

bool read_scene(const format::Scene& in, const std::vector<char>& strings, Model& model) {
  if (!read_text(strings, in.name, model.name) || !finite(in.gravity, 3)) return false;
  if (!finite(&in.step_size, 1) || !finite(&in.duration, 1) || in.step_size <= 0.0 || in.duration <= 0.0) return false;
  if (!in_range(in.resolve_in, Frame::body) || !in_range(in.integrator, Integrator::rk4)) return false;
  if (!in_range(in.wrench_output, WrenchOutput::mean)) return false;
  model.options = {Vec3(in.gravity),
                   in.step_size,
                   in.duration,
                   static_cast<Frame>(in.resolve_in),
                   static_cast<Integrator>(in.integrator),
                   static_cast<WrenchOutput>(in.wrench_output)};
  return true;
}

bool read_body(const format::Body& in, const std::vector<char>& strings, Body& body) {
  if (!read_text(strings, in.name, body.name) || !in_range(in.motion, Motion::fixed)) return false;
  if (!finite(&in.mass, 1) || !finite(in.com, 3) || !finite(in.inertia, 9) || !finite(in.start, 13)) return false;
  if (in.mass < 0.0 || !unit(in.start + 3)) return false;
  body.motion = static_cast<Motion>(in.motion);
  body.mass = in.mass;
  body.p_BBcm = Vec3(in.com);
  body.I_BBcm = Eigen::Map<const Mat3>(in.inertia);
  body.start = {Vec3(in.start), Quat(in.start + 3), Vec3(in.start + 7), Vec3(in.start + 10)};
  body.I_BBcm_inverse.setZero();
  if (body.motion != Motion::free) return true;
  // free bodies need a mass and a positive definite inertia (leading minors)
  const Mat3& I = body.I_BBcm;
  const bool definite = I(0, 0) > 0 && I(0, 0) * I(1, 1) - I(0, 1) * I(1, 0) > 0 && I.determinant() > 0;
  if (!(in.mass > 0.0) || !definite || !I.isApprox(I.transpose())) return false;
  body.I_BBcm_inverse = I.inverse();
  return body.I_BBcm_inverse.allFinite();
}

bool valid_size(const format::Shape& in) noexcept {
  const double* s = in.size;
  if (!finite(s, 6)) return false;
  switch (static_cast<ShapeKind>(in.kind)) {
    case ShapeKind::point:
    case ShapeKind::plane: return true;
    case ShapeKind::sphere: return s[0] > 0;
    case ShapeKind::capsule: return s[0] > 0 && s[1] >= 0;
    case ShapeKind::box: return s[0] > 0 && s[1] > 0 && s[2] > 0;
    case ShapeKind::socket:
      return s[3] > 0 && s[4] >= 0 && s[0] > 2 * s[3] && s[1] > 2 * s[3] && s[2] >= s[3] + s[4] && s[5] >= 1 &&
             s[5] <= 64;
  }
  return false;
}

// radius of the ball about the shape's origin that holds it.
double bound(const format::Shape& in) noexcept {
  const double* s = in.size;
  switch (static_cast<ShapeKind>(in.kind)) {
    case ShapeKind::point: return 0.0;
    case ShapeKind::sphere: return s[0];
    case ShapeKind::capsule: return s[0] + 0.5 * s[1];
    case ShapeKind::box: return 0.5 * Vec3(s[0], s[1], s[2]).norm();
    case ShapeKind::socket: return Vec3(0.5 * s[0], 0.5 * s[1], s[2]).norm();
    case ShapeKind::plane: return infinity;
  }
  return infinity;
}

bool read_shape(const format::Shape& in, std::size_t bodies, Shape& shape) {
  if (!in_range(in.kind, ShapeKind::plane) || !in_range(in.rim, RimMethod::subdivision_open)) return false;
  if (in.body < 0 || static_cast<std::size_t>(in.body) >= bodies || in.material < 0) return false;
  if (!valid_size(in) || !finite(in.p, 3) || !unit(in.q)) return false;
  shape.kind = static_cast<ShapeKind>(in.kind);
  shape.body = in.body;
  shape.material = in.material;
  shape.rim = static_cast<RimMethod>(in.rim);
  std::memcpy(shape.size, in.size, sizeof shape.size);
  shape.p_BS = Vec3(in.p);
  shape.R_BS = matrix(Quat(in.q));
  shape.bound = bound(in);
  return true;
}

template <class Row>
bool valid_parameters(const Row& row, const double* values) noexcept {
  for (int i = 0; i < row.count; ++i) {
    const Parameter& parameter = row.parameters[i];
    const bool low = parameter.above_minimum ? values[i] <= parameter.minimum : values[i] < parameter.minimum;
    if (!std::isfinite(values[i]) || low) return false;
  }
  return true;
}

bool read_law(const format::Law& in, const std::vector<char>& strings, Law& law) {
  if (!read_text(strings, in.name, law.name)) return false;
  if (in.normal < 0 || in.normal >= normal_law_count || in.friction < 0 || in.friction >= friction_law_count)
    return false;
  law.normal = in.normal;
  law.friction = in.friction;
  std::memcpy(law.parameters.normal, in.normal_parameters, sizeof in.normal_parameters);
  std::memcpy(law.parameters.friction, in.friction_parameters, sizeof in.friction_parameters);
  return finite(in.normal_parameters, 4) && finite(in.friction_parameters, 6) &&
         valid_parameters(normal_laws[law.normal], in.normal_parameters) &&
         valid_parameters(friction_laws[law.friction], in.friction_parameters);
}

bool read_pair(const format::Pair& in, const Model& model, Pair& pair) {
  const auto shapes = static_cast<std::int32_t>(model.shapes.size());
  if (in.shape_a < 0 || in.shape_a >= shapes || in.shape_b < 0 || in.shape_b >= shapes) return false;
  if (in.law < 0 || static_cast<std::size_t>(in.law) >= model.laws.size()) return false;
  const Shape& A = model.shapes[in.shape_a];
  const Shape& B = model.shapes[in.shape_b];
  if (A.kind > B.kind || A.body == B.body) return false;
  pair = {in.shape_a, in.shape_b, in.law, pair_row_index(A.kind, B.kind)};
  return pair_row(pair.row).kernel != nullptr;
}

void make_buckets(Model& model) {
  for (std::size_t i = 0; i < model.pairs.size(); ++i) {
    const Pair& pair = model.pairs[i];
    const std::int32_t a = model.shapes[pair.shape_a].body, b = model.shapes[pair.shape_b].body;
    const Bucket* last = model.buckets.empty() ? nullptr : &model.buckets.back();
    if (!last || last->row != pair.row || last->body_a != a || last->body_b != b)
      model.buckets.push_back({i, i, pair.row, a, b});
    model.buckets.back().last = i + 1;
  }
}

Status read(const unsigned char* bytes, std::size_t size, Model& model) {
  Reader reader(bytes, size);
  if (Status status = reader.header(model.hash); !status) return status;
  std::vector<format::Scene> scene;
  std::vector<format::Body> bodies;
  std::vector<format::Shape> shapes;
  std::vector<format::Law> laws;
  std::vector<format::Pair> pairs;
  std::vector<char> strings;
  for (Status status : {reader.section(format::scene, scene), reader.section(format::bodies, bodies),
                        reader.section(format::shapes, shapes), reader.section(format::laws, laws),
                        reader.section(format::pairs, pairs), reader.section(format::strings, strings)})
    if (!status) return status;

  if (scene.size() != 1 || !read_scene(scene[0], strings, model)) return {Code::bad_value, format::scene};
  model.bodies.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!read_body(bodies[i], strings, model.bodies[i])) return {Code::bad_value, format::bodies};
  model.shapes.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (!read_shape(shapes[i], bodies.size(), model.shapes[i])) return {Code::bad_value, format::shapes};
  model.laws.resize(laws.size());
  for (std::size_t i = 0; i < laws.size(); ++i)
    if (!read_law(laws[i], strings, model.laws[i])) return {Code::bad_value, format::laws};
  if (pairs.size() > std::numeric_limits<std::uint32_t>::max()) return {Code::bad_value, format::pairs};
  model.pairs.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!read_pair(pairs[i], model, model.pairs[i])) return {Code::bad_value, format::pairs};
    if (i > 0 && model.pairs[i].row < model.pairs[i - 1].row) return {Code::bad_value, format::pairs};
    model.contact_capacity += pair_row(model.pairs[i].row).max_contacts;
  }
  make_buckets(model);
  return {};
}

const char* section_name(std::int32_t tag) noexcept {
  constexpr const char* names[] = {"scene", "bodies", "shapes", "laws", "pairs", "strings"};
  return tag >= 0 && tag < static_cast<std::int32_t>(format::tags) ? names[tag] : "header";
}

}  // namespace

Status read_model(const unsigned char* bytes, std::size_t size, Model& out) noexcept {
  try {
    Model model;
    const Status status = read(bytes, size, model);
    out = status ? std::move(model) : Model{};
    return status;
  } catch (...) {  // std::bad_alloc, std::length_error: the only ones that containers throw
    return {Code::out_of_memory, -1};
  }
}

std::string describe(const Status& status, const Model& model) {
  const auto body = [&] {
    const bool known = status.index >= 0 && static_cast<std::size_t>(status.index) < model.bodies.size();
    return known ? "body '" + model.bodies[status.index].name + "'" : std::string("a body");
  };
  switch (status.code) {
    case Code::ok: return "ok";
    case Code::not_finite: return "the state or the wrench of " + body() + " is not finite (nan or infinity)";
    case Code::bad_quaternion:
      return "the quaternion of " + body() + " is not a unit quaternion: its length must be 1 within 1e-3";
    case Code::bad_magic: return "not a contactlib model: the file does not start with its mark";
    case Code::bad_version:
      return "the model was written in format version " + std::to_string(status.index) + ", this build reads version " +
             std::to_string(format::version);
    case Code::bad_checksum: return "the model is damaged: its checksum does not match its content";
    case Code::bad_section:
      return std::string("the model is truncated or inconsistent in section '") + section_name(status.index) + "'";
    case Code::bad_value:
      return std::string("the model has a value out of its range in section '") + section_name(status.index) + "'";
    case Code::bad_state: return "the saved state is damaged or belongs to another model";
    case Code::bad_argument:
      return "the value is not allowed: not finite, below its minimum, not to be set, or a step that is not positive "
             "or longer than 1e7 times step_size";
    case Code::out_of_memory: return "out of memory";
  }
  return "unknown status";
}

}  // namespace contactlib
