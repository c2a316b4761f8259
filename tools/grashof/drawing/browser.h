#pragma once
/// Headless Chromium, for pictures of pages.

#include <string>
#include <vector>

namespace grashof {

/// Runs a program without a shell and returns what it wrote to its standard output. Throws InputError when
/// it cannot be started or fails; `cure`: what to do then, for the message.
std::string outputOf(const std::vector<std::string>& command, const std::string& cure);

/// The DOM of a page after its scripts have run. `fragment`: after #. Throws InputError without Chromium.
std::string domOf(const std::string& page, const std::string& fragment, int width, int height);

/// A picture of a page as a PNG file. `width`, `height`: px. Throws InputError without Chromium, FileError
/// when `png` cannot be written.
void screenshot(const std::string& page, const std::string& png, int width, int height);

}  // namespace grashof
