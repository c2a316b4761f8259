// Which links touch each other, by the rule of each format: where bodies come to rest on others.
#include <functional>
#include <set>

#include <fmt/format.h>

#include "contacts/collision_world.h"
#include "tests/tools/mjcf_support.h"
#include "tests/tools/who_touches.h"
#include "tools/convert/formats.h"

using namespace grashof;
using namespace grashof::convert;
using test::Converted, test::fromMjcfText, test::fromRobot, test::never, test::pitchAfter, test::restAngle;

namespace {

std::string urdfLink(const std::string& name, const std::string& size, const std::string& at = "0 0 0") {
  return "<link name='" + name + "'><inertial><origin xyz='" + at +
         "'/><mass value='1'/><inertia ixx='0.01' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"
         "<collision name='" +
         name + "'><origin xyz='" + at + "'/><geometry><box size='" + size +
         "'/></geometry></collision></link>";
}

std::string urdfJoint(const std::string& type, const std::string& parent, const std::string& child,
                      const std::string& at = "0 0 0") {
  return "<joint name='" + child + "_j' type='" + type + "'><origin xyz='" + at + "'/><parent link='" +
         parent + "'/><child link='" + child +
         "'/><axis xyz='0 1 0'/><dynamics damping='0.3' friction='0'/></joint>";
}

/// A table whose top is 0.2 below the hinge of an arm of 0.5 by 0.04, on a base; all fixed to `root`.
std::string urdfCell(const std::string& root) {
  return "<link name='" + root + "'/>" + urdfLink("table", "0.5 0.4 0.1") +
         urdfLink("base", "0.06 0.06 0.06") + urdfLink("arm", "0.5 0.04 0.04", "0.25 0 0") +
         urdfJoint("fixed", root, "table", "0.45 0 -0.25") + urdfJoint("fixed", root, "base") +
         urdfJoint("continuous", "base", "arm");
}

}  // namespace

TEST_CASE("URDF: an arm rests on the table beside its base, whatever the root is called") {
  const double expected = restAngle(0.5, 0.02, 0.2);
  for (const char* root : {"world", "cell"}) {
    CAPTURE(root);
    const Converted made = fromRobot(urdfCell(root));
    CHECK(never(made.model()) == "arm-base ");
    CHECK(pitchAfter(made.model(), "arm", 4.0) == doctest::Approx(expected).epsilon(2e-3));
  }
}

TEST_CASE("URDF: what is welded to a neighbour is a neighbour, what is farther along the chain is not") {
  const std::string links = urdfLink("base", "0.1 0.1 0.1") + urdfLink("mast", "0.1 0.1 0.1") +
                            urdfLink("a", "0.1 0.1 0.1") + urdfLink("tool", "0.1 0.1 0.1") +
                            urdfLink("b", "0.1 0.1 0.1");
  const std::string joints =
      urdfJoint("fixed", "base", "mast", "0 5 0") + urdfJoint("continuous", "base", "a", "1 0 0") +
      urdfJoint("fixed", "a", "tool", "0 9 0") + urdfJoint("continuous", "tool", "b", "1 0 0");
  CHECK(never(fromRobot(links + joints).model()) == "a-b a-base a-mast b-tool base-tool mast-tool ");
}

TEST_CASE("URDF: loops join neighbours; the link world is none") {
  const std::string inner =
      "<link name='world'><collision name='floor'><origin xyz='0 0 -3'/><geometry><box size='9 9 1'/>"
      "</geometry></collision></link>" +
      urdfLink("a", "0.1 0.1 0.1") + urdfLink("b", "0.1 0.1 0.1") + urdfLink("c", "0.1 0.1 0.1") +
      urdfJoint("continuous", "world", "a") + urdfJoint("continuous", "a", "b", "1 0 0") +
      urdfJoint("continuous", "world", "c", "0 0 1") +
      "<loop name='l' type='revolute'><predecessor link='b'><origin xyz='0 0 1'/></predecessor><successor "
      "link='c'><origin xyz='1 0 0'/></successor><axis xyz='0 1 0'/></loop>";
  CHECK(never(fromRobot(inner).model()) == "a-b b-c ");
}

