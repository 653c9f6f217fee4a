// A libnvrtc without CUDA: it compiles with a C++ compiler for the CPU and the emulator's header, into images that the fake driver loads.
// Its functions have the names and parameters of NVRTC's. The build defines FAKE_NVRTC_VERSION (13000 means 13.0), FAKE_CXX, FAKE_EMULATOR
// (the emulator's folder) and EMULATOR_RUNTIME (the object of emulator/runtime.h).
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "cuda/emulator/source.h"
#include "cuda/fake/fake_image.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using nvrtcResult = int;
enum : nvrtcResult {
  kSuccess = 0,
  kOutOfMemory = 1,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kInvalidOption = 5,
  kCompilation = 6,
  kCancelled = 13
};

struct Program {
  std::string source, log;
  std::vector<char> cubin, ptx;
  int (*go_on)(void* payload, void* unused) = nullptr;
  void* payload = nullptr;
};

namespace {

std::mutex fault_lock;
std::string fault_in;
nvrtcResult fault = kSuccess;
int live_programs = 0;

/// Returns the status with which a test wants the current call of this function to fail, or kSuccess.
nvrtcResult next_fault(const char* name) {
  const std::lock_guard guard(fault_lock);
  if (fault_in != name) return kSuccess;
  fault_in.clear();
  return fault;
}

#define ENTER(name) \
  if (const nvrtcResult status = next_fault(name); status != kSuccess) return status

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs the C++ compiler in a directory and writes its messages to messages.txt there. Asks the callback of `program` at intervals whether
/// to cancel; if so, ends the compiler and sets `cancelled`. Returns true if the compiler succeeded.
bool run_compiler(const std::vector<std::string>& words, const std::string& directory, Program& program, bool& cancelled) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, (directory + "/messages.txt").c_str(), O_WRONLY | O_CREAT, 0600);
  // The compiler gets a process group of its own, so that all of its processes can be killed together: g++ starts the compiler proper as
  // another process, which would continue after g++ is killed.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (program.go_on != nullptr && program.go_on(program.payload, nullptr) != 0 && !cancelled) {
      kill(-child, SIGKILL);
      cancelled = true;
    }
    usleep(2000);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Returns the source for the emulator, with a constant that contains the architecture and the version of this NVRTC. The fake driver
/// checks them.
std::string emulated_source_with_facts(const std::string& source, int arch) {
  return harp::cuda_test::emulated_source(source + "\n") + "extern \"C\" __attribute__((visibility(\"default\"))) const int " +
         kFakeImageFacts + "[2] = {" + std::to_string(arch) + ", " + std::to_string(FAKE_NVRTC_VERSION) + "};\n";
}

}  // namespace

EXPORTED const char* nvrtcGetErrorString(nvrtcResult status) {
  switch (status) {
    case kSuccess: return "NVRTC_SUCCESS";
    case kOutOfMemory: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case kInvalidInput: return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidOption: return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation: return "NVRTC_ERROR_COMPILATION";
    case kCancelled: return "NVRTC_ERROR_CANCELLED";
    default: return "NVRTC_ERROR unknown";
  }
}

EXPORTED nvrtcResult nvrtcVersion(int* major, int* minor) {
  ENTER("nvrtcVersion");
  *major = FAKE_NVRTC_VERSION / 1000, *minor = FAKE_NVRTC_VERSION % 1000 / 10;
  return kSuccess;
}

EXPORTED nvrtcResult nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*, const char* const*) {
  ENTER("nvrtcCreateProgram");
  *program = new Program{source, {}, {}, {}};
  const std::lock_guard guard(fault_lock);
  ++live_programs;
  return kSuccess;
}

EXPORTED nvrtcResult nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  const std::lock_guard guard(fault_lock);
  --live_programs;
  return kSuccess;
}

EXPORTED nvrtcResult nvrtcSetFlowCallback(Program* program, int (*go_on)(void* payload, void* unused), void* payload) {
  ENTER("nvrtcSetFlowCallback");
  program->go_on = go_on, program->payload = payload;
  return kSuccess;
}

