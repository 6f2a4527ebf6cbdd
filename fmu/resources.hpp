// The location and the files of an FMU's resources. Independent of FMI and of the core.
#pragma once

#include <string>
#include <vector>

namespace contactlib::fmi {

// The folder of a resource location: file:/x, file:///x, file://localhost/x, file:///C:/x, file://server/share/x,
// percent-encoded UTF-8, or a plain path. Empty if it is none of these.
std::string resource_folder(const char* location);

// Returns false if the file cannot be read to its end.
bool read_file(const std::string& path, std::vector<unsigned char>& bytes);

}  // namespace contactlib::fmi