TEST_CASE("self-contact none keeps a robot from itself and its base, not from the table beside it") {
  BuildOptions options;
  options.selfContact = SelfContact::None;
  const std::string more =
      urdfLink("hand", "0.04 0.04 0.04") + urdfJoint("continuous", "arm", "hand", "0.6 0 0");
  CHECK(never(fromRobot(urdfCell("world") + more, options).model()) == "arm-base arm-hand base-hand ");
}

TEST_CASE("MJCF: an arm rests on a pedestal that is a body without joints, with and without other geoms") {
  const std::string arm =
      "<body name='pedestal'><geom type='box' size='.35 .1 .05' pos='.3 0 -.35'/>"
      "<body name='arm'><joint type='hinge' axis='0 1 0' damping='.3'/>"
      "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='1'/></body></body>";
  const double expected = std::asin((0.3 - 0.03) / 0.5);
  for (const char* more : {"", "<geom type='plane' size='1 1 1' pos='0 0 -2'/>"}) {
    const Converted made = fromMjcfText("<worldbody>" + (more + arm) + "</worldbody>");
    CHECK(never(made.model()).empty());
    CHECK(pitchAfter(made.model(), "arm", 4.0) == doctest::Approx(expected).epsilon(0.01));
  }
}

TEST_CASE("MJCF: a lever rests on the shelf that connect joins it to") {
  const Converted made = fromMjcfText(
      "<option timestep='0.001'/><worldbody><body name='shelf'><freejoint/><geom type='box' size='.6 .1 .03' "
      "mass='3'/></body><body name='lever' pos='0 0 .18'><freejoint/><geom type='box' pos='.25 0 0' "
      "size='.25 .03 .02' mass='.5'/><geom type='box' pos='.45 0 -.08' size='.03 .03 .05' mass='.1'/></body>"
      "</worldbody><equality><weld body1='shelf'/><connect body1='lever' body2='shelf' anchor='0 0 0'/>"
      "</equality>");
  CHECK(never(made.model()).empty());
  // The outer lower edge of the foot, 0.48 out and 0.13 below the lever's line, is on the shelf's top.
  CHECK(pitchAfter(made.model(), "lever", 3.0) == doctest::Approx(restAngle(0.48, 0.13, 0.15)).epsilon(0.15));
}

TEST_CASE("MJCF: exclude is of the geoms of the bodies that it names, moving or still") {
  const Converted made = fromMjcfText(
      "<worldbody><geom name='w' size='.1'/><body name='still'><geom name='s' size='.1'/><body name='inner'>"
      "<geom name='i' size='.1'/></body></body><body name='m'><freejoint/><geom name='m' size='.1'/>"
      "<body name='pad' pos='1 0 0'><geom name='p' size='.1'/></body></body><body name='n'><freejoint/><geom "
      "name='n' size='.1'/></body></worldbody><contact><exclude body1='still' body2='m'/><exclude "
      "body1='world' "
      "body2='n'/><exclude body1='pad' body2='n'/></contact>");
  CHECK(never(made.model()) == "m-s n-p n-w ");
}

#ifdef GRASHOF_MUJOCO

namespace {

/// A random tree of bodies with and without joints, all geoms in each other, with exclusions and equalities.
std::string randomBodies(test::Random& random, int count) {
  const auto pick = [&](int n) { return static_cast<int>(random.uniform(0.0, n - 1e-9)); };
  std::vector<int> parent(static_cast<std::size_t>(count));
  for (int b = 0; b < count; ++b) parent[static_cast<std::size_t>(b)] = pick(b + 1) - 1;
  const std::function<std::string(int)> body = [&](int b) {
    std::string text;
    for (int c = 0; c < count; ++c) {
      if (parent[static_cast<std::size_t>(c)] != b) continue;
      const int kind = pick(5);
      const char* joint = kind == 0            ? ""
                          : kind == 1 && b < 0 ? "<freejoint/>"
                          : kind == 2          ? "<joint axis='1 0 0'/><joint axis='0 1 0'/>"
                                               : "<joint axis='0 1 0'/>";
      text += fmt::format("<body name='b{0}'>{1}<geom name='g{0}' size='{2}' pos='{3} {4} 0'/>{5}</body>", c,
                          joint, 1.0 + 0.1 * c, 0.01 * c, 0.02 * pick(5), body(c));
    }
    return text;
  };
  const std::string bodies = body(-1);
  std::string excluded, joined;
  for (int i = 0; i < 3; ++i) {
    const int a = pick(count), b = pick(count);
    if (a == b) continue;
    excluded += fmt::format("<exclude body1='b{}' body2='b{}'/>", a, b);
    joined += fmt::format("<connect body1='b{}' body2='b{}' anchor='0 0 0'/>", pick(count), a);
  }
  const char* flag = pick(4) == 0 ? "<option><flag filterparent='disable'/></option>" : "";
  return fmt::format(
      "{}<size nconmax='2000' njmax='9000'/><worldbody><geom name='ground' size='0.9'/>{}</worldbody>"
      "<contact>{}</contact><equality>{}</equality>",
      flag, bodies, excluded, random.uniform(0.0, 1.0) < 0.5 ? joined : "");
}

}  // namespace

