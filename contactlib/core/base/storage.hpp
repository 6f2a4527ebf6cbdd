// Memory for up to n objects that are made later, without a constructor or a destructor of its own.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace contactlib {

template <class T, std::size_t n>
class Storage {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  template <class... Arguments>
  T* make(std::size_t k, Arguments&&... arguments) noexcept {
    return new (bytes_ + k * sizeof(T)) T(std::forward<Arguments>(arguments)...);
  }

 private:
  alignas(T) unsigned char bytes_[n * sizeof(T)];
};

}  // namespace contactlib
