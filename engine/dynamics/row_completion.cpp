#include "engine/dynamics/row_completion.h"
