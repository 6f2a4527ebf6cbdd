#include "math/functions.hpp"

#include "math/elementary.hpp"

namespace contactlib::math {

const Function functions[function_count] = {
    {"sin", sin, nullptr},
    {"cos", cos, nullptr},
    {"tan", tan, nullptr},
    {"asin", asin, nullptr},
    {"acos", acos, nullptr},
    {"atan", atan, nullptr},
    {"exp", exp, nullptr},
    {"expm1", expm1, nullptr},
    {"log", log, nullptr},
    {"log1p", log1p, nullptr},
    {"cbrt", cbrt, nullptr},
    {"trunc", trunc, nullptr},
    {"floor", floor, nullptr},
    {"ceil", ceil, nullptr},
    {"atan2", nullptr, atan2},
    {"pow", nullptr, pow},
    {"hypot", nullptr, hypot},
    {"fmod", nullptr, fmod},
    {"fmax", nullptr, fmax},
    {"remainder", nullptr, remainder},
    {"nextafter", nullptr, nextafter},
    {"fmin", nullptr, fmin},
};

}  // namespace contactlib::math
