// Loads and stores of n vectors whose elements are interleaved in memory. Both divide n by its smallest prime factor p, and divide the
// elements in memory into p classes: element i belongs to class i mod p. The elements of one class form n / p interleaved vectors, to which
// the same method is applied. A vector of a class takes its elements from p adjacent vectors in memory, by p - 1 shuffles of two vectors.
// Functions that load different parts of the same vectors contain equal loads and shuffles, which the C compiler merges.
#include "render/c/interleave.h"

#include <utility>

#include "base/text.h"

namespace harp::render {
namespace {

int smallest_factor(int n) {
  int p = 2;
  while (n % p != 0) ++p;
  return p;
}

/// Writes shuffles of vectors as statements that define new variables.
class ShuffleWriter {
 public:
  ShuffleWriter(std::string vector, int lanes) : vector_(std::move(vector)), lanes_(lanes) {}

  /// Returns the name of a vector. Its lane l is lane from(l).second of the vector vectors[from(l).first].
  template <class From>
  std::string gathered(const std::vector<std::string>& vectors, From from) {
    std::string result;
    std::vector<bool> is_set(static_cast<size_t>(lanes_), false);
    size_t used = 0;
    for (size_t v = 0; v < vectors.size(); ++v) {
      std::vector<int> numbers;
      bool is_used = false;
      for (int lane = 0; lane < lanes_; ++lane) {
        const auto [vector, number] = from(lane);
        const bool is_mine = vector == v;
        numbers.push_back(is_mine ? lanes_ + number : is_set[static_cast<size_t>(lane)] ? lane : -1);
        is_used |= is_mine;
      }
      if (!is_used) continue;
      if (used == 0) {  // The first vector needs no shuffle of its own: the shuffle with the second vector selects the lanes of both.
        first_ = v;
      } else if (used == 1) {
        for (int lane = 0; lane < lanes_; ++lane)
          if (const auto [vector, number] = from(lane); vector == first_) numbers[static_cast<size_t>(lane)] = number;
        result = shuffled(vectors[first_], vectors[v], numbers);
      } else {
        result = shuffled(result, vectors[v], numbers);
      }
      ++used;
      for (int lane = 0; lane < lanes_; ++lane)
        if (from(lane).first == v) is_set[static_cast<size_t>(lane)] = true;
    }
    return result;
  }

  std::string loaded(int number) {
    return define(cat("*(const ", vector_, "*)", number == 0 ? std::string("p") : cat("(p + ", number * lanes_, ")")));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string shuffled(const std::string& a, const std::string& b, const std::vector<int>& numbers) {
    return define(cat("__builtin_shufflevector(", a, ", ", b, ", ", join(numbers, ", "), ")"));
  }
  std::string define(const std::string& value) {
    const std::string name = cat("v", count_++);
    append(text_, cat("  const ", vector_, " ", name, " = ", value, ";\n"));
    return name;
  }

  const std::string vector_;
  const int lanes_;
  std::string text_;
  int count_ = 0;
  size_t first_ = 0;
};

/// `memory` contains the names of n vectors as they are in memory, where the elements of n parts are interleaved. Writes the shuffles that
/// extract part number `part`, and returns the name of the resulting vector.
std::string part_of(ShuffleWriter& writer, std::vector<std::string> memory, int lanes, int part) {
  while (memory.size() > 1) {
    const int n = static_cast<int>(memory.size()), p = smallest_factor(n), remainder = part % p;
    std::vector<std::string> members;
    for (int i = 0; i < n / p; ++i)
      members.push_back(writer.gathered(memory, [&](int lane) {
        const int element = (i * lanes + lane) * p + remainder;
        return std::pair<size_t, int>(element / lanes, element % lanes);
      }));
    memory = std::move(members);
    part /= p;
  }
  return memory[0];
}

/// Interleaves the vectors `parts`. Returns the names of the vectors to store, in memory order.
std::vector<std::string> interleaved(ShuffleWriter& writer, const std::vector<std::string>& parts, int lanes) {
  const int n = static_cast<int>(parts.size());
  if (n == 1) return parts;
  const int p = smallest_factor(n);
  std::vector<std::vector<std::string>> classes;
  for (int remainder = 0; remainder < p; ++remainder) {
    std::vector<std::string> members;
    for (int i = remainder; i < n; i += p) members.push_back(parts[static_cast<size_t>(i)]);
    classes.push_back(interleaved(writer, members, lanes));
  }
  std::vector<std::string> memory;
  for (int k = 0; k < n; ++k) {
    std::vector<std::string> sources;
    for (const std::vector<std::string>& members : classes) sources.push_back(members[static_cast<size_t>(k / p)]);
    memory.push_back(writer.gathered(sources, [&](int lane) {
      const int element = k * lanes + lane;
      return std::pair<size_t, int>(element % p, element / p % lanes);
    }));
  }
  return memory;
}

}  // namespace

std::string load_part_function(Unit& unit, DType dtype, int lanes, int parts, int part) {
  const std::string name = cat("load_part", part, "_of_", parts, "_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string vector = memory_vector(unit, dtype, lanes);
    ShuffleWriter writer(vector, lanes);
    std::vector<std::string> memory;
    for (int i = 0; i < parts; ++i) memory.push_back(writer.loaded(i));
    const std::string result = part_of(writer, memory, lanes, part);
    return cat("static inline ", vector, " ", name, "(const ", memory_type(dtype), "* p) {\n", writer.take(), "  return ", result,
               ";\n}\n");
  });
  return name;
}

std::string store_interleaved_function(Unit& unit, DType dtype, int lanes, int parts) {
  const std::string name = cat("store_", parts, "_interleaved_", vector_name(dtype, lanes));
  unit.definitions.once(name, [&] {
    const std::string vector = memory_vector(unit, dtype, lanes);
    ShuffleWriter writer(vector, lanes);
    std::vector<std::string> names;
    for (int i = 0; i < parts; ++i) names.push_back(cat("x", i));
    const std::vector<std::string> memory = interleaved(writer, names, lanes);
    std::string stores;
    for (int i = 0; i < parts; ++i)
      append(stores, cat("  *(", vector, "*)", i == 0 ? std::string("p") : cat("(p + ", i * lanes, ")"), " = ",
                         memory[static_cast<size_t>(i)], ";\n"));
    return cat("static inline void ", name, "(", memory_type(dtype), "* p, ",
               join(names, ", ", [&](const std::string& x) { return cat(vector, " ", x); }), ") {\n", writer.take(), stores, "}\n");
  });
  return name;
}

}  // namespace harp::render
