#pragma once

#include "laws.hpp"

namespace contactlib {

AttachmentForce no_grip(const AttachmentState& attachment_state, const double* parameters) noexcept;
AttachmentForce spring(const AttachmentState& attachment_state, const double* parameters) noexcept;
AttachmentForce gecko(const AttachmentState& attachment_state, const double* parameters) noexcept;
AttachmentForce claw(const AttachmentState& attachment_state, const double* parameters) noexcept;

}  // namespace contactlib
