// Implements the fake driver's libraries of kernels, and their launches. A "cubin" is a shared object whose kernels run on the CPU.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cuda/fake/fake_image.h"
#include "cuda/fake/state.h"

using namespace fake;
using harp::cuda_test::EmulatedKernel;
using harp::cuda_test::ThreadOrder;

namespace {

/// The size of a shared object in bytes. Its section headers are at the end.
size_t elf_size(const void* image) {
  const auto* header = static_cast<const Elf64_Ehdr*>(image);
  return header->e_shoff + static_cast<size_t>(header->e_shnum) * header->e_shentsize;
}

/// Writes the shared object to a new temporary file and loads it. The name must be new in this process, because dlopen returns the library
/// that is already loaded for a name that it knows.
void* open_image(const void* bytes, size_t size) {
  char path[] = "/tmp/fake-cubin-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return nullptr;
  const bool written = write(fd, bytes, size) == static_cast<ssize_t>(size);
  close(fd);
  void* const handle = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (handle == nullptr) fprintf(stderr, "fake CUDA driver: %s\n", dlerror());
  unlink(path);
  return handle;
}

const FakeImageFacts* facts_of(void* handle) { return static_cast<const FakeImageFacts*>(dlsym(handle, kFakeImageFacts)); }

bool runs_on(int device, int arch, bool is_ptx) {
  const int capability = state.capabilities[static_cast<size_t>(device)];
  return arch <= capability && (is_ptx || arch / 10 == capability / 10);
}

/// Returns kSuccess if the driver accepts the image, that is, if at least one of its devices can run the code; otherwise returns the error.
/// If only some devices can run the code, the others report the error later, when the function of a kernel is looked up.
CUresult check_image(void* handle, bool is_ptx) {
  const FakeImageFacts* const facts = facts_of(handle);
  if (facts == nullptr) return kInvalidImage;
  if (facts->toolkit / 1000 > state.version / 1000) return is_ptx ? kUnsupportedPtxVersion : kInvalidImage;
  for (int device = 0; device < state.devices; ++device)
    if (runs_on(device, facts->arch, is_ptx)) return kSuccess;
  return kNoBinaryForGpu;
}

}  // namespace

EXPORTED CUresult cuLibraryLoadData(Library** library, const void* image, void*, void*, unsigned, void*, void*, unsigned) {
  ENTER("cuLibraryLoadData");
  if (const CUresult status = check_no_capture("cuLibraryLoadData"); status != kSuccess) return status;
  const bool is_ptx = memcmp(image, kFakePtx, sizeof kFakePtx - 1) == 0;
  std::vector<char> bytes;
  if (is_ptx) {
    bytes = fake_ptx_bytes(static_cast<const char*>(image));
    image = bytes.data();
  }
  const auto* header = static_cast<const Elf64_Ehdr*>(image);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return kInvalidImage;
  if (header->e_machine != EM_X86_64) return kNoBinaryForGpu;
  void* const handle = open_image(image, elf_size(image));
  if (handle == nullptr) return kInvalidImage;
  if (const CUresult status = check_image(handle, is_ptx); status != kSuccess) {
    dlclose(handle);
    return status;
  }
  *library = *state.libraries.insert(new Library{handle, is_ptx}).first;
  return kSuccess;
}

EXPORTED CUresult cuLibraryUnload(Library* library) {
  const Call call("cuLibraryUnload");
  if (state.libraries.erase(library) == 0) return kInvalidHandle;
  for (Stream* stream : state.streams)
    if (stream->launches > 0 && stream->context->sticky == kSuccess) mistake("a library is unloaded while launches of kernels are pending");
  for (const ExecutableGraph* graph : state.executable_graphs)
    for (const ExecutableGraph::Step& step : graph->steps)
      if (step.kernel != nullptr && step.kernel->library == library) mistake("a library is unloaded while a graph launches its kernels");
  for (auto kernel = state.kernels.begin(); kernel != state.kernels.end();) {
    if ((*kernel)->library == library) {
      delete *kernel;
      kernel = state.kernels.erase(kernel);
    } else {
      ++kernel;
    }
  }
  dlclose(library->handle);
  delete library;
  return call.status();
}

EXPORTED CUresult cuLibraryGetKernel(Kernel** kernel, Library* library, const char* name) {
  ENTER("cuLibraryGetKernel");
  if (state.libraries.count(library) == 0) return kInvalidHandle;
  const auto list = reinterpret_cast<harp::cuda_test::EmulatedKernelsFunction>(dlsym(library->handle, harp::cuda_test::kEmulatedKernels));
  size_t count = 0;
  const EmulatedKernel* const codes = list != nullptr ? list(&count) : nullptr;
  const EmulatedKernel* const code =
      std::find_if(codes, codes + count, [&](const EmulatedKernel& one) { return std::string(one.name) == name; });
  if (code == codes + count) return kNotFound;
  *kernel = *state.kernels.insert(new Kernel{library, code}).first;
  return kSuccess;
}

