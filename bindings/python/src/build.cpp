#include "build.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "context.h"
#include "errors.h"

namespace harp_python {

namespace {

struct Texts {
  std::unordered_map<std::string, int64_t> numbers;
  std::deque<std::string> texts;
};
Texts& texts() {
  static auto* table = new Texts;
  return *table;
}

/// Converts an argument that has only 32 bits in harp.h. Throws if it does not fit.
int32_t narrow(int64_t number) {
  if (number != static_cast<int32_t>(number)) throw Failure(HARP_ERROR_RANGE, std::to_string(number) + " does not fit 32 bits");
  return static_cast<int32_t>(number);
}

/// Returns the number of results for which to allocate room, if an argument of the operation determines it. A count that is too large is
/// clamped, because harp then reports the error.
size_t results(int64_t count) { return static_cast<size_t>(std::clamp<int64_t>(count, 0, 1 << 20)); }

harp_pool_options pool_options(Reader::List<int64_t> stride, Reader::List<harp_dim> padding, Reader::List<int64_t> dilation,
                               int64_t ceil_mode, int64_t count_include_pad) {
  harp_pool_options options = HARP_POOL_OPTIONS_INIT;
  options.n_stride = stride.n;
  options.stride = stride.data;
  options.n_padding = padding.n;
  options.padding = padding.data;
  options.n_dilation = dilation.n;
  options.dilation = dilation.data;
  options.ceil_mode = static_cast<int32_t>(ceil_mode);
  options.count_include_pad = static_cast<int32_t>(count_include_pad);
  return options;
}

void build_custom_function(Reader& r, Nodes& out) {
  const auto nodes = r.nodes();
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = r.text();
  desc.dtype = static_cast<harp_dtype>(r.integer());
  const auto sizes = r.sizes();
  desc.rank = sizes.n;
  desc.dims = sizes.data;
  desc.graph = r.graph();
  out[0] = harp_custom_function(nodes.n, nodes.data, &desc);
}

void build_custom_function_results(Reader& r, Nodes& out) {
  const auto nodes = r.nodes();
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = r.text();
  const auto dtypes = r.axes();  // one number (HARP_F32 ...) for each dtype
  const auto sizes = r.sizes();
  desc.rank = sizes.n;
  desc.dims = sizes.data;
  desc.graph = r.graph();
  out.assign(std::max<size_t>(results(dtypes.n), 1), nullptr);
  harp_custom_function_results(nodes.n, nodes.data, &desc, dtypes.n, dtypes.data, out.data());
}

void build_native(Reader& r, Nodes& out) {
  const auto nodes = r.nodes();
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  desc.function = reinterpret_cast<harp_native_function>(r.address());
  desc.user = reinterpret_cast<void*>(r.address());
  desc.name = r.text();
  desc.signature = r.text();
  desc.dtype = static_cast<harp_dtype>(r.integer());
  const auto sizes = r.sizes();
  desc.rank = sizes.n;
  desc.dims = sizes.data;
  out[0] = harp_native(nodes.n, nodes.data, &desc);
}

constexpr Row kRows[] = {
#include "ops_generated.inc"
    {"custom_function", "NstD", "nodes body dtype shape", false, build_custom_function},
    {"custom_function_results", "NsAD", "nodes body dtypes shape", true, build_custom_function_results},
    {"native", "NhsstD", "inputs function name signature dtype shape", false, build_native},  // 'h' stands for a tuple: (address of the function, address for `user`, the owner of both)
};
constexpr int32_t kNative = static_cast<int32_t>(std::size(kRows)) - 1;

constexpr std::string_view kViews[] = {
    "arange",  "bitcast", "broadcast_to", "diagonal",  "expand",    "eye",      "flatten", "flip",      "full",     "linspace",
    "moveaxis", "permute_dims", "reshape", "slice", "split", "split_at", "squeeze", "stop_gradient", "transpose", "unfold", "unfold1d",
    "unfold2d", "unfold3d", "unsqueeze", "unstack", "meshgrid", "cast"};

}  // namespace

const Row& row(int32_t index) { return kRows[index]; }
int32_t row_count() { return static_cast<int32_t>(std::size(kRows)); }
bool is_native(int32_t index) { return index == kNative; }
bool is_view(int32_t index) { return std::ranges::find(kViews, kRows[index].name) != std::end(kViews); }

bool has_symbolic_size(int32_t index, const Words& words) {
  if (index < 0) return index == kSize;
  const auto is_symbolic = [](int64_t size) { return size < -(int64_t{1} << 62) && size > HARP_SLICE_NONE; };
  const int64_t* word = words.data();
  // Tests only words that are sizes: a word that contains the bits of a double may be equal to the handle of a symbolic size.
  for (const char* kind = kRows[index].kinds; *kind != 0; ++kind) {
    switch (*kind) {
      case 'x':
      case 'p': break;
      case 'F': word += *word != 0 ? 2 : 1; break;
      case 'h': word += 2; break;
      case 'd':
      case 'e':
        if (is_symbolic(*word++)) return true;
        break;
      case 'A':
      case 'D':
      case 'G':
      case 'S': {
        const int64_t n = std::max<int64_t>(*word++, 0);
        if ((*kind == 'D' || *kind == 'S') && std::any_of(word, word + n, is_symbolic)) return true;
        word += n;
        break;
      }
      default: ++word;
    }
  }
  return false;
}

int64_t text_number(std::string_view text) {
  Texts& table = texts();
  const auto [at, is_new] = table.numbers.try_emplace(std::string(text), static_cast<int64_t>(table.texts.size()));
  if (is_new) table.texts.emplace_back(text);
  return at->second;
}

const char* text_of_number(int64_t number) { return texts().texts[static_cast<size_t>(number)].c_str(); }

double Reader::real() { return std::bit_cast<double>(*word_++); }

const double* Reader::optional_real() {
  if (*word_++ == 0) return nullptr;
  real_ = real();
  return &real_;
}

const char* Reader::text() {
  const int64_t number = *word_++;
  return number < 0 ? nullptr : text_of_number(number);
}

Reader::List<harp_node*> Reader::nodes() {
  const auto n = static_cast<int32_t>(*word_++);
  const List<harp_node*> list{n, source_};
  source_ += n;
  return list;
}

Reader::List<int64_t> Reader::longs() {
  const auto n = static_cast<int32_t>(*word_++);
  if (n < 0) return {0, nullptr};
  const List<int64_t> list{n, word_};
  word_ += n;
  return list;
}

Reader::List<int32_t> Reader::axes() {
  const List<int64_t> list = longs();
  if (list.data == nullptr) return {0, nullptr};
  std::vector<int32_t>& axes = axes_.emplace_back();
  for (int32_t i = 0; i < list.n; ++i) axes.push_back(narrow(list.data[i]));
  axes.push_back(0);  // an additional element, so that data() is not NULL for an empty list; NULL would mean that no list was given
  return {list.n, axes_.back().data()};
}

Reader::List<double> Reader::reals() {
  const List<int64_t> list = longs();
  return {list.n, reinterpret_cast<const double*>(list.data)};  // each word contains the bits of a double
}

void build_operation(harp_graph* graph, int32_t index, const Words& words, std::span<harp_node* const> sources, Nodes& out) {
  out.assign(1, nullptr);
  Reader reader(graph, words, sources);
  kRows[index].build(reader, out);
  if (harp_error* error = harp_graph_take_error(graph)) fail(error);
  // harp stores an error in the graph of the first node; an empty list of nodes gives NULL without a stored error
  if (std::ranges::find(out, nullptr) != out.end())
    throw Failure(HARP_ERROR_INVALID_ARGUMENT, std::string(kRows[index].name) + ": expected at least one array, got an empty list");
}

harp_node* declare(harp_graph* graph, const Type& type, size_t number) {
  const std::string name = "x" + std::to_string(number);
  harp_node* node = harp_input(graph, name.c_str(), type.dtype, type.rank, type.dims);
  if (node == nullptr) fail(harp_graph_take_error(graph));
  return node;
}

Ref<Type> type_of_node(const harp_node* node) {
  const int32_t rank = harp_node_rank(node);
  harp_dim dims[HARP_MAX_RANK];
  harp_node_dims(node, rank, dims, Check());
  return type_of(harp_node_dtype(node), rank, dims);
}

namespace {

std::vector<Ref<Type>> infer_in(harp_graph* graph, int32_t index, const Words& words, std::span<Node* const> sources) {
  Nodes inputs, out;
  for (size_t i = 0; i < sources.size(); ++i) inputs.push_back(declare(graph, *sources[i]->type, i));
  build_operation(graph, index, words, inputs, out);
  std::vector<Ref<Type>> results;
  for (const harp_node* node : out) results.push_back(type_of_node(node));
  return results;
}

}  // namespace

std::vector<Ref<Type>> infer(int32_t index, const Words& words, std::span<Node* const> sources) {
  // If attributes are symbolic sizes, the operation must be built in the graph of these sizes.
  const bool symbolic = std::ranges::any_of(sources, [](const Node* source) { return source->type->symbolic; }) ||
                        has_symbolic_size(index, words);
  if (symbolic) return infer_in(SymbolicGraph().get(), index, words, sources);
  return infer_in(PlainGraph().get(), index, words, sources);
}

}  // namespace harp_python
