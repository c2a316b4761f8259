#pragma once
/// Everything that a user of the library needs in one header.
///
///   const grashof::Scenario scenario = grashof::readScenario("slider-crank.xml");
///   grashof::World world(scenario.model);
///   while (world.time() < 1.0) world.step();

#include "engine/analysis/assembly.h"
#include "engine/analysis/inverse_dynamics.h"
#include "engine/analysis/loads.h"
#include "engine/analysis/mobility.h"
#include "engine/analysis/range_of_motion.h"
#include "engine/analysis/reactions.h"
#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/model/model.h"
#include "engine/run.h"
#include "engine/scenario/scenario.h"
#include "engine/world.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"
