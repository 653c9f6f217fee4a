#include "fuzz/merged_unit.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace harp::fuzz {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// If a comment, a string or a character constant begins at position `at`, returns the position after it; otherwise returns `at`.
size_t skip_opaque(std::string_view s, size_t at) {
  if (s.substr(at, 2) == "/*") return std::min(s.find("*/", at), s.size() - 2) + 2;
  if (s.substr(at, 2) == "//") return std::min(s.find('\n', at), s.size());
  if (s[at] != '"' && s[at] != '\'') return at;
  const char quote = s[at];
  size_t i = at + 1;
  while (i < s.size() && s[i] != quote) i += s[i] == '\\' ? 2 : 1;
  return std::min(i + 1, s.size());
}

/// The position after the preprocessor line that begins at `at`, with its continuation lines. A whole conditional section, from #if to
/// #endif, counts as one line.
size_t skip_directive(std::string_view s, size_t at) {
  int depth = 0;
  while (at < s.size()) {
    size_t end = at;
    do end = std::min(s.find('\n', end), s.size() - 1) + 1;
    while (end < s.size() && s[end - 2] == '\\');
    std::string_view line = s.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.substr(0, 1) == "#") {
      line.remove_prefix(1);
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (line.substr(0, 2) == "if") ++depth;
      if (line.substr(0, 5) == "endif") --depth;
    }
    at = end;
    if (depth == 0) break;
  }
  return at;
}

std::string_view last_word(std::string_view s) {
  size_t end = s.size();
  while (end > 0 && !is_word(s[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_word(s[begin - 1])) --begin;
  return s.substr(begin, end - begin);
}

/// Returns the declaration without attributes and without anything after the declarator (a body or an initialiser), so that the last word
/// is the declared name.
std::string without_attributes(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    if (const size_t behind = skip_opaque(s, i); behind != i) {
      i = behind;
      continue;
    }
    constexpr std::string_view kAttribute = "__attribute__";
    if (s.substr(i, kAttribute.size()) == kAttribute) {
      i = std::min(s.find('(', i), s.size());
      int depth = 0;
      do depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
      while (++i < s.size() && depth > 0);
      continue;
    }
    out += s[i++];
  }
  return out;
}

std::string name_of(std::string_view declaration) {
  if (declaration[0] == '#') {
    const size_t define = declaration.find("define");
    if (declaration.find("#if") != declaration.npos || define == declaration.npos) return "";
    size_t begin = declaration.find_first_not_of(" \t", define + 6), end = begin;
    while (end < declaration.size() && is_word(declaration[end])) ++end;
    return std::string(declaration.substr(begin, end - begin));
  }
  std::string text = without_attributes(declaration);
  if (text.rfind("typedef", 0) == 0) {
    if (const size_t pointer = text.find("(*"); pointer != text.npos) {
      const size_t end = text.find(')', pointer);
      return std::string(last_word(std::string_view(text).substr(0, end)));
    }
    return std::string(last_word(text));
  }
  const size_t end = text.find_first_of("([={;");
  return std::string(last_word(std::string_view(text).substr(0, end)));
}

/// Whether the declaration is that of a variable whose value can change, such as a table that a function fills when the library is loaded.
bool is_state(std::string_view declaration) {
  const std::string text = without_attributes(declaration);
  return text.rfind("static ", 0) == 0 && text.rfind("static const ", 0) != 0 && text.find('(') == text.npos;
}

}  // namespace

std::vector<Declaration> split_declarations(std::string_view source) {
  std::vector<Declaration> declarations;
  size_t i = 0;
  const auto emit = [&](size_t begin, size_t end) {
    const std::string_view text = source.substr(begin, end - begin);
    const std::string name = name_of(text);
    const size_t at = name.empty() ? std::string_view::npos : text.find(name);
    declarations.push_back({text, at == text.npos ? std::string_view() : text.substr(at, name.size())});
  };
  while (i < source.size()) {
    if (std::isspace(static_cast<unsigned char>(source[i]))) {
      ++i;
      continue;
    }
    if (source.substr(i, 2) == "/*" || source.substr(i, 2) == "//") {
      i = skip_opaque(source, i);
      continue;
    }
    const size_t begin = i;
    if (source[i] == '#') {
      i = skip_directive(source, i);
      emit(begin, i);
      continue;
    }
    int depth = 0;
    bool is_function = false;
    char previous = ' ';
    for (; i < source.size(); ++i) {
      if (const size_t behind = skip_opaque(source, i); behind != i) {
        i = behind - 1;
        continue;
      }
      const char c = source[i];
      if (c == '{' && depth == 0) is_function = previous == ')';
      if (c == '{' || c == '(' || c == '[') ++depth;
      if (c == '}' || c == ')' || c == ']') --depth;
      if (!std::isspace(static_cast<unsigned char>(c))) previous = c;
      if (depth == 0 && (c == ';' || (c == '}' && is_function))) break;
    }
    i = std::min(i + 1, source.size());
    emit(begin, i);
  }
  return declarations;
}

std::string rename_identifiers(std::string_view text, const std::unordered_map<std::string, std::string>& names) {
  if (names.empty()) return std::string(text);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(i, end - i));
    const auto found = names.find(word);
    out += found == names.end() ? word : found->second;
    i = end;
  }
  return out;
}

std::string MergedUnit::add(std::string_view source, std::string_view entry) {
  const int unit = units_++;
  std::unordered_map<std::string, std::string> renamed;
  // Names that this unit has declared and that keep their name in the merged text. Further declarations of such a name in the same unit,
  // such as the function after its prototype, keep the name as well.
  std::unordered_set<std::string> own;
  std::string result(entry);
  for (const Declaration& declaration : split_declarations(source)) {
    std::string text = rename_identifiers(declaration.text, renamed);
    const std::string name(declaration.name);
    if (name.empty()) {
      if (nameless_.insert(text).second) text_ += text + "\n";
      continue;
    }
    if (own.contains(name)) {
      declared_[name].emplace(text, name);
    } else if (!renamed.contains(name)) {
      auto& texts = declared_[name];
      // Entry points and variables whose value can change belong to one program, even if another program declares them with the same text.
      const bool is_separate = name == entry || name == "entry_point" || name == "entry_point_ex" || is_state(declaration.text);
      if (const auto found = texts.find(text); !is_separate && found != texts.end()) {  // the merged text has an identical declaration
        if (found->second != name) renamed[name] = found->second;
        continue;
      }
      if (!texts.empty()) {
        renamed[name] = cat(name, "_u", unit);
        texts.emplace(text, renamed[name]);
        text = rename_identifiers(declaration.text, renamed);
      } else {
        texts.emplace(text, name);
        own.insert(name);
      }
    }
    text_ += text + "\n";
  }
  if (const auto found = renamed.find(result); found != renamed.end()) result = found->second;
  return result;
}

}  // namespace harp::fuzz