/// Finds the function of a kernel in the current context. In this fake, kernel and function are the same object.
EXPORTED CUresult cuKernelGetFunction(Kernel** function, Kernel* kernel) {
  ENTER_WITH_CONTEXT("cuKernelGetFunction");
  if (const CUresult status = check_no_capture("cuKernelGetFunction"); status != kSuccess) return status;
  if (state.kernels.count(kernel) == 0) return kInvalidHandle;
  const Library& library = *kernel->library;
  if (!runs_on(current.back()->device, facts_of(library.handle)->arch, library.is_ptx)) return kNoBinaryForGpu;
  *function = kernel;
  return kSuccess;
}

EXPORTED CUresult cuFuncSetAttribute(Kernel* function, int attribute, int value) {
  ENTER_WITH_CONTEXT("cuFuncSetAttribute");
  if (state.kernels.count(function) == 0) return kInvalidHandle;
  if (attribute != 8 || value < 0 || value > kSharedLimit) return kInvalidValue;
  function->dynamic_shared = value;
  return kSuccess;
}

EXPORTED CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* function, int threads, size_t shared) {
  ENTER_WITH_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (state.kernels.count(function) == 0) return kInvalidHandle;
  if (threads <= 0 || threads > 1024) return kInvalidValue;
  const size_t by_shared = shared == 0 ? 32 : (size_t{228} << 10) / (shared + 1024);
  *blocks = static_cast<int>(std::min<size_t>({32, 2048u / static_cast<unsigned>(threads), by_shared}));
  return kSuccess;
}

CUresult fake::make_launch(const Kernel* function, const LaunchShape& shape, void** parameters, std::function<CUresult()>& run) {
  const auto& [grid_x, grid_y, grid_z] = shape.grid;
  const auto& [block_x, block_y, block_z] = shape.block;
  const bool fits = grid_x - 1 < 0x7fffffff && grid_y - 1 < 65535 && grid_z - 1 < 65535 && block_x - 1 < 1024 && block_y - 1 < 1024 &&
                    block_z - 1 < 64 && block_x * block_y * block_z <= function->code->most_threads &&
                    static_cast<int>(shape.shared) <= function->dynamic_shared;
  if (!fits) return kInvalidValue;
  std::vector<std::vector<char>> values;
  for (uint32_t i = 0; i < function->code->n_parameters; ++i) {
    const auto* begin = static_cast<const char*>(parameters[i]);
    values.emplace_back(begin, begin + function->code->parameter_bytes[i]);
  }
  run = [shape, values, code = function->code]() mutable -> CUresult {
    std::vector<void*> addresses;
    for (std::vector<char>& value : values) addresses.push_back(value.data());
    const uint32_t grid[3] = {shape.grid[0], shape.grid[1], shape.grid[2]}, block[3] = {shape.block[0], shape.block[1], shape.block[2]};
    mprotect(state.device_view, kAddressSpace, PROT_READ | PROT_WRITE);
    const char* const fault = code->launch(grid, block, shape.shared, addresses.data(), static_cast<ThreadOrder>(state.order & 3));
    mprotect(state.device_view, kAddressSpace, PROT_NONE);
    if (fault == nullptr) return kSuccess;
    mistake("kernel " + std::string(code->name) + ": " + fault);
    return kLaunchFailed;
  };
  return kSuccess;
}

EXPORTED CUresult cuLaunchKernel(Kernel* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, Stream* handle, void** parameters, void**) {
  ENTER_WITH_CONTEXT("cuLaunchKernel");
  Stream* const stream = usable(handle);
  if (state.kernels.count(function) == 0 || stream == nullptr) return kInvalidHandle;
  std::function<CUresult()> run;
  const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  if (const CUresult status = make_launch(function, shape, parameters, run); status != kSuccess) return status;
  return enqueue(*stream, std::move(run), function);
}

/// Runs a kernel that is linked to the program on the default stream of a device, as a launch by CUDA's runtime library does.
EXPORTED CUresult fake_cuda_launch(const EmulatedKernel* code, int device, unsigned grid, unsigned block, void** parameters) {
  ENTER("fake_cuda_launch");
  current.push_back(&state.contexts[static_cast<size_t>(device)]);
  const Kernel kernel{nullptr, code};
  std::function<CUresult()> run;
  CUresult status = make_launch(&kernel, {{grid, 1, 1}, {block, 1, 1}, 0}, parameters, run);
  if (status == kSuccess) status = enqueue(*known(nullptr), std::move(run));
  current.pop_back();
  return status;
}

std::vector<Row> fake::kernel_functions() {
  return {
      ROW("cuLibraryLoadData", 12000, cuLibraryLoadData),
      ROW("cuLibraryUnload", 12000, cuLibraryUnload),
      ROW("cuLibraryGetKernel", 12000, cuLibraryGetKernel),
      ROW("cuKernelGetFunction", 12000, cuKernelGetFunction),
      ROW("cuFuncSetAttribute", 9000, cuFuncSetAttribute),
      ROW("cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor),
      ROW("cuLaunchKernel", 4000, cuLaunchKernel),
  };
}
