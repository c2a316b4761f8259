// Attributes of the root, of what makes copies, and of how a scenario is run.
#include "engine/scenario/words.h"

namespace grashof::xml {
namespace {

constexpr Attribute kScenario[] = {
    {"name", "text", "", "the file's name", "name in reports"},
    {"units", "text", "", "`m rad kg`",
     "at most one each of `m` `cm` `mm` `um` `in`, `rad` `deg`, `kg` `g` `lb`, as in `mm deg kg`: of the "
     "numbers in this file, see [below](#units)"},
};
constexpr Attribute kParameter[] = {
    {"name", "identifier", "", "required", "letters, digits and `_`, no function"},
    {"value", "number", "SI: `unit`", "required", ""},
    {"unit", "text", "", "a plain number",
     "products and quotients of `m` `cm` `mm` `um` `in`, `rad` `deg`, `kg` `g` `lb`, `s` `ms`, `N` `kN`, "
     "`Hz`, `W`, `V`, `A`, `ohm`, as in `N/mm` or `kg mm^2`. In expressions the parameter then has its value "
     "in the units of the file: 120 mm are 0.12 in one of metres"},
    {"tolerance", "text", "`unit`", "none",
     "`±0.05` (or `0.05`), `+0.1 -0.05`, `2%`: how far a real part may be off; a run takes the value itself, "
     "`grashof sweep` draws from it"},
    {"spread", kWords<Spread>, "", "`normal`",
     "how parts lie within it: `normal` (a third of it is the standard deviation, and none is beyond), "
     "`uniform`, `triangular`"},
};
constexpr Attribute kTolerance[] = {
    {"of", "text", "", "required",
     "path of an attribute as of `--set`, such as `joint[B].position` or `coupling[gear].backlash`. Each "
     "number of it has an error of its own, called `joint[B].position.x`, … `.z`; a direction (`axis`) is "
     "tilted about two axes at right angles to it, `.u` and `.v`"},
    {"value", "text", "as of the attribute", "required",
     "as `tolerance` of a parameter; of a direction an angle; with `%` a share of the number"},
    {"spread", kWords<Spread>, "", "`normal`", "as of a parameter"},
    {"deviation", "numbers", "", "0",
     "the errors of this copy, as measured; `--set param.joint[B].position.x=2e-5` sets one of them"},
};
constexpr Attribute kTemplate[] = {
    {"name", "text", "", "required", ""},
};
constexpr Attribute kUse[] = {
    {"template", "text", "", "required", ""},
    {"prefix", "text", "", "none", "put before all names of the copy, also before those that it refers to"},
    {"position quaternion rpy", "", "", "identity", "where its world lies"},
};
constexpr Attribute kReplicate[] = {
    {"count", "whole 0 250000", "", "required", ""},
    {"index", "text", "", "`i`", "name of the number of the copy, from 0, in its expressions"},
    {"prefix", "text", "", "none",
     "as of `<use>`, such as `leg{i}.`; without it names must differ by themselves (`name=\"leg{i}\"`), and "
     "other elements can be referred to"},
    {"position quaternion rpy", "", "", "identity",
     "where the world of a copy lies; expressions of `index`: `rpy=\"0 0 i*2*pi/6\"` is a pattern around z"},
};
constexpr Attribute kInclude[] = {
    {"file", "text", "", "required", ""},
    {"prefix", "text", "", "none",
     "put before all its names, so that one file can be included several times"},
    {"position quaternion rpy", "", "", "identity", "where its world lies"},
};
constexpr Attribute kOptions[] = {
    {"timestep", "positive", "s", "0.001", "step, up to 1"},
    {"duration", "positive checked", "s", "1", "simulated time"},
    {"integrator", kWords<Integrator>, "", "`auto`",
     "`auto` ([error control](docs/theory.md#smooth-motion), order 5 and stiff methods, with limits as "
     "events, where the motion is smooth, `moreau` elsewhere and where a solver is named), `moreau` "
     "(midpoint, second order, keeps energy) or `euler` (semi-implicit, first order)"},
    {"tolerance", "positive", "", "1e-8",
     "of `auto`: largest error of one of its own steps, over the size of the mechanism, and in rad"},
    {"gravity", "vector", "m/s^2", "`0 0 -9.81`", "acceleration, world axes"},
    {"projection", "truth", "", "`true`", "bring poses back onto the joints after every step"},
    {"projection-tolerance", "positive", "SI: m, rad", "1e-11",
     "largest joint residual that the projection leaves"},
    {"restitution-threshold", "notNegative", "m/s", "0.01", "slower approaches do not bounce"},
    {"contact-margin", "notNegative", "m", "0.005", "contacts closer than this get rows before they touch"},
    {"geometric-stiffness", "truth", "", "`false`",
     "the sideways stiffness of taut links taken implicitly: chains of light links under heavy loads stay "
     "stable at steps that blow up without; swings faster than the step are slowed, and damped"},
    {"limit-margin", "notNegative", "SI: m, rad", "0.02",
     "limits closer than this get rows before they are reached"},
    {"divergence-speed", "positive", "SI: m/s, rad/s", "1e5", "a faster body stops the run (exit code 3)"},
    {"divergence-residual", "positive", "SI: m, rad", "0.01", "a joint torn further apart stops the run"},
    {"divergence-energy", "positive", "", "1",
     "energy from nowhere, as a multiple of the energy moved so far (what begins deep in a soft contact, "
     "limit or joint included), that stops the run"},
};
constexpr Attribute kSolver[] = {
    {"name", "text", "", "`auto`",
     "solver; `grashof run --help` and README list them. One that is named makes all steps, see "
     "`integrator`"},
    {"tolerance", "positive", "SI: see `tolerance-kind`", "1e-8", "largest residual of a solved step"},
    {"tolerance-kind", kWords<ToleranceKind>, "", "`relative`",
     "`relative`: the tolerance is a share of the speeds and impulses of the step; `absolute`: m/s (rad/s) "
     "and N·s (N·m·s)"},
    {"max-iterations", "whole", "", "2000",
     "limit per method and solve (Newton makes at most 300, the interior point 100); a step that reaches it "
     "goes on with the best it has, and is counted"},
    {"proximal", "positive", "", "1e-6", "ADMM: regularization of contact and limit rows, scaled"},
    {"joint-proximal", "positive", "", "1e-11",
     "auto, ADMM, NEWTON-NCP, IPM-NCP, IPM-CCP: first regularization of joint rows, scaled; adapted and "
     "refined away"},
    {"penalty", "positive", "", "1", "ADMM-CCP, ADMM-NCP-FP: ρ; ADMM-NCP-LA: its first ρ"},
    {"penalty-factor", "positive", "", "1.5", "ADMM-NCP-LA: ρ is multiplied or divided by it, > 1"},
    {"penalty-exponent", "number", "", "0.2",
     "ADMM, ADMM-NCP-SA, ADMM-CCP-SA: p₀ of the penalty ρ = √(mL) κ^p, -0.5 … 1"},
    {"penalty-step", "share", "", "0.05",
     "ADMM, ADMM-NCP-SA, ADMM-CCP-SA: step of p, 0 … 1; 0 holds the penalty fixed"},
    {"penalty-threshold", "positive", "", "10",
     "ADMM, ADMM-NCP-LA, -SA, ADMM-CCP-SA: ratio of residuals beyond which the penalty moves, > 1"},
    {"acceleration", kWords<Acceleration>, "", "`default`",
     "ADMM family: `none`, `nesterov`, `anderson`, or `default` (`anderson` for `ADMM`, `nesterov` for the "
     "stages of `STAGGERED`, `none` for the "
     "others)"},
    {"relaxation", "positive", "", "1",
     "Gauss-Seidel family: ω of the first sweep; ADMM-NCP-SA, -LA, -FP, ADMM-CCP, -CCP-SA: over-relaxation "
     "ω; 0 … 2"},
    {"relaxation-decay", "share", "", "0.99",
     "Gauss-Seidel family: ω ← d ω + (1-d) ω_min after each sweep, 0 … 1"},
    {"relaxation-min", "positive", "", "0.7", "Gauss-Seidel family: ω_min, 0 … 2"},
    {"de-saxce", "truth", "", "`false`", "PGS-CCP: with De Saxcé's term, which makes it solve the NCP"},
    {"facets", "facets", "", "4",
     "LCP-PGS, LCP-LEMKE, LCP-STAGGERED: sides of the friction pyramid around the cone, an even number, 4 … "
     "256; the middle of the first is the contact's first tangent"},
    {"stiction-regularization", "positive", "", "0.001",
     "SAP: σ, friction that sticks yields by σ times the mobility; above 0, up to 1"},
    {"impact-regularization", "truth", "", "`true`",
     "LAGGED, SIMILAR: what sticks in hard impacts yields so, too, where that is more than `stiction-speed`"},
    {"near-rigid", "positive", "", "1",
     "SAP, LAGGED, SIMILAR: β, the period of contacts that are rigid, or stiffer than SAP allows, over the "
     "time step"},
    {"warm-start", "truth", "", "`true`", "start from the impulses of the last step"},
};
constexpr Attribute kStabilization[] = {
    {"alpha", "share", "", "0", "share of a joint's residual corrected per step, 0 … 1"},
    {"decay-rate", "notNegative", "SI: 1/s", "0",
     "instead, without projection: rate α at which joints return, critically damped, ḧ = -2αḣ - α²h"},
    {"beta", "share", "", "0.2", "share of a limit's violation corrected per step, 0 … 1"},
    {"gamma", "share", "", "0.2", "share of a penetration corrected per step, 0 … 1"},
    {"margin", "number", "m", "0",
     "gap at which contacts act: below 0 before they touch, within `contact-margin`; above 0 when they "
     "overlap by so much"},
    {"max-recovery-speed", "notNegative", "SI: m/s, rad/s", "0.1",
     "fastest recovery of a deep penetration or crossed limit by displacements; 0: none"},
};
constexpr Attribute kPerturb[] = {
    {"velocity", "notNegative checked", "m/s", "0", "largest change of each component"},
    {"angular-velocity", "notNegative checked", "rad/s", "0", "largest change of each component"},
    {"seed", "whole 0 2147483647", "", "1", "`--seed` overrides it"},
};
constexpr Attribute kOutput[] = {
    {"trajectory", "truth", "", "`true`", "write `trajectory.h5`"},
    {"csv", "truth", "", "`false`", "write `trajectory.csv`"},
    {"contacts", "truth", "", "`false`",
     "in `trajectory.h5` every contact of each record, open ones too, with normal, gap, slip, impulse and "
     "mode; also `run --contacts`"},
    {"interval", "notNegative checked", "s", "0.01", "time between records; 0: every step"},
};
constexpr Attribute kChannel[] = {
    {"name", "text", "", "required", "a channel (below) as a further column of the CSV file"},
};
constexpr Attribute kCheck[] = {
    {"channel", "text", "", "required", "quantity to check (below)"},
    {"at", "moment", "", "`always`", "`always`, `end`, or a time in s"},
    {"min max", "number", "", "none", "bounds, in the channel's unit"},
    {"value", "number", "", "", "instead: value ± tolerance"},
    {"tolerance", "notNegative checked", "", "", "instead: value ± tolerance"},
};
constexpr Attribute kContacts[] = {
    {"neighbours", kWords<Neighbours>, "", "`world`",
     "which bodies that a joint joins touch each other. `world`: a body joined to the world touches the "
     "world's shapes, two bodies joined to each other never touch; `true`: all touch; `false`: none, nor a "
     "body joined to the world the world's shapes"},
};
constexpr Attribute kExclude[] = {
    {"a b", "text", "", "required", "bodies, or `world`"},
    {"link-a link-b", "text", "", "all its shapes",
     "only the shapes of the body, or of the world, with this `link`"},
};
constexpr Attribute kPin[] = {
    {"body", "text", "", "required", "stays where it is"},
};
constexpr Attribute kInput[] = {
    {"joint", "text", "", "required", ""},
    {"coordinate", "whole", "", "0", "from 0"},
    {"value", "number", "m, rad", "required", ""},
};

}  // namespace

void addSettings(std::vector<ElementType>& all) {
  all.insert(all.end(),
             {{"scenario",
               {kScenario},
               "@parts tolerance options solver stabilization perturb output expect contacts assemble"},
              {"parameter", {kParameter}},
              {"tolerance", {kTolerance}},
              {"template", {kTemplate}, "@parts"},
              {"use", {kUse}, "@arguments"},
              {"replicate", {kReplicate}, "@parts"},
              {"include", {kInclude}, "@arguments"},
              {"options", {kOptions}},
              {"solver", {kSolver}},
              {"stabilization", {kStabilization}},
              {"perturb", {kPerturb}},
              {"output", {kOutput}, "channel"},
              {"channel", {kChannel}},
              {"expect", {}, "check divergence"},
              {"check", {kCheck}},
              {"divergence", {}},
              {"contacts", {kContacts}, "exclude"},
              {"exclude", {kExclude}},
              {"assemble", {}, "pin input"},
              {"pin", {kPin}},
              {"input", {kInput}}});
}

}  // namespace grashof::xml
