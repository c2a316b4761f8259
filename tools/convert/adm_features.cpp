#include "tools/convert/adm_features.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace grashof::convert {
namespace {

constexpr Treatment kAdmTaken = Treatment::Taken, kAdmNoEffect = Treatment::NoEffect,
                    kAdmLeftOut = Treatment::LeftOut;

constexpr auto kAdmFeatures = std::to_array<Feature>({
    {"UNITS", kAdmTaken, "FORCE MASS LENGTH TIME SYSTEM",
     "the scenario is in SI; without it the numbers are"},
    {"UNITS", kAdmNoEffect, "UCF", "forces have a unit of their own"},
    // Parts
    {"PART", kAdmTaken, "GROUND MASS CM IM IP QG REULER XG ZG VX VY VZ WX WY WZ VM WM",
     "products of inertia are positive integrals; without a mass or inertia as of other formats"},
    {"PART", kAdmNoEffect, "EXACT MATERIAL LABEL",
     "the start is brought onto the joints by the least motion"},
    {"POINT_MASS", kAdmTaken, "MASS CM QG REULER XG ZG VX VY VZ", "a ball, which nothing turns"},
    {"POINT_MASS", kAdmNoEffect, "EXACT LABEL", ""},
    {"MARKER", kAdmTaken, "PART POINT_MASS QP REULER XP ZP USEXP FLOATING",
     "floating: of what reacts to a force on another part"},
    {"MARKER", kAdmLeftOut, "FLEX_BODY FE_PART NODE_ID NODE_LABEL CURVE SURFACE VELOCITY RM",
     "of what bends, or moves on a curve"},
    {"MARKER", kAdmNoEffect, "LABEL", ""},
    // Constraints
    {"JOINT", kAdmTaken,
     "REVOLUTE TRANSLATIONAL CYLINDRICAL SPHERICAL UNIVERSAL HOOKE FIXED PLANAR SCREW RACKPIN CONVEL I J "
     "PITCH "
     "PD IC ICTRAN ICROT",
     "constant velocity: a spherical joint whose turn about the shaft a motion holds"},
    {"JOINT", kAdmLeftOut, "FRICTION DELTA_V INNER_RADIUS MAXIT MU_DYNAMIC MU_STATIC OUTER_RADIUS",
     "dry friction"},
    {"JOINT", kAdmNoEffect, "LABEL", ""},
    {"JPRIM", kAdmTaken, "ATPOINT INLINE INPLANE ORIENTATION PARALLEL_AXES I J",
     "parallel axes: motions hold two rotations"},
    {"JPRIM", kAdmLeftOut, "PERPENDICULAR", "no such joint"},
    {"JPRIM", kAdmNoEffect, "LABEL", ""},
    {"GCON", kAdmTaken, "FUNCTION I", "DM(i,j) - length: a distance joint; others are left out"},
    {"COUPLER", kAdmTaken, "JOINTS SCALES TYPE", "from the values of the start"},
    {"COUPLER", kAdmLeftOut, "FUNCTION ROUTINE", "subroutines are not run"},
    {"GEAR", kAdmTaken, "JOINTS CV", "the ratio of the start"},
    {"GEAR COUPLER GCON MOTION", kAdmNoEffect, "LABEL", ""},
    {"MOTION", kAdmTaken,
     "JOINT I J X Y Z ROTATIONAL TRANSLATIONAL DISPLACEMENT VELOCITY ACCELERATION FUNCTION ICDISP ICVEL",
     "functions of time"},
    {"MOTION", kAdmLeftOut, "B1 B2 B3 ROUTINE", "no such joint; subroutines are not run"},
    // Forces
    {"ACCGRAV", kAdmTaken, "IGRAV JGRAV KGRAV", "without it there is no gravity"},
    {"SPRINGDAMPER", kAdmTaken, "TRANSLATIONAL ROTATIONAL I J K C LENGTH FORCE KT CT ANGLE TORQUE", ""},
    {"SFORCE", kAdmTaken, "TRANSLATIONAL ROTATIONAL I J ACTIONONLY FUNCTION",
     "of a distance or angle, linear in its rate, or of time"},
    {"GFORCE VFORCE VTORQUE", kAdmTaken, "I JFLOAT RM FX FY FZ TX TY TZ",
     "functions of time that react on the ground"},
    {"SFORCE GFORCE VFORCE VTORQUE", kAdmLeftOut, "ROUTINE ERROR", "subroutines are not run"},
    {"GFORCE VFORCE VTORQUE", kAdmLeftOut, "FUNCTION FXYZ TXYZ", "subroutines are not run"},
    {"SPRINGDAMPER SFORCE GFORCE VFORCE VTORQUE BUSHING", kAdmNoEffect, "LABEL", ""},
    {"BUSHING", kAdmTaken, "I J K C KT CT FORCE TORQUE", "rotations are a rotation vector"},
    {"VARIABLE", kAdmTaken, "FUNCTION IC", "where functions ask for VARVAL"},
    {"VARIABLE", kAdmLeftOut, "AUTO ROUTINE", "subroutines are not run"},
    {"VARIABLE", kAdmNoEffect, "LABEL", ""},
    // Of other kinds
    {"BEAM FIELD NFORCE MFORCE CONTACT FRICTION MODAL_FORCE TIRE", kAdmLeftOut, "",
     "this force does not act"},
    {"PTCV CVCV PTSF SFSF UCON TIMER_CONSTRAINT", kAdmLeftOut, "", "this constraint does not hold"},
    {"FLEX_BODY FE_PART EXTERNAL_SYSTEM FE_LOAD FE_NODE", kAdmLeftOut, "", "bodies are rigid"},
    {"DIFF LSE GSE TFSISO PINPUT POUTPUT PSTATE SENSOR PLANT_INPUT PLANT_OUTPUT PLANT_STATE", kAdmLeftOut, "",
     "controllers are not read"},
    {"SPLINE ARRAY MATRIX STRING CURVE SURFACE SECTION", kAdmLeftOut, "", "data for what is left out"},
    {"GRAPHICS REQUEST MREQUEST RESULTS OUTPUT MATERIAL LIST FEMDATA VIEWPORT", kAdmNoEffect, "", ""},
    {"INTEGRATOR EQUILIBRIUM IC KINEMATICS LSOLVER DEBUG PREFERENCES SIMULATE CONTROL STOP SAVE RELOAD "
     "DYNAMICS NOISE END",
     kAdmNoEffect, "", "the integrator is `auto`"},
});

std::vector<std::string> admWords(const char* list) {
  std::istringstream words(list);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

}  // namespace

std::span<const Feature> admFeatures() { return kAdmFeatures; }

std::vector<std::string> admStatements() {
  std::vector<std::string> all;
  for (const Feature& f : kAdmFeatures)
    for (const std::string& word : admWords(f.elements))
      if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
  return all;
}

std::vector<std::string> admArguments(const std::string& statement) {
  std::vector<std::string> all;
  for (const Feature& f : kAdmFeatures) {
    const std::vector<std::string> elements = admWords(f.elements);
    if (std::find(elements.begin(), elements.end(), statement) == elements.end()) continue;
    const std::vector<std::string> words = admWords(f.attributes);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace grashof::convert
