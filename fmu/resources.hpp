// where an fmu's resources lie, and what is in them. knows neither fmi nor the core.
#pragma once

#include <string>
#include <vector>

namespace contactlib::fmi {

// the folder behind a resource location: file:/x, file:///x, file://localhost/x, file:///C:/x, file://server/share/x,
// percent-encoded utf-8, or a plain path. empty when it is none of these.
std::string resource_folder(const char* location);

// false when the file cannot be read to its end.
bool read_file(const std::string& path, std::vector<unsigned char>& bytes);

}  // namespace contactlib::fmi
