// Loads the fake CUDA libraries for a test and resets what the previous test left. context.h makes contexts of harp that use them.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace fake_cuda {

/// Returns the folder of the fake libraries in the build.
inline std::string folder() {
  const char* build = std::getenv("HARP_BUILD_DIR");
  REQUIRE(build != nullptr);
  return std::string(build) + "/fake_cuda/";
}

/// A shared library, whose functions are found by name.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE_MESSAGE(handle_ != nullptr, path);
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Result, class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle_, name));
    REQUIRE_MESSAGE((function != nullptr), name);
    return function(arguments...);
  }

 private:
  void* handle_;
};

/// Makes a context of the fake driver current on this thread for the duration of a scope, as the CUDA code of a host application does.
class CurrentContext {
 public:
  CurrentContext(const Library& driver, void* context) : driver_(driver) { REQUIRE(driver.call<int>("cuCtxPushCurrent_v2", context) == 0); }
  ~CurrentContext() {
    void* popped = nullptr;
    driver_.call<int>("cuCtxPopCurrent_v2", &popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Library& driver_;
};

/// The fake driver, with one GPU of sm_90 and a driver of CUDA 13.0 unless the test says otherwise.
class Driver {
 public:
  Driver() : path_(folder() + "libcuda.so.1"), library_(path_) { library_.call<void>("fake_cuda_reset"); }
  ~Driver() { library_.call<void>("fake_cuda_reset"); }

  const std::string& path() const { return path_; }
  void set_machine(int devices, int capability = 90, int version = 13000, bool has_pools = true) const {
    library_.call<void>("fake_cuda_set_machine", devices, capability, version, has_pools ? 1 : 0);
  }
  void set_capability(int device, int capability) const { library_.call<void>("fake_cuda_set_capability", device, capability); }
  void set_processors(int device, int processors) const { library_.call<void>("fake_cuda_set_processors", device, processors); }
  void set_memory(size_t bytes) const { library_.call<void>("fake_cuda_set_memory", bytes); }
  void set_order(int order) const { library_.call<void>("fake_cuda_set_order", order); }
  void fail(const std::string& function, int nth, int status) const {
    library_.call<void>("fake_cuda_fail", function.c_str(), nth, status);
  }
  int calls(const std::string& function) const { return library_.call<int>("fake_cuda_calls", function.c_str()); }
  /// Initialises the driver and returns a new context on this device, as a host application creates it.
  void* new_context(int device) const {
    REQUIRE(library_.call<int>("cuInit", 0u) == 0);
    return library_.call<void*>("fake_cuda_new_context", device);
  }
  /// Returns the current context of this thread.
  void* current_context() const {
    void* now = nullptr;
    CHECK(library_.call<int>("cuCtxGetCurrent", &now) == 0);
    return now;
  }
  size_t pending() const { return library_.call<size_t>("fake_cuda_pending"); }
  std::string live() const { return library_.call<const char*>("fake_cuda_live"); }
  std::string mistakes() const { return library_.call<const char*>("fake_cuda_mistakes"); }
  bool is_device_address(const void* address) const { return library_.call<int>("fake_cuda_is_device_address", address) != 0; }
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    const std::string text = library_.call<const char*>("fake_cuda_functions");
    for (size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
      names.push_back(text.substr(begin, end - begin));
    return names;
  }
  const Library& library() const { return library_; }

 private:
  std::string path_;
  Library library_;
};

}  // namespace fake_cuda
