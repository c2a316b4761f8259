#pragma once
/// A running simulation in the browser.

#include "tools/grashof/commands/view.h"

namespace grashof {

struct ServeArguments {
  bool wanted = false;
  int port = 8080;  ///< 0: any that is free
};

/// `grashof view --serve`: runs a scenario no faster than real time and serves its page, with the frames so
/// far, on the loopback interface until the program is ended. Throws InputError for bad input and for a port
/// that is taken.
int serveRun(const ViewArguments& arguments, const ServeArguments& serve);

}  // namespace grashof