EXPORTED nvrtcResult nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  ENTER("nvrtcCompileProgram");
  int arch = 0;
  bool is_ptx = false;
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    const std::string wanted = "--gpu-architecture=";
    if (option.rfind(wanted, 0) == 0) {
      const std::string name = option.substr(wanted.size());
      is_ptx = name.rfind("compute_", 0) == 0;
      arch = atoi(name.c_str() + name.find('_') + 1);
    } else if (option.find("=") == std::string::npos && option != "--minimal" && (option != "--no-cache" || FAKE_NVRTC_VERSION < 12090)) {
      program->log = "nvrtc: error: unrecognized option " + option + " found\n";
      return kInvalidOption;
    }
  }
  if (arch < 50) return kInvalidOption;
  char directory[] = "/tmp/fake-nvrtc-XXXXXX";
  if (mkdtemp(directory) == nullptr) return kOutOfMemory;
  const std::string source = std::string(directory) + "/unit.cpp", image = std::string(directory) + "/unit.so";
  std::ofstream(source) << emulated_source_with_facts(program->source, arch);
  bool cancelled = false;
  const std::string folder = FAKE_EMULATOR;
  // not optimised, because tests compile more than they compute
  std::vector<std::string> words = {FAKE_CXX,  "-std=c++17", "-O0",         "-w",       "-ffp-contract=off",
                                    "-shared", "-fPIC",      "-I" + folder, "-include", folder + "/runtime.h",
                                    source,    "-o",         image};
  words.insert(words.end(), {"-DHARP_EMULATOR_KERNELS_ONLY", EMULATOR_RUNTIME});
  words.insert(words.end(), {"-nostdlib", "-lm", "-lgcc"});  // emulator/library.cpp says why these libraries are linked
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) words.emplace_back("-mfma");  // without the flag, every fma would be a call of the C library
#endif
  const bool compiled = run_compiler(words, directory, *program, cancelled);
  if (compiled && !cancelled) {
    const std::string bytes = read_file(image);
    const std::vector<char> elf(bytes.begin(), bytes.end());
    if (is_ptx)
      program->ptx = fake_ptx_of(elf);
    else
      program->cubin = elf;
  }
  program->log = read_file(std::string(directory) + "/messages.txt");
  for (const char* name : {"/unit.cpp", "/unit.so", "/messages.txt"}) unlink((std::string(directory) + name).c_str());
  rmdir(directory);
  return cancelled ? kCancelled : compiled ? kSuccess : kCompilation;
}

EXPORTED nvrtcResult nvrtcGetProgramLogSize(Program* program, size_t* size) {
  ENTER("nvrtcGetProgramLogSize");
  *size = program->log.size() + 1;
  return kSuccess;
}
EXPORTED nvrtcResult nvrtcGetProgramLog(Program* program, char* log) {
  ENTER("nvrtcGetProgramLog");
  memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}
EXPORTED nvrtcResult nvrtcGetCUBINSize(Program* program, size_t* size) {
  ENTER("nvrtcGetCUBINSize");
  *size = program->cubin.size();
  return kSuccess;
}
EXPORTED nvrtcResult nvrtcGetCUBIN(Program* program, char* cubin) {
  ENTER("nvrtcGetCUBIN");
  memcpy(cubin, program->cubin.data(), program->cubin.size());
  return kSuccess;
}
EXPORTED nvrtcResult nvrtcGetPTXSize(Program* program, size_t* size) {
  ENTER("nvrtcGetPTXSize");
  *size = program->ptx.size();
  return kSuccess;
}
EXPORTED nvrtcResult nvrtcGetPTX(Program* program, char* ptx) {
  ENTER("nvrtcGetPTX");
  memcpy(ptx, program->ptx.data(), program->ptx.size());
  return kSuccess;
}

// ---- For tests

/// Makes the next call of the function fail with this status. With an empty name no call fails.
EXPORTED void fake_nvrtc_fail(const char* name, nvrtcResult status) {
  const std::lock_guard guard(fault_lock);
  fault_in = name, fault = status;
}
/// Returns the number of programs that have not been destroyed.
EXPORTED int fake_nvrtc_live() {
  const std::lock_guard guard(fault_lock);
  return live_programs;
}
