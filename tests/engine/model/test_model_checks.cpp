#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("values just outside their range are refused by name, values just inside are not") {
  const auto message = [](const std::string& inner) -> std::string {
    try {
      test::scenarioOf(R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>)" +
                       inner);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  const auto joint = [](const std::string& inside) {
    return R"(<joint name="j" type="revolute" follower="a" position="0 0 0">)" + inside + "</joint>";
  };
  struct Pair {
    std::string good, bad, says;
  };
  const Pair pairs[] = {
      {"<options timestep='1'/>", "<options timestep='1.01'/>", "timestep"},
      {"<options divergence-energy='1e-9'/>", "<options divergence-energy='0'/>", "divergence-energy"},
      {"<solver tolerance='1e-14'/>", "<solver tolerance='1e-15'/>", "tolerance"},
      {"<solver max-iterations='1'/>", "<solver max-iterations='0'/>", "max-iterations"},
      {"<solver facets='4'/>", "<solver facets='2'/>", "an even number from 4 to 256"},
      {"<solver facets='256'/>", "<solver facets='258'/>", "facets"},
      {"<solver facets='6'/>", "<solver facets='7'/>", "facets"},
      {"<solver relaxation='2'/>", "<solver relaxation='2.01'/>", "relaxation"},
      {"<solver penalty-factor='1.01'/>", "<solver penalty-factor='1'/>", "penalty-factor"},
      {"<stabilization gamma='1'/>", "<stabilization gamma='1.01'/>", "gamma"},
      {"<options projection='false'/><stabilization decay-rate='0'/>",
       "<options projection='false'/><stabilization decay-rate='-1'/>", "decay-rate"},
      {"<options projection='false'/><stabilization decay-rate='9'/>", "<stabilization decay-rate='9'/>",
       "add projection=\"false\" to options"},
      {"<options projection='false'/><stabilization alpha='0.1'/>",
       "<options projection='false'/><stabilization alpha='0.1' decay-rate='9'/>", "keep one"},
      {"<material name='m' erp='1' cfm='0'/>", "<material name='m' erp='1.01'/>", "erp"},
      {"<material name='m' cfm='1e-3'/>", "<material name='m' cfm='-1e-3'/>", "cfm"},
      {"<material name='m' erp='0.3'/>", "<material name='m' erp='0.3' compliance='1e-6'/>",
       "erp and cfm exclude compliance"},
      {"<material name='m' cfm='1e-3'/>", "<material name='m' cfm='1e-3' stiffness='1e5'/>", "erp and cfm"},
      {joint("<limit lower='0.5' upper='0.5'/>"), joint("<limit lower='0.6' upper='0.5'/>"), "swap them"},
      {joint("<dynamics damping='0'/>"), joint("<dynamics damping='-1e-9'/>"), "damping"},
      {joint("<dynamics armature='0'/>"), joint("<dynamics armature='-1e-9'/>"), "armature"},
      {"<shape name='g' type='box' size='1 1 1e-3'/>", "<shape name='g' type='box' size='1 1 0'/>",
       "three lengths"},
      {"<shape name='g' type='sphere' radius='1e-3'/>", "<shape name='g' type='sphere' radius='0'/>",
       "radius"},
      {"<material name='m' impedance='0.9 0.95 0.001 0.5 1'/>",
       "<material name='m' impedance='0.9 1 0.001 0.5 1'/>", "impedance must be"},
      {"<material name='m' impedance='0.9 0.95 0.001 0.5 2' reference='0.02 1'/>",
       "<material name='m' impedance='0.9 0.95 0.001 0.5 2' reference='0 1'/>", "time constant > 0"},
  };
  for (const Pair& p : pairs) {
    CAPTURE(p.bad);
    CHECK(message(p.good) == "");
    CHECK(message(p.bad).find(p.says) != std::string::npos);
  }
}

TEST_CASE("all defects are reported at once") {
  try {
    test::scenarioOf("<options timestep='-1' divergence-speed='-1'/><solver tolerance='2'/>");
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.diagnostics().size() == 3);
  }
}
