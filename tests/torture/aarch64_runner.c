/* Runs programs that harp generated for another CPU. aarch64.cpp starts this runner under an emulator of that CPU. Usage: runner UNIT.so
   RUNS RESULTS. The file RUNS is a list of { name; sizes; inputs; lengths of outputs }. Each list begins with its count, and all numbers
   have 64 bits. The runner writes the bytes of all outputs to the file RESULTS. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void read_bytes(FILE* file, void* to, size_t size) {
  if (size > 0 && fread(to, 1, size, file) != size) exit(3);
}
static uint64_t read_number(FILE* file) {
  uint64_t number;
  read_bytes(file, &number, sizeof number);
  return number;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
  FILE *runs = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
  if (!runs || !results) return 2;
  for (uint64_t left = read_number(runs); left > 0; --left) {
    char name[64] = {0};
    size_t sizes[8], lengths[512];
    void *inputs[512], *outputs[512];
    read_bytes(runs, name, sizeof name - 1);
    const uint64_t size_count = read_number(runs);
    if (size_count > 8) return 3;
    for (uint64_t i = 0; i < size_count; ++i) sizes[i] = read_number(runs);
    const uint64_t input_count = read_number(runs);
    if (input_count > 512) return 3;
    for (uint64_t i = 0; i < input_count; ++i) {
      const uint64_t length = read_number(runs);
      inputs[i] = malloc(length + 1);
      read_bytes(runs, inputs[i], length);
    }
    const uint64_t output_count = read_number(runs);
    if (output_count > 512) return 3;
    for (uint64_t i = 0; i < output_count; ++i) outputs[i] = malloc((lengths[i] = read_number(runs)) + 1);
    void (*entry_point)(void**, void**, size_t*);
    *(void**)&entry_point = dlsym(library, name);
    if (!entry_point) return fprintf(stderr, "no %s\n", name), 2;
    entry_point(inputs, outputs, sizes);
    for (uint64_t i = 0; i < output_count; ++i) {
      if (fwrite(outputs[i], 1, lengths[i], results) != lengths[i]) return 3;
      free(outputs[i]);
    }
    for (uint64_t i = 0; i < input_count; ++i) free(inputs[i]);
  }
  return fclose(results) == 0 ? 0 : 3;
}
