#include "run/npy_header.h"

#include <bit>
#include <charconv>
#include <span>

#include "base/error.h"

namespace harp {

namespace {

struct NpyType {
  std::string_view code;  // NumPy's type code without the byte order, for example "f4"
  DType dtype;
};

constexpr NpyType kTypes[] = {
    {"b1", DType::kBool}, {"i1", DType::kI8},  {"u1", DType::kU8},  {"i2", DType::kI16},   {"u2", DType::kU16},
    {"i4", DType::kI32},  {"u4", DType::kU32}, {"i8", DType::kI64}, {"u8", DType::kU64},   {"f2", DType::kF16},
    {"f4", DType::kF32},  {"f8", DType::kF64}, {"c8", DType::kC64}, {"c16", DType::kC128}, {"V2", DType::kBF16},
};

constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

/// Parses the Python dict. Every error message contains the position of the error.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  NpyHeader read() {
    NpyHeader header;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !have_descr) {
        have_descr = true;
        read_descr(header);
      } else if (key == "fortran_order" && !have_order) {
        have_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !have_shape) {
        have_shape = true;
        header.dims = tuple();
      } else {
        damaged(cat("unexpected key '", key, "'"));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) damaged("text after the dict");
    if (!have_descr || !have_order || !have_shape) damaged("a key is missing (descr, fortran_order and shape are needed)");
    return header;
  }

 private:
  [[noreturn]] void damaged(std::string_view what) const { fail(Code::kParse, path_, ": damaged .npy header at byte ", at_, ": ", what); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  bool accept(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) damaged(cat("expected '", wanted, "'"));
  }
  std::string_view string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) damaged("expected a string");
    const char quote = text_[at_++];
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) damaged("unterminated string");
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    damaged("expected True or False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) damaged("expected a size");
      at_ = static_cast<size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 writes long integers with the suffix L
      dims.push_back(size);
      if (dims.size() > 64) damaged("too many axes; at most 64 are allowed");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }
  void read_descr(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') fail(Code::kUnsupported, path_, ": structured arrays are not supported");
    const std::string_view descr = string();
    if (descr.empty()) damaged("an empty descr");
    const bool has_order = std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
    const char order = has_order ? descr[0] : '=';
    const std::string_view code = has_order ? descr.substr(1) : descr;
    if (code.starts_with('O')) fail(Code::kUnsupported, path_, ": object arrays ('", descr, "') are not supported");
    if (code.starts_with('S') || code.starts_with('U') || code.starts_with('a'))
      fail(Code::kUnsupported, path_, ": string arrays ('", descr, "') are not supported");
    for (const NpyType& type : kTypes) {
      if (type.code != code) continue;
      header.dtype = type.dtype;
      header.swapped = (order == '<' || order == '>') && order != kNativeOrder && size_of(type.dtype) > 1;
      return;
    }
    fail(Code::kUnsupported, path_, ": arrays with elements '", descr, "' are not supported");
  }

  std::string_view text_, path_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view path) { return HeaderReader(text, path).read(); }

std::string npy_head(DType dtype, std::span<const int64_t> dims) {
  std::string_view code;
  for (const NpyType& type : kTypes)
    if (type.dtype == dtype) code = type.code;
  HARP_CHECK(!code.empty(), Code::kUnsupported, ".npy files have no element type for ", name(dtype));
  std::string dict = cat("{'descr': '", size_of(dtype) == 1 ? '|' : kNativeOrder, code, "', 'fortran_order': False, 'shape': (",
                         join(dims, ", "), dims.size() == 1 ? ",), }" : "), }");
  constexpr size_t kFixed = 10;  // number of bytes of the magic string, the version and the header's length
  dict.append(63 - (kFixed + dict.size()) % 64, ' ');
  dict.push_back('\n');
  return cat(std::string_view("\x93NUMPY\x01\x00", 8), static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8), dict);
}

}  // namespace harp
