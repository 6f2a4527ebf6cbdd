// The layout of a record that Python reads or writes. Python builds its record types from these tables, so that no
// second list of fields exists. CONTACTLIB_LAYOUT stands beside the record and names its fields in order; it does not
// compile if a field is left out or stands in another place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/vectors.hpp"

namespace contactlib {

struct Field {
  const char* name;
  char type;  // 'd' double, 'i' int32, 'u' uint32, 'q' uint64, 's' byte
  std::size_t offset, count;
};

template <class T>
constexpr char type_code() noexcept {
  using Number = std::conditional_t<std::is_enum_v<T>, std::int32_t, T>;
  if (std::is_same_v<Number, double>) return 'd';
  if (std::is_same_v<Number, std::int32_t>) return 'i';
  if (std::is_same_v<Number, std::uint32_t>) return 'u';
  return std::is_same_v<Number, std::uint64_t> ? 'q' : 's';
}

// The type and the number of the numbers in a member.
template <class T>
struct Numbers {
  static constexpr char type = type_code<T>();
  static constexpr std::size_t count = 1;
};
template <class T, std::size_t n>
struct Numbers<T[n]> {
  static constexpr char type = type_code<T>();
  static constexpr std::size_t count = n;
};
template <>
struct Numbers<Vec3> {
  static constexpr char type = 'd';
  static constexpr std::size_t count = 3;
};
template <class Member>
constexpr Field field(const char* name, std::size_t offset) noexcept {
  static_assert(sizeof(Member) % Numbers<Member>::count == 0);
  return {name, Numbers<Member>::type, offset, Numbers<Member>::count};
}
#define CONTACTLIB_FIELD(member) ::contactlib::field<decltype(Record::member)>(#member, offsetof(Record, member))

constexpr std::size_t bytes_of(char type) noexcept { return type == 's' ? 1 : type == 'd' || type == 'q' ? 8 : 4; }

// Whether the fields fill a record without a gap: none is left out, none stands in another place.
template <class Record, std::size_t count>
constexpr bool fills(const Field (&fields)[count]) noexcept {
  std::size_t end = 0;
  for (const Field& f : fields) {
    if (f.offset != end) return false;
    end += f.count * bytes_of(f.type);
  }
  return end == sizeof(Record);
}

// Specialised for every record by CONTACTLIB_LAYOUT.
template <class Record>
struct LayoutOf;

// Used in the namespace contactlib.
#define CONTACTLIB_LAYOUT(type, ...)                 \
  template <>                                        \
  struct LayoutOf<type> {                            \
    using Record = type;                             \
    static constexpr Field fields[] = {__VA_ARGS__}; \
    static_assert(fills<Record>(fields));            \
  };

}  // namespace contactlib
