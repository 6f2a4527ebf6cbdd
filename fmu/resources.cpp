#include "resources.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>

#ifdef _WIN32
#include <filesystem>
#endif

namespace contactlib::fmi {
namespace {

// Tools write the scheme in upper or lower case.
bool starts_with(const std::string& text, const char* prefix) {
  std::size_t i = 0;
  for (; prefix[i] != '\0'; ++i)
    if (i == text.size() || std::tolower(static_cast<unsigned char>(text[i])) != prefix[i]) return false;
  return true;
}

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// "%C3%A9" -> the two bytes of an e with acute. A '%' without two digits stays: some tools do not encode at all.
std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
      const char digits[] = {text[i + 1], text[i + 2], '\0'};
      out += static_cast<char>(std::strtol(digits, nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "/C:/x" is how a uri writes the windows path "C:/x"
bool has_drive(const std::string& path) {
  return path.size() > 2 && path[0] == '/' && std::isalpha(static_cast<unsigned char>(path[1])) && path[2] == ':';
}

std::FILE* open_file(const std::string& path) {
#ifdef _WIN32
  return _wfopen(std::filesystem::u8path(path).c_str(), L"rb");
#else
  return std::fopen(path.c_str(), "rb");
#endif
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string resource_folder(const char* location) {
  if (location == nullptr) return {};
  std::string text = location;
  if (starts_with(text, "file:")) {
    text = percent_decoded(text.substr(5));
    if (starts_with(text, "//localhost/"))
      text.erase(0, 11);
    else if (starts_with(text, "///"))
      text.erase(0, 2);
    if (has_drive(text)) text.erase(0, 1);
  }
  // A NUL byte would end the path early and open another file.
  if (text.find('\0') != std::string::npos) return {};
  while (text.size() > 1 && (text.back() == '/' || text.back() == '\\')) text.pop_back();
  return text;
}

bool read_file(const std::string& path, std::vector<unsigned char>& bytes) {
  const std::unique_ptr<std::FILE, Close> file(open_file(path));
  if (!file) return false;
  bytes.clear();
  unsigned char chunk[16384];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, file.get()))
    bytes.insert(bytes.end(), chunk, chunk + count);
  return std::ferror(file.get()) == 0;
}

}  // namespace contactlib::fmi
