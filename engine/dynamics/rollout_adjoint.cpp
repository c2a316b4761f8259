#include "engine/dynamics/rollout_adjoint.h"
