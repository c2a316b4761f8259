#include "tools/convert/foreign_mesh.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"

namespace grashof::convert {
namespace {

constexpr std::uintmax_t kLargestMeshFile = std::uintmax_t{512} << 20;
constexpr rlim_t kMostMemory = rlim_t{2} << 30;  // bytes, beyond what the process has
constexpr rlim_t kMostSeconds = 60;              // of computing
constexpr std::size_t kMostVertices = 20'000'000, kMostTriangles = 20'000'000;
constexpr std::size_t kMostMessage = 1000;

// Sanitizers reserve more memory than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// Bytes of addresses that the process has.
rlim_t ownMemory() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// What the child answers: the sizes of what follows.
struct Answer {
  std::uint64_t vertices = 0, triangles = 0, message = 0;
};

bool sendAll(int pipe, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = write(pipe, at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receiveAll(int pipe, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(pipe, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

TriangleMesh trianglesOf(const aiScene& scene) {
  TriangleMesh mesh;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& part = *scene.mMeshes[m];
    const int first = static_cast<int>(mesh.vertices.size());
    if (mesh.vertices.size() + part.mNumVertices > kMostVertices) break;  // that is reported by its size
    for (unsigned v = 0; v < part.mNumVertices; ++v)
      mesh.vertices.emplace_back(part.mVertices[v].x, part.mVertices[v].y, part.mVertices[v].z);
    for (unsigned f = 0; f < part.mNumFaces; ++f)
      if (part.mFaces[f].mNumIndices == 3)
        mesh.triangles.push_back({first + static_cast<int>(part.mFaces[f].mIndices[0]),
                                  first + static_cast<int>(part.mFaces[f].mIndices[1]),
                                  first + static_cast<int>(part.mFaces[f].mIndices[2])});
  }
  return mesh;
}

/// Reads the file, sends what it holds and returns whether that could be sent.
bool answer(const std::string& path, int pipe) {
  Assimp::Importer importer;
  // Robot formats take the coordinates as they are, with z up or not.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                                                     aiProcess_PreTransformVertices | aiProcess_SortByPType);
  Answer sizes;
  if (!scene) {
    const std::string message = std::string(importer.GetErrorString()).substr(0, kMostMessage);
    if (message.find("bad_alloc") != std::string::npos) return false;  // the parent says what there was
    sizes.message = message.size();
    return sendAll(pipe, &sizes, sizeof sizes) && sendAll(pipe, message.data(), message.size());
  }
  const TriangleMesh mesh = trianglesOf(*scene);
  sizes.vertices = mesh.vertices.size();
  sizes.triangles = mesh.triangles.size();
  return sendAll(pipe, &sizes, sizeof sizes) &&
         sendAll(pipe, mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3)) &&
         sendAll(pipe, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
}

void limitResource(int resource, rlim_t most) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  limit.rlim_cur = std::min(limit.rlim_max, most);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

/// The life of the child.
[[noreturn]] void work(const std::string& path, int pipe) {
  limitResource(RLIMIT_CPU, kMostSeconds);
  limitResource(RLIMIT_CORE, 0);
  if (!kSanitized) limitResource(RLIMIT_AS, ownMemory() + kMostMemory);
  bool done = false;
  try {
    done = answer(path, pipe);
  } catch (...) {
    // Out of memory: the parent sees that there is no answer.
  }
  _exit(done ? 0 : 1);  // not exit(): what the parent has in its buffers is the parent's to write
}

bool receive(int pipe, TriangleMesh& mesh, std::string& message) {
  Answer sizes;
  if (!receiveAll(pipe, &sizes, sizeof sizes) || sizes.vertices > kMostVertices ||
      sizes.triangles > kMostTriangles || sizes.message > kMostMessage)
    return false;
  message.resize(sizes.message);
  mesh.vertices.resize(sizes.vertices);
  mesh.triangles.resize(sizes.triangles);
  return receiveAll(pipe, message.data(), message.size()) &&
         receiveAll(pipe, mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3)) &&
         receiveAll(pipe, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
}

bool plausible(const TriangleMesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  return std::all_of(mesh.vertices.begin(), mesh.vertices.end(),
                     [](const Vec3& v) { return v.allFinite(); }) &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const std::array<int, 3>& t) {
           return *std::min_element(t.begin(), t.end()) >= 0 && *std::max_element(t.begin(), t.end()) < count;
         });
}

}  // namespace

bool limitsMemory() { return !kSanitized; }

TriangleMesh foreignMesh(const std::string& path) {
  checkInputFile(path, kLargestMeshFile, "a mesh");
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw InputError(path + ": cannot be read (" + std::strerror(errno) + ")");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(path, ends[1]);
  }
  close(ends[1]);
  TriangleMesh mesh;
  std::string message;
  const bool received = child > 0 && receive(ends[0], mesh, message);
  close(ends[0]);
  if (child > 0) {
    if (!received) kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (!message.empty()) throw InputError(path + ": " + message + " (OBJ, STL and DAE are read)");
  if (!received)
    throw InputError(
        fmt::format("{}: cannot be read with {} GiB in {} s, at most {} vertices (is it damaged? "
                    "convert it to OBJ or STL)",
                    path, kMostMemory >> 30, kMostSeconds, kMostVertices));
  if (!plausible(mesh)) throw InputError(path + ": holds a vertex that is not finite, or is not there");
  if (mesh.triangles.empty()) throw InputError(path + ": holds no triangle (is it a mesh?)");
  return mesh;
}

}  // namespace grashof::convert
