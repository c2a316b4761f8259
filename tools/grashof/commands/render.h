#pragma once
/// Pictures and films of a run, through the viewer in a headless browser.

#include <string>

#include "tools/grashof/commands/view.h"

namespace grashof {

struct RenderArguments {
  ViewArguments run;  ///< what to show; run.out: FILE.png, .mp4, .gif, or a folder for PNG frames
  int width = 960, height = 540;
  double fps = 30.0;
  double start = 0.0;     ///< s: of a picture, its time
  double length = 0.0;    ///< s; 0: to the end
  double azimuth = 24.0;  ///< degrees to the right of the view along +y
  double elevation = 18.0;
  double zoom = 1.0;
  std::string follow;  ///< body that the camera goes along with
};

/// `grashof render`. Returns the exit code. Throws InputError for bad input, and without chromium (and
/// ffmpeg, for films).
int renderRun(const RenderArguments& arguments);

}  // namespace grashof
