#include "reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace ajisai {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool ends_word(char c) { return is_space(c) || c == '[' || c == ']' || c == '#'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Tests whether a word must be a number: it begins with a digit, possibly after a minus sign or a decimal point.
bool looks_like_number(std::string_view word) {
  if (!word.empty() && word[0] == '-') word.remove_prefix(1);
  if (!word.empty() && word[0] == '.') word.remove_prefix(1);
  return !word.empty() && is_digit(word[0]);
}

double number_of(std::string_view word, size_t at) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc::result_out_of_range) throw Mistake(at, "the number " + shown(word) + " is out of the range of an f64");
  if (error != std::errc() || end != word.data() + word.size()) throw Mistake(at, shown(word) + " is neither a number nor a word");
  // Rejects integers that an f64 cannot represent, because they would silently become another number.
  std::string_view digits = word;
  if (digits[0] == '-') digits.remove_prefix(1);
  if (std::all_of(digits.begin(), digits.end(), is_digit)) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    char exact[400];
    const int length = std::snprintf(exact, sizeof exact, "%.0f", std::fabs(number));
    if (digits != std::string_view(exact, static_cast<size_t>(length))) {
      throw Mistake(at,
                    "the whole number " + shown(word) + " is none that an f64 holds; the nearest is " + (number < 0 ? "-" : "") + exact);
    }
  }
  return number;
}

/// A vector that is being read: the state of each open bracket, and the elements of all brackets.
class Nest {
 public:
  bool open() const { return !axes_.empty(); }
  size_t opened_at() const { return axes_.front().at; }

  void begin(size_t at) {
    if (axes_.size() == HARP_MAX_RANK) throw Mistake(at, "vectors nest " + std::to_string(HARP_MAX_RANK) + " deep at most");
    axes_.push_back({at, 0, {}, false});
  }

  void add(size_t at, double number, harp_dtype dtype) {
    if (dtype_ != HARP_UNKNOWN && dtype_ != dtype) throw Mistake(at, "a vector holds numbers or truths, not both");
    dtype_ = dtype;
    item(at, {});
    elements_.push_back(number);
  }

  /// Ends the innermost vector; returns the value if that is the outermost one.
  std::optional<Value> end() {
    Axis axis = std::move(axes_.back());
    axes_.pop_back();
    Shape shape{static_cast<int64_t>(axis.count)};
    shape.insert(shape.end(), axis.item.begin(), axis.item.end());
    if (!axes_.empty()) {
      item(axis.at, shape);
      return std::nullopt;
    }
    Value value = make(dtype_ == HARP_BOOL ? HARP_BOOL : HARP_F64, std::move(shape), axis.at);
    if (dtype_ == HARP_BOOL) {
      std::transform(elements_.begin(), elements_.end(), reinterpret_cast<bool*>(value.data.get()), [](double x) { return x != 0; });
    } else if (!elements_.empty()) {
      std::memcpy(value.data.get(), elements_.data(), elements_.size() * sizeof(double));
    }
    elements_.clear();
    dtype_ = HARP_UNKNOWN;
    return value;
  }

 private:
  struct Axis {
    size_t at, count;
    Shape item;  // shape of each item
    bool known;
  };

  /// Adds an item to the innermost vector. All items of a vector must have the same shape.
  void item(size_t at, const Shape& shape) {
    Axis& axis = axes_.back();
    if (axis.known && axis.item != shape) {
      const auto what = [](const Shape& s) { return s.empty() ? std::string("a single element") : "of shape " + text_of(s); };
      throw Mistake(at, "the items of a vector have one shape, but the first is " + what(axis.item) + " and item " +
                            std::to_string(axis.count) + " is " + what(shape));
    }
    axis.item = shape;
    axis.known = true;
    ++axis.count;
  }

  std::vector<Axis> axes_;
  std::vector<double> elements_;
  harp_dtype dtype_ = HARP_UNKNOWN;
};

Value scalar(double number, harp_dtype dtype, size_t at) {
  Value value = make(dtype, {}, at);
  if (dtype == HARP_BOOL) {
    *reinterpret_cast<bool*>(value.data.get()) = number != 0;
  } else {
    std::memcpy(value.data.get(), &number, sizeof number);
  }
  return value;
}

}  // namespace

std::string shown(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 40)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      text += escaped;
    }
  }
  return text + (word.size() > 40 ? "...\"" : "\"");
}

std::vector<Token> read(std::string_view text) {
  std::vector<Token> tokens;
  Nest nest;
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (is_space(c)) {
      ++at;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '[') {
      nest.begin(at++);
    } else if (c == ']') {
      if (!nest.open()) throw Mistake(at, "] without a [ before it");
      const size_t opened = nest.opened_at();
      if (auto value = nest.end()) tokens.push_back({opened, "", std::move(*value)});
      ++at;
    } else {
      const size_t begin = at;
      while (at < text.size() && !ends_word(text[at])) ++at;
      const std::string_view word = text.substr(begin, at - begin);
      double number = 0;
      harp_dtype dtype = HARP_F64;
      bool literal = true;
      std::string capitals;
      if (looks_like_number(word)) {
        number = number_of(word, begin);
      } else {
        capitals = word;
        for (char& letter : capitals) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
      }
      if (capitals.empty()) {
        // a number
      } else if (capitals == "TRUE" || capitals == "FALSE") {
        number = capitals == "TRUE";
        dtype = HARP_BOOL;
      } else if (capitals == "INF" || capitals == "-INF") {
        number = capitals == "INF" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
      } else if (capitals == "NAN") {
        number = std::numeric_limits<double>::quiet_NaN();
      } else {
        literal = false;
      }
      if (nest.open()) {
        if (!literal) throw Mistake(begin, "a vector holds numbers, truths and vectors, but no words such as " + shown(word));
        nest.add(begin, number, dtype);
      } else if (literal) {
        tokens.push_back({begin, "", scalar(number, dtype, begin)});
      } else {
        tokens.push_back({begin, std::move(capitals), {}});
      }
    }
  }
  if (nest.open()) throw Unfinished(nest.opened_at(), "[ without a ] behind it");
  return tokens;
}

}  // namespace ajisai
