// Large constant arrays of a program for a CPU are hidden inputs: the generated code receives their addresses after those of the graph's
// inputs. Small arrays are written into the generated text. (The C compiler would take a second to compile a megabyte of elements.)
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

inline constexpr size_t kMaxConstantText = 4096;  // size in bytes of the largest array that is written into the generated text

class HiddenConstants {
 public:
  explicit HiddenConstants(const Module& module) : inputs_(module.inputs.size()) {
    for (size_t i = 0; i < module.constants.size(); ++i) {
      const bool is_hidden = module.constants[i].data->size() > kMaxConstantText;
      positions_.push_back(is_hidden ? std::optional(inputs()) : std::nullopt);
      if (is_hidden) constants_.push_back(i);
    }
  }

  /// Returns the hidden constants, as indices into Module::constants, in the order in which the generated code receives them.
  const std::vector<size_t>& constants() const& { return constants_; }
  // deleted, because a range-for over the list of a temporary object would use freed memory
  const std::vector<size_t>& constants() && = delete;
  /// Returns the position of constant number `constant` among the arrays that the generated code receives as inputs; nullopt if the
  /// constant is written into the generated text.
  std::optional<size_t> position(size_t constant) const { return positions_[constant]; }
  /// Returns how many arrays the generated code receives as inputs: those of the graph and the hidden ones.
  size_t inputs() const { return inputs_ + constants_.size(); }

 private:
  size_t inputs_;
  std::vector<size_t> constants_;
  std::vector<std::optional<size_t>> positions_;
};

}  // namespace harp::ir
