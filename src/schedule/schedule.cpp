#include "schedule/schedule.h"

#include <algorithm>
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

/// Splits a text at spaces. Each bracket and comma is a word of its own.
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

/// A word that may follow the axes, such as "partition", and the field that it sets.
struct Switch {
  std::string_view word;
  bool Schedule::*is_on;
};
constexpr Switch kSwitches[] = {{"partition", &Schedule::partition},
                                {"overlap", &Schedule::overlap},
                                {"nontemporal", &Schedule::nontemporal},
                                {"defer_stores", &Schedule::defer_stores},
                                {"prefetch", &Schedule::prefetch},
                                {"nan_flag", &Schedule::nan_flag},
                                {"half", &Schedule::half}};

/// Parses one word of an axis, such as "thread" or "simd=16". `given` contains the keys of the axis's words so far ("simd" for "simd=16",
/// "kind" for the name of a kind). A repeated key is an error.
void parse_axis_word(std::string_view word, AxisSchedule& axis, std::vector<std::string_view>& given) {
  constexpr std::string_view kKind = "kind";
  const size_t equals = word.find('=');
  const bool is_kind = equals == word.npos && word != "pack";
  const std::string_view key = is_kind ? kKind : word.substr(0, equals);
  if (is_kind) axis.kind = parse_word<AxisKind>(kKinds, "axis kind", word);
  HARP_CHECK(std::ranges::find(given, key) == given.end(), Code::kParse, "schedule: an axis has ", key, " twice, the second time as \"",
             word, "\"");
  given.push_back(key);
  if (word == "pack") axis.pack = true;
  if (equals == word.npos) return;
  const std::string_view digits = word.substr(equals + 1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  HARP_CHECK(error == std::errc() && end == digits.data() + digits.size() && value >= 1 && value <= (int64_t(1) << 40), Code::kParse,
             "schedule: \"", word, "\": expected a number from 1 to 2^40 after =");
  if (key == "tile")
    axis.tile = value;
  else if (key == "unroll" && value <= 64)
    axis.unroll = static_cast<int>(value);
  else if (key == "simd" && value <= 64)
    axis.simd_width = static_cast<int>(value);
  else if (key == "split")
    axis.split = value;
  else if (key == "stages")
    axis.stages = value;
  else
    fail(Code::kParse, "schedule: unknown or too large setting \"", word,
         "\"; known: tile=N, unroll=N up to 64, simd=N up to 64, split=N, stages=N");
}

}  // namespace

std::string_view name_of(Template recipe) { return kRecipes[static_cast<int>(recipe)]; }
std::string_view name_of(AxisKind kind) { return kKinds[static_cast<int>(kind)]; }

std::string print(const Schedule& schedule) {
  const auto axis_text = [](const AxisSchedule& a) {
    std::string out(name_of(a.kind));
    if (a.tile) append(out, cat(" tile=", a.tile));
    if (a.unroll != 1) append(out, cat(" unroll=", a.unroll));
    if (a.simd_width != 1) append(out, cat(" simd=", a.simd_width));
    if (a.split) append(out, cat(" split=", a.split));
    if (a.stages) append(out, cat(" stages=", a.stages));
    if (a.pack) append(out, " pack");
    return out;
  };
  std::string out = cat(name_of(schedule.recipe), " [", join(schedule.axes, ", ", axis_text), "]");
  for (const Switch& each : kSwitches)
    if (schedule.*each.is_on) append(out, cat(" ", each.word));
  return out;
}

Schedule parse_schedule(std::string_view text) {
  Schedule s;
  s.partition = s.overlap = false;
  const auto words = words_of(text);
  size_t i = 0;
  HARP_CHECK(!words.empty(), Code::kParse, "schedule: expected a recipe, got an empty text");
  s.recipe = parse_word<Template>(kRecipes, "recipe", words[i++]);
  HARP_CHECK(i < words.size() && words[i] == "[", Code::kParse, "schedule: expected [ after the recipe, got ",
             i < words.size() ? cat("\"", words[i], "\"") : std::string("the end of the text"));
  ++i;
  // closed: the "]" has been read; open: an axis has begun, but its "," or "]" has not been read yet.
  bool closed = false, open = false;
  AxisSchedule axis;
  std::vector<std::string_view> given;
  for (; i < words.size() && !closed; ++i) {
    if (words[i] == "," || words[i] == "]") {
      HARP_CHECK(open || (words[i] == "]" && s.axes.empty()), Code::kParse, "schedule: expected an axis before ", words[i]);
      if (open) s.axes.push_back(axis);
      axis = {}, open = false, given.clear();
      closed = words[i] == "]";
    } else {
      parse_axis_word(words[i], axis, given);
      open = true;
    }
  }
  HARP_CHECK(closed, Code::kParse, "schedule: expected ] after the axes, got the end of the text");
  for (; i < words.size(); ++i) {
    const auto found = std::ranges::find(kSwitches, words[i], &Switch::word);
    HARP_CHECK(found != std::end(kSwitches), Code::kParse, "schedule: unknown word \"", words[i],
               "\"; known: ", join(kSwitches, ", ", [](const Switch& each) { return each.word; }));
    HARP_CHECK(!(s.*found->is_on), Code::kParse, "schedule: \"", words[i], "\" is given twice");
    s.*found->is_on = true;
  }
  return s;
}

}  // namespace harp
