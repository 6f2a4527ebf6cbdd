#include "model.hpp"

#include <cmath>
#include <cstring>
#include <new>

#include "math/rotation.hpp"
#include "reader.hpp"

namespace contactlib::reader {

using bounding::VolumeKind;
using model::Body, model::Coupling, model::Frame, model::Integrator, model::Motion, model::WrenchOutput;

namespace {

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

  // Copies section `tag` into records; the file may have any alignment.
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

bool read_scene(const format::Scene& in, const std::vector<char>& strings, Model& model) {
  if (!read_text(strings, in.name, model.name) || !finite(in.gravity, 3)) return false;
  if (!finite(&in.step_size, 1) || !finite(&in.duration, 1) || in.step_size == 0.0 || in.duration <= 0.0) return false;
  if (!in_range(in.resolve_in, Frame::body) || !in_range(in.integrator, Integrator::rk4)) return false;
  if (in.volume < -1 || in.volume >= static_cast<std::int32_t>(VolumeKind::half_space)) return false;
  if (!in_range(in.wrench_output, WrenchOutput::mean) || !in_range(in.coupling, Coupling::gauss_seidel)) return false;
  if (!finite(&in.mass_tolerance, 1) || in.mass_tolerance < 1.0) return false;
  if (in.max_contacts < 0 || in.max_contacts > 100000) return false;
  model.options = {Vec3(in.gravity),
                   in.step_size,
                   in.duration,
                   static_cast<Frame>(in.resolve_in),
                   static_cast<Integrator>(in.integrator),
                   static_cast<WrenchOutput>(in.wrench_output),
                   static_cast<Coupling>(in.coupling),
                   in.mass_tolerance,
                   in.step_size < 0.0};
  model.options.step_size = std::abs(in.step_size);
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
  if (body.motion != Motion::free && !body.interface()) return true;
  // A body that moves under loads needs a mass and a positive definite inertia (leading minors).
  const Mat3& I = body.I_BBcm;
  const bool definite = I(0, 0) > 0 && I(0, 0) * I(1, 1) - I(0, 1) * I(1, 0) > 0 && I.determinant() > 0;
  if (!(in.mass > 0.0) || !definite || !I.isApprox(I.transpose())) return false;
  body.I_BBcm = 0.5 * (I + Mat3(I.transpose()));  // the halves of a file may differ in the last digits
  body.I_BBcm_inverse = I.inverse();
  return body.I_BBcm_inverse.allFinite();
}

Status read(const unsigned char* bytes, std::size_t size, Model& model) {
  Reader reader(bytes, size);
  if (Status status = reader.header(model.hash); !status) return status;
  Content content;
  for (Status status :
       {reader.section(format::scene, content.scene), reader.section(format::bodies, content.bodies),
        reader.section(format::groups, content.groups), reader.section(format::shapes, content.shapes),
        reader.section(format::laws, content.laws), reader.section(format::curves, content.curves),
        reader.section(format::material_pairs, content.material_pairs), reader.section(format::pairs, content.pairs),
        reader.section(format::pair_rules, content.pair_rules), reader.section(format::surfaces, content.surfaces),
        reader.section(format::vertices, content.vertices), reader.section(format::counts, content.counts),
        reader.section(format::loops, content.loops), reader.section(format::elements, content.elements),
        reader.section(format::numbers, content.numbers), reader.section(format::integers, content.integers),
        reader.section(format::strings, content.strings)})
    if (!status) return status;

  if (content.scene.size() != 1 || !read_scene(content.scene[0], content.strings, model))
    return {Code::bad_value, format::scene};
  model.bodies.resize(content.bodies.size());
  for (std::size_t i = 0; i < content.bodies.size(); ++i)
    if (!read_body(content.bodies[i], content.strings, model.bodies[i])) return {Code::bad_value, format::bodies};
  if (Status status = read_laws(content, model); !status) return status;
  if (Status status = read_shapes(content, model); !status) return status;
  if (Status status = read_pairs(content, model); !status) return status;
  return read_elements(content, model);
}

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool in_name(char c) noexcept { return c == '_' || digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool read_text(const std::vector<char>& strings, const format::Text& text, std::string& out) {
  if (text.offset > strings.size() || text.length > strings.size() - text.offset || text.length == 0) return false;
  out.assign(strings.data() + text.offset, text.length);
  bool starts = true;  // dots separate the names of an object and its groups
  for (const char c : out) {
    if (c == '.' ? starts : !in_name(c) || (starts && digit(c))) return false;
    starts = c == '.';
  }
  return !starts;
}

bool read_any_text(const std::vector<char>& strings, const format::Text& text, std::string& out) {
  if (text.offset > strings.size() || text.length > strings.size() - text.offset) return false;
  out.assign(strings.data() + text.offset, text.length);
  return true;
}

Status read_model(const unsigned char* bytes, std::size_t size, Model& out) noexcept {
  try {
    Model model;
    const Status status = read(bytes, size, model);
    out = status ? std::move(model) : Model{};
    return status;
  } catch (...) {  // std::bad_alloc or std::length_error: containers throw no others
    return {Code::out_of_memory, -1};
  }
}

}  // namespace contactlib::reader
