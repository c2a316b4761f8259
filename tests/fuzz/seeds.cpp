// Writes the first inputs of the fuzz targets that are no text of the repository:
//
//   fuzz_seeds SCENARIO... FOLDER     makes FOLDER/TARGET/FILE
//
// Scenarios are converted to URDF with its loops and to MJCF; three small models are run and leave records,
// problems and checkpoints.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/results/checkpoint.h"
#include "engine/results/problem_file.h"
#include "engine/run.h"
#include "engine/world.h"
#include "tests/fuzz/checkpoint_model.h"
#include "tools/convert/formats.h"

namespace grashof::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSeed = 16 << 10;  // bytes; larger ones make every execution slow

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

/// A scenario and what it is in other formats; not all have all.
void convertScenario(const fs::path& file, const fs::path& to) {
  const std::string name = file.stem().string();
  if (fs::file_size(file) > kLargestSeed) return;
  fs::create_directories(to / "scenario");
  fs::copy_file(file, to / "scenario" / file.filename(), fs::copy_options::overwrite_existing);
  const Scenario scenario = readScenario(file.string());
  for (const std::string format : {"urdf", "mjcf"}) {
    const fs::path folder = to / "converted", path = folder / (name + "." + format);
    fs::create_directories(folder);
    try {
      convert::Report report;
      if (format == "urdf")
        convert::writeUrdf(scenario, path.string(), report);
      else
        convert::writeMjcf(scenario, path.string(), report);
    } catch (const InputError&) {  // a format that cannot express this mechanism
      continue;
    }
    std::string text = contentOf(path);
    const fs::path loops = folder / (name + ".yaml");
    if (format == "urdf" && fs::exists(loops)) text += "\n---\n" + contentOf(loops);
    if (text.size() <= kLargestSeed) write(to / format / name, text);
  }
}

/// A run of some steps: its records, and the problems of its last step.
void runScenario(const std::string& name, const std::string& elements, const fs::path& to) {
  Scenario scenario =
      parseScenario("<scenario name='" + name + "'>" + elements + "</scenario>", name + ".xml");
  scenario.duration = 0.02;
  scenario.output.interval = 0.005;
  const fs::path results = to / "runs" / name;
  grashof::run(scenario, results.string());
  write(to / "trajectory" / name, contentOf(results / "trajectory.h5"));
  World world(scenario.model);
  for (int i = 0; i < 20; ++i) world.step();
  const fs::path problem = to / "problem" / name;
  fs::create_directories(problem.parent_path());
  writeProblem(problem.string(), name, world.problem(), &world.solution());
}

void saveCheckpoint(const fs::path& to) {
  World world(checkpointModel());
  for (int i = 0; i < 50; ++i) world.step();
  Checkpoint checkpoint;
  checkpoint.motion = "0";
  checkpoint.output = "none";
  checkpoint.step = world.state().step;
  checkpoint.time = world.time();
  Archive saving(checkpoint.memory);
  world.archive(saving);
  const fs::path folder = to / "saved";
  writeCheckpoint(folder.string(), checkpoint);
  write(to / "checkpoint" / "hinge",
        contentOf(folder / "checkpoints" / fmt::format("step-{}.h5", checkpoint.step)));
}

void writeDatasets(const fs::path& to) {
  write(to / "adm" / "crank", R"(title
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1, REULER=180D,90D,180D
! adams_view_name='crank'
PART/2, QG=1,0,0, MASS=1, CM=2, IP=1,1,1,0,0,0, WX=1
MARKER/2, PART=2
MARKER/3, PART=2, ZP=0,0,1, XP=1,0,0
, QP=0,0,0
JOINT/1, REVOLUTE, I=2, J=1, IC=0.1
PART/3, MASS=1, CM=4, IP=1,1,1
MARKER/4, PART=3
JOINT/2, CYLINDRICAL, I=4, J=1
COUPLER/1, JOINTS=1,2, TYPE=R:R, SCALES=1,-2
MOTION/1, JOINT=1, VELOCITY, FUNCTION=STEP(TIME,0,0,1,1)+IF(TIME-1: 0, 1, VARVAL(1))
VARIABLE/1, FUNCTION=2*PI
SFORCE/1, ROTATIONAL, I=2, J=1, FUNCTION=-1*RTOD*AZ(2,1)
, -0.1*WZ(2,1,1)
SPRINGDAMPER/1, TRANSLATIONAL, I=3, J=1, K=1, C=1, LENGTH=2
BUSHING/1, I=4, J=1, K=1,1,1, KT=1,1,1
ACCGRAV/KGRAV=-9806.65
END
)");
  write(to / "adm" / "gear", R"(title
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, QP=1,0,0
MARKER/5, PART=1, FLOATING
PART/2, MASS=1, CM=3, IP=1,1,1
MARKER/3, PART=2
PART/3, QG=1,0,0, MASS=1, CM=4, IP=1,1,1
MARKER/4, PART=3
MARKER/6, PART=1, QP=0.5,0,0, REULER=0,90D,0
JOINT/1, REVOLUTE, I=3, J=1
JOINT/2, TRANSLATIONAL, I=4, J=2
JOINT/3, RACKPIN, I=3, J=4, PD=1
JOINT/4, SCREW, I=4, J=3, PITCH=1
GEAR/1, JOINTS=1,2, CV=6
JPRIM/1, INLINE, I=2, J=4
GCON/1, FUNCTION=DM(4,1)-1
GFORCE/1, I=3, JFLOAT=5, RM=1, FX=1\FY=SIN(TIME)\TZ=1
)");
}

