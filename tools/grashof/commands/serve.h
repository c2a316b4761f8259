#pragma once
/// A running simulation in the browser.

#include "tools/grashof/commands/view.h"

namespace grashof {

struct ServeArguments {
  bool watch = false;      ///< start again when the file changes
  int port = 8080;         ///< 0: any that is free
  std::string controller;  ///< see ControllerPlugin; empty: none
};

/// `grashof view --serve`: runs a scenario no faster than real time and serves its page, where it can be
/// steered, on the loopback interface until a signal ends the program. Commands need the token in the address
/// that is printed. Throws InputError for bad input and for a port that is taken.
int serveRun(const ViewArguments& arguments, const ServeArguments& serve);

}  // namespace grashof
