#include "schedule/schedule.h"

#include <charconv>

#include "base/error.h"
#include "base/text.h"

namespace harp {
namespace {

constexpr std::string_view kRecipes[] = {"elementwise", "reduce",  "rowwise", "contraction", "transpose",
                                         "scan",        "scatter", "routine", "custom",      "native"};
constexpr std::string_view kKinds[] = {"sequential", "thread", "thread_group", "reduce", "scan", "scatter"};

template <class Enum, size_t n>
Enum parse_word(const std::string_view (&words)[n], std::string_view what, std::string_view word) {
  for (size_t i = 0; i < n; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  fail(Code::kParse, "schedule: unknown ", what, " \"", word, "\"; known: ", join(words, ", "));
}

/// Splits at spaces; brackets and commas are words of their own.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t start = 0;
  auto flush = [&](size_t end) {
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\n' || c == '\t') {
      flush(i);
    } else if (c == '[' || c == ']' || c == ',') {
      flush(i);
      words.push_back(text.substr(i, 1));
    }
  }
  flush(text.size());
  return words;
}

void parse_axis_word(std::string_view word, AxisSchedule& axis) {
  const size_t equals = word.find('=');
  if (word == "pack") {
    axis.pack = true;
    return;
  }
  if (equals == word.npos) {
    axis.kind = parse_word<AxisKind>(kKinds, "axis kind", word);
    return;
  }
  const std::string_view key = word.substr(0, equals), digits = word.substr(equals + 1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  HARP_CHECK(error == std::errc() && end == digits.data() + digits.size() && value >= 1 && value <= (int64_t(1) << 40), Code::kParse,
             "schedule: \"", word, "\" needs a positive number");
  if (key == "tile")
    axis.tile = value;
  else if (key == "unroll" && value <= 64)
    axis.unroll = static_cast<int>(value);
  else if (key == "simd" && value <= 64)
    axis.simd_width = static_cast<int>(value);
  else
    fail(Code::kParse, "schedule: unknown or too large setting \"", word, "\"; known: tile=N, unroll=N up to 64, simd=N up to 64");
}

}  // namespace

std::string_view name_of(Template recipe) { return kRecipes[static_cast<int>(recipe)]; }

std::string print(const Schedule& schedule) {
  const auto axis_text = [](const AxisSchedule& a) {
    std::string out(kKinds[static_cast<int>(a.kind)]);
    if (a.tile) append(out, cat(" tile=", a.tile));
    if (a.unroll != 1) append(out, cat(" unroll=", a.unroll));
    if (a.simd_width != 1) append(out, cat(" simd=", a.simd_width));
    if (a.pack) append(out, " pack");
    return out;
  };
  std::string out = cat(name_of(schedule.recipe), " [", join(schedule.axes, ", ", axis_text), "]");
  if (schedule.partition) out += " partition";
  if (schedule.overlap) out += " overlap";
  if (schedule.stream) out += " stream";
  if (schedule.late) out += " late";
  if (schedule.ahead) out += " ahead";
  return out;
}

Schedule parse_schedule(std::string_view text) {
  Schedule s;
  s.partition = s.overlap = false;
  const auto words = words_of(text);
  size_t i = 0;
  HARP_CHECK(!words.empty(), Code::kParse, "schedule: empty text");
  s.recipe = parse_word<Template>(kRecipes, "recipe", words[i++]);
  HARP_CHECK(i < words.size() && words[i] == "[", Code::kParse, "schedule: expected [ after the recipe");
  ++i;
  bool closed = false, open = false;  // open: an axis has begun
  AxisSchedule axis;
  for (; i < words.size() && !closed; ++i) {
    if (words[i] == "," || words[i] == "]") {
      HARP_CHECK(open || (words[i] == "]" && s.axes.empty()), Code::kParse, "schedule: an axis is missing before ", words[i]);
      if (open) s.axes.push_back(axis);
      axis = {}, open = false;
      closed = words[i] == "]";
    } else {
      parse_axis_word(words[i], axis);
      open = true;
    }
  }
  HARP_CHECK(closed, Code::kParse, "schedule: expected ]");
  for (; i < words.size(); ++i) {
    if (words[i] == "partition")
      s.partition = true;
    else if (words[i] == "overlap")
      s.overlap = true;
    else if (words[i] == "stream")
      s.stream = true;
    else if (words[i] == "late")
      s.late = true;
    else if (words[i] == "ahead")
      s.ahead = true;
    else
      fail(Code::kParse, "schedule: unknown word \"", words[i], "\"; known: partition, overlap, stream, late, ahead");
  }
  return s;
}

}  // namespace harp