void writeTexts(const fs::path& to) {
  writeDatasets(to);
  write(to / "expressions" / "all", "L/2*cos(30)+min(1,2^-1)\n0 (L - 1) -M\nkg mm^2/s\nb{i*2+1}\n");
  write(to / "expressions" / "choice", "L>1&&!0?sqrt(2):hypot(3,4)\n+0.1 -0.2\ndeg\nM~normal(0.4, 0.05)\n");
  write(to / "expressions" / "texts", "uniform(-1, 1)\n±5%\nmm\nM=0:1:5{i}\n");
  write(to / "expressions" / "measure", "load=rms[0.5..2]:joint.a.reaction\n1 2 3\nN/mm\nM=1,2\n");
  write(to / "series" / "numbers", "\n0, 1\n0.5, 2\n1, -1e-3\n");
  write(to / "series" / "named", "b\ntime,a,b\r\n# remark\r\n0,1,2\r\n0.5,2,1\r\n1,3,0\r\n");
  write(to / "mesh" / "obj",
        "ov 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nvn 0 0 1\nf 1 3 2\nf 1/1/1 2/2/1 4/3/1\nf 2 3 4\nf -4 -1 "
        "-2\n");
  write(to / "mesh" / "text-stl",
        "ssolid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\n"
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 "
        "1\nendloop\nendfacet\nendsolid a\n");
  std::string stl(1 + 80, ' ');
  stl[0] = 's';
  stl += std::string("\1\0\0\0", 4);
  for (const float x : {0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f})
    stl.append(reinterpret_cast<const char*>(&x), sizeof x);
  write(to / "mesh" / "stl", stl + std::string(2, '\0'));
  write(to / "sdf" / "model", R"(<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>
<link name="b"><pose relative_to="a">0 0.5 0 0 0 0</pose></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>
<limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>0.1</damping></dynamics></axis></joint>
<joint name="k" type="ball"><parent>world</parent><child>a</child></joint></model></sdf>)");
  write(to / "sdf" / "world", R"(<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity>
<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane>
<normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="ball"><pose>0 0 1 0 0 0</pose><link name="l"><collision name="c"><geometry><sphere>
<radius>0.1</radius></sphere></geometry></collision></link></model></world></sdf>)");
}

void run(const std::vector<fs::path>& scenarios, const fs::path& to) {
  for (const fs::path& file : scenarios) convertScenario(file, to);
  runScenario("hinge",
              R"(<body name="bob" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="pin" type="revolute" follower="bob" axis="0 1 0"><limit lower="-0.001" upper="1"/>
    <dynamics friction="0.1" stiffness="1"/></joint>)",
              to);
  runScenario("drop", R"(<shape name="ground" type="plane"/><body name="ball" position="0 0 0.1">
    <shape type="sphere" radius="0.1" mass="1"/></body>)",
              to);
  saveCheckpoint(to);
  writeTexts(to);
}

}  // namespace
}  // namespace grashof::fuzz

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "fuzz_seeds SCENARIO... FOLDER\n");
    return 2;
  }
  try {
    grashof::fuzz::run(std::vector<std::filesystem::path>(argv + 1, argv + argc - 1), argv[argc - 1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_seeds: {}\n", error.what());
    return 2;
  }
}