TEST_CASE("MJCF: exactly those geoms touch that touch in MuJoCo") {
  int pairs = 0;
  test::forAll(52, 40, [&](test::Random& random, int) {
    const std::string text = "<mujoco>" + randomBodies(random, 9) + "</mujoco>";
    CAPTURE(text);
    const test::ScratchFolder folder;
    const std::string path = folder.write("m.xml", text);
    test::Mujoco mujoco(path);
    if (mujoco.model->nv == 0) return;
    mj_forward(mujoco.model, mujoco.data);
    std::set<std::pair<std::string, std::string>> theirs, ours;
    for (int c = 0; c < mujoco.data->ncon; ++c) {
      const auto name = [&](int geom) { return std::string(mj_id2name(mujoco.model, mjOBJ_GEOM, geom)); };
      const auto [a, b] =
          std::minmax(name(mujoco.data->contact[c].geom1), name(mujoco.data->contact[c].geom2));
      theirs.insert({a, b});
    }
    const Converted made = test::fromMjcfFile(path);
    std::vector<Contact> contacts;
    CollisionWorld(made.model().shapes, made.model().exclusions)
        .detect(made.model().initialState().poses, 0.0, contacts);
    for (const Contact& c : contacts) {
      const auto name = [&](int shape) { return made.model().shapes[static_cast<std::size_t>(shape)].name; };
      const std::string a = name(c.shapeA), b = name(c.shapeB);
      ours.insert({std::min(a, b), std::max(a, b)});
    }
    CHECK(ours == theirs);
    pairs += static_cast<int>(theirs.size());
  });
  CHECK(pairs > 500);
}

TEST_CASE("a written MJCF lets touch what the scenario does, by link, too") {
  const Scenario s = test::scenarioOf(
      "<contacts neighbours='true'><exclude a='a' b='world' link-b='post'/><exclude a='c' b='a'/>"
      "<exclude a='c' link-a='tip' b='b'/></contacts><shape name='g' type='sphere' radius='0.9'/>"
      "<shape name='post' type='sphere' radius='1' link='post'/>"
      "<body name='a'><shape name='a' type='sphere' radius='1.1'/></body>"
      "<body name='b'><shape name='b' type='sphere' radius='1.2'/></body>"
      "<body name='c'><shape name='c' type='sphere' radius='1.3'/><shape name='tip' type='sphere' "
      "radius='1.4' "
      "link='tip'/></body><joint name='i' type='revolute' follower='a' axis='0 1 0'/>"
      "<joint name='j' type='revolute' base='a' follower='b' axis='0 1 0'/>");
  const test::ScratchFolder folder;
  Report report;
  writeMjcf(s, folder.path("w.xml"), report);
  test::Mujoco mujoco(folder.path("w.xml"));
  CHECK(mj_getTotalmass(mujoco.model) ==
        doctest::Approx(s.model->bodies[0].mass + s.model->bodies[1].mass + s.model->bodies[2].mass));
  mj_forward(mujoco.model, mujoco.data);
  std::set<std::string> touching;
  for (int c = 0; c < mujoco.data->ncon; ++c) {
    const std::string a = mj_id2name(mujoco.model, mjOBJ_GEOM, mujoco.data->contact[c].geom1),
                      b = mj_id2name(mujoco.model, mjOBJ_GEOM, mujoco.data->contact[c].geom2);
    touching.insert(std::min(a, b) + "-" + std::max(a, b));
  }
  CHECK(touching ==
        std::set<std::string>{"a-b", "a-g", "b-c", "b-g", "b-post", "c-g", "c-post", "g-tip", "post-tip"});
}

#endif
