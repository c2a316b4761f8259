#pragma once
/// All that a user of the library includes: #include <grashof/grashof.h>

#include "engine/analysis/assembly.h"
#include "engine/analysis/inverse_dynamics.h"
#include "engine/analysis/loads.h"
#include "engine/analysis/mobility.h"
#include "engine/analysis/range_of_motion.h"
#include "engine/analysis/reactions.h"
#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/dynamics/channels.h"
#include "engine/results/problem_file.h"
#include "engine/run.h"
#include "engine/scenario/scenario.h"
#include "engine/scenario/writer.h"
#include "engine/world.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"
