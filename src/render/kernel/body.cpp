#include "render/kernel/body.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "render/c/compiler_bugs.h"
#include "render/c/types.h"
#include "render/kernel/accumulators.h"

namespace harp::render {

using ir::Line;
using ir::LineKind;
using ir::UKind;
using ir::UOp;

namespace {

class BodyRenderer {
 public:
  BodyRenderer(Unit& unit, ExpressionContext context, ir::Arena* arena, std::function<std::string(const SymAtom*)> shape_name)
      : unit_(unit),
        context_(std::move(context)),
        arena_(arena),
        position_(unit, names_,
                  [this, shape_name = std::move(shape_name)](const SymAtom* v) {
                    body_.shape_variables.insert(v);
                    return shape_name(v);
                  }),
        expression_(unit, names_, position_, context_),
        accumulators_(unit, context_, arena, names_, position_, expression_, [this](std::string_view text) { out(text); }) {}

  Body render(std::span<const Line> lines) {
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i + 1 < lines.size() && are_pairs(lines[i], lines[i + 1])) {
        store_pairs(lines[i], lines[i + 1]);
        ++i;
      } else if (i + 1 < lines.size() && accumulators_.fold_alike(lines[i], lines[i + 1])) {
        accumulators_.fold_two(lines[i], lines[i + 1]);
        ++i;
      } else if (i + 1 < lines.size() && lines[i + 1].is_alike && call_two(lines[i], lines[i + 1])) {
        ++i;
      } else if (lines[i].kind == LineKind::kTry && !unit_.detects_invalid()) {
        i += retry_of(lines.subspan(i));
        open("{", nullptr);
      } else {
        wraps_ = lines[i].kind == LineKind::kLoop && wraps_positions(lines[i], lines.subspan(i + 1));
        line(lines[i]);
      }
    }
    return std::move(body_);
  }

 private:
  void out(std::string_view text) { append(body_.text, cat(std::string(static_cast<size_t>(indent_) * 2, ' '), text, "\n")); }

  /// Returns the index of the first kRetry line.
  static size_t retry_of(std::span<const Line> lines) {
    const auto retry = std::ranges::find(lines, LineKind::kRetry, &Line::kind);
    HARP_ASSERT(retry != lines.end(), "no line to repeat");
    return static_cast<size_t>(retry - lines.begin());
  }

  void line(const Line& l) {
    names_.values(l.names);
    switch (l.kind) {
      case LineKind::kComment: return out(cat("/* ", l.as<ir::Comment>().text, " */"));
      case LineKind::kLoop: return loop(l);
      case LineKind::kIf: return open(cat("if (", position_.is_nonnegative(l.as<ir::If>().condition).text, ") {"), nullptr);
      case LineKind::kElse: return branch();
      case LineKind::kTry:
        unit_.define_invalid_flag();
        out("harp_watch();");
        return open("{", nullptr);
      case LineKind::kRetry: close(); return open("if (harp_met_invalid()) {", nullptr);
      case LineKind::kEnd: return close();
      case LineKind::kLet: return let(l);
      case LineKind::kDefine:
        out(cat("const int64_t ", l.name, " = ", expression_.whole(l.value).text, ";"));
        return names_.atom(l.atom, l.name);
      case LineKind::kOffset:
        out(cat("const int64_t ", l.name, " = ", position_.operation(*l.atom).text, ";"));
        return names_.atom(l.atom, l.name);
      case LineKind::kPointer: return pointer(l);
      case LineKind::kKeep: return keep(l);
      case LineKind::kStore: return store(l.as<ir::Store>());
      case LineKind::kPrefetch: return prefetch(l.as<ir::Prefetch>());
      case LineKind::kScatter: return scatter(l.as<ir::Scatter>());
      case LineKind::kAccDeclare: return accumulators_.declare(l.as<ir::AccDeclare>());
      case LineKind::kAccSet: return accumulators_.set(l.as<ir::AccSet>());
      case LineKind::kAccUpdate: return accumulators_.update(l.as<ir::AccUpdate>());
      case LineKind::kAccFold: return accumulators_.fold(l);
      case LineKind::kAccScan: return accumulators_.scan(l.as<ir::AccScan>());
      case LineKind::kRoutine: return routine(l.as<ir::Routine>());
      case LineKind::kCopy: return copy(l.as<ir::Copy>());
      case LineKind::kBreak: return leave_loop(l.as<ir::Break>());
      case LineKind::kReturn: return out(cat(result_is_, result(l.value), ";"));
    }
  }

  void open(std::string_view head, const SymAtom* loop_variable) {
    out(head);
    ++indent_;
    names_.open(loop_variable);
    ++depth_;
  }
  void close() {
    names_.close();
    --indent_;
    out("}");
    --depth_;
    if (pieces_.empty() || pieces_.back().depth != depth_) return;
    out(cat("if (", pieces_.back().is_done, ") break;"));
    leave_if_cancelled();
    if (!pieces_.back().next.empty()) out(pieces_.back().next);
    --indent_;
    out("}");
    pieces_.pop_back();
  }
  void branch() {
    names_.close();
    --indent_;
    --depth_;
    open("} else {", nullptr);
  }

  std::string result(const UOp* value) {
    if (is_bool(value->type.dtype) && expression_.lanes(value) > 1) return expression_.mask(value, std::max(result_mask_bits_, 8));
    return expression_.whole(value).text;
  }

  void loop(const Line& l) {
    const auto& s = l.as<ir::Loop>();
    const std::string& v = l.name;
    const std::string advance = s.step == 1 ? cat("++", v) : cat(v, " += ", s.step);
    if (s.loop == ir::LoopKind::kUnroll && s.begin.is_constant() && s.end.is_constant())
      out(cat("#pragma GCC unroll ", std::clamp<int64_t>((s.end.constant() - s.begin.constant() + s.step - 1) / s.step, 1, 64)));
    // begin0 and end0 count iterations
    const auto at = [&](std::string_view count) {
      const std::string text = s.step == 1 ? cat("(int64_t)", count) : cat("(int64_t)", count, " * ", s.step);
      return s.begin.is_constant(0) ? text : cat(bracket(position_(s.begin), kSum), " + ", text);
    };
    const bool thread = s.loop == ir::LoopKind::kThread;
    const std::string begin = thread ? at("begin0") : position_(s.begin).text;
    const std::string end = thread ? at("end0") : bracket(position_(s.end), kShift);
    const bool in_pieces = s.poll_interval > 1;
    if (s.overlap) {
      overlapping(l, begin, end);
    } else if (in_pieces) {
      pieces(s, v, begin, end);
      if (wraps_) out(kWrapsMark);
      open(cat("for (; ", v, " < ", v, "_end; ", advance, ") {"), l.atom);
    } else {
      if (wraps_) out(kWrapsMark);
      open(cat("for (int64_t ", v, " = ", begin, "; ", v, " < ", end, "; ", advance, ") {"), l.atom);
    }
    names_.atom(l.atom, v);
    if (s.poll_interval == 1) leave_if_cancelled();
  }

  /// Opens the outer loop over pieces. If all pieces have the same length, the text makes that visible to gcc, which then vectorises the
  /// inner loop.
  void pieces(const ir::Loop& s, const std::string& v, const std::string& begin, const std::string& end) {
    const int64_t piece = s.poll_interval * s.step;
    const std::string limit = cat(v, "_end"), further = cat(v, " + ", piece), is_done = cat(v, " >= ", end);
    const Sym all = s.end - s.begin;
    if (s.loop != ir::LoopKind::kThread && all.is_constant() && all.constant() % piece == 0) {
      out(cat("for (int64_t ", v, " = ", begin, ";;) {"));
      ++indent_;
      out(cat("const int64_t ", limit, " = ", further, ";"));
      return pieces_.push_back({depth_, is_done, {}});
    }
    const std::string first = begin == "0" ? cat(end, " > ", piece, " ? ", piece) : cat(end, " - ", v, " > ", piece, " ? ", further);
    out(cat("for (int64_t ", v, " = ", begin, ", ", limit, " = ", first, " : ", end, ";;) {"));
    ++indent_;
    pieces_.push_back({depth_, is_done, cat(limit, " = ", end, " - ", v, " > ", piece, " ? ", further, " : ", end, ";")});
  }
  /// Leaves a loop. If the loop runs in pieces, this leaves the inner loop, and the outer loop's end condition then leaves the outer loop.
  void leave_loop(const ir::Break& s) {
    const std::string ends = cat(expression_.name_of(s.accumulator), " != 0");
    out(cat("if (", ends, ") break;"));
    if (!pieces_.empty() && pieces_.back().depth == depth_ - 1) append(pieces_.back().is_done, cat(" || ", ends));
  }
  /// Non-temporal stores of a cancelled run must also complete before the kernel is reported as done.
  void leave_if_cancelled() {
    const std::string_view test = "if (harp_is_set(cancel)) ";
    const bool streams = ir::streams(*context_.kernel) && unit_.options().target.cpu().non_temporal_stores && !unit_.options().plain_text;
    out(streams ? cat(test, "{ __builtin_ia32_sfence(); return; }") : cat(test, "return;"));
  }

  /// Two loops around one body, so that the inner loop advances by a constant step. (Clamping the index in a single loop costs a third of
  /// the speed in L1.)
  void overlapping(const Line& l, const std::string& begin, const std::string& end) {
    const auto& s = l.as<ir::Loop>();
    const std::string &v = l.name, last = bracket(position_(s.end - s.step), kShift), limit = cat(v, "_last");
    const bool keeps = !turn_to_kept_.empty();
    if (keeps) {
      const Sym rest = mod(s.end - s.begin, s.step);
      const std::string is_rest = proven_positive(rest) ? std::string() : cat(" && ", position_.is_nonnegative(rest - 1).text);
      out(cat("for (int64_t ", v, " = ", position_(s.begin + rest).text, ", ", limit, " = ", last, "; ", v, " <= ", limit, "; ",
              std::exchange(turn_to_kept_, {}), v, " = ", limit, " > ", begin, is_rest, " ? ", begin, " : ", end, ", ", limit, " = ", begin,
              ") /* the first step overlaps the next and comes last */"));
    } else {
      out(cat("for (int64_t ", v, " = ", begin, "; ", v, " < ", end, "; ", v, " = ", v, " < ", end, " ? ", last, " : ", end,
              ") /* the last step overlaps the one before */"));
    }
    open(cat("for (; ", v, " <= ", keeps ? limit : last, "; ", v, " += ", s.step, ") {"), l.atom);
  }

  /// For an array that the loop may overwrite: copies the data that the overlapping first step reads. That step runs last and reads the
  /// copy through the array's pointer variable. The inner loop therefore stays unchanged (selecting the source inside it would cost more
  /// than the copy).
  void keep(const Line& l) {
    const UOp* u = l.value;
    const auto& s = l.as<ir::Loop>();
    const DType dtype = u->type.dtype;
    const Expressions::Address at = expression_.address(u->buffer, u->index, variable_of(s.variable));
    HARP_ASSERT(at.rest.terms.size() == 1, "elements kept for the next step of a loop are not contiguous");
    const std::string vector = unit_.memory_vector(dtype, u->type.lanes), element(memory_type(dtype)), source = cat(l.name, "_source");
    const size_t bytes = size_of(dtype);
    const Sym first = s.begin + at.rest.constant;
    const std::string place = first.is_constant(0) ? at.pointer : cat("(", at.pointer, " + ", bracket(position_(first), kSum), ")");
    out(cat(element, " ", l.name, "[", u->type.lanes, "] __attribute__((aligned(", u->type.lanes * bytes, ")));"));
    out(cat("*(", vector, "*)", l.name, " = *(const ", vector, "*)", place, ";"));
    out(cat("const ", element, "* ", source, " = ", at.pointer, ";"));
    append(turn_to_kept_, first.is_constant(0) ? cat(source, " = ", l.name, ", ")
                                               : cat(source, " = (const ", element, "*)((size_t)", l.name, " - (size_t)",
                                                     bracket(position_(first), kUnary), bytes == 1 ? "" : cat(" * ", bytes), "), "));
    names_.source(u, source);
  }

  void let(const Line& l) {
    const UOp* u = l.value;
    const int n = expression_.lanes(u);
    const std::string type = expression_.type(u);
    const int bits = n > 1 && is_bool(u->type.dtype) ? expression_.mask_bits(u) : 0;
    if (u->kind == UKind::kRarely) {
      rarely(l, type);
    } else if (!l.guards.empty()) {
      std::string condition;
      for (Sym g : l.guards) append(condition, cat(condition.empty() ? "" : " && ", position_.is_nonnegative(g).text));
      if (n == 1) {
        out(cat("const ", type, " ", l.name, " = ", condition, " ? ", bracket(expression_.computation(u), kSum), " : 0;"));
      } else {
        out(cat(type, " ", l.name, " = {0};"));
        out(cat("if (", condition, ") ", l.name, " = ", expression_.computation(u).text, ";"));
      }
    } else {
      out(cat("const ", type, " ", l.name, " = ", expression_.computation(u).text, ";"));
    }
    names_.mask_bits(l.name, bits);
  }

  /// Interleaves the operations of two calls of one function. Returns false and writes nothing if the function has no such form.
  bool call_two(const Line& a, const Line& b) {
    const std::string name = unit_.function_of_two(*a.value->function, expression_.lanes(a.value));
    if (name.empty()) return false;
    std::string arguments;
    for (const Line* l : {&a, &b}) {
      names_.values(l->names);
      append(arguments, cat(expression_.arguments(l->value->sources), ", "));
    }
    out(cat(expression_.type(a.value), " ", a.name, ", ", b.name, ";"));
    out(cat(name, "(", arguments, "&", a.name, ", &", b.name, ");"));
    return true;
  }

  /// Writes name = common. If the condition holds in some lanes, those lanes are recomputed one by one.
  void rarely(const Line& l, const std::string& type) {
    const UOp* u = l.value;
    const int n = expression_.lanes(u);
    const std::span<const UOp* const> arguments(u->sources.begin() + 2, u->sources.end());
    const std::string function = unit_.function(*u->function, 1);
    const std::string common = expression_.whole(u->sources[1]).text;
    const std::string condition = expression_(u->sources[0]).text;
    if (n == 1) {
      const std::string list = join(arguments, ", ", [&](const UOp* a) { return expression_(a).text; });
      return out(cat("const ", type, " ", l.name, " = ", bracket(expression_(u->sources[0]), kRelational), " ? ", function, "(", list,
                     ") : ", bracket(expression_(u->sources[1]), kSum), ";"));
    }
    out(cat(type, " ", l.name, " = ", common, ";"));
    const int bits = expression_(u->sources[0]).mask_bits;
    std::vector<std::string> types;
    for (const UOp* a : arguments) types.push_back(expression_.type(a));
    const std::string lane_by_lane = unit_.rare_lanes(*u->function, n, bits, type, types);
    out(cat("if (__builtin_expect(", unit_.any(bits, n), "(", condition, "), 0)) ", l.name, " = ", lane_by_lane, "(", condition, ", ",
            l.name, ", ", join(arguments, ", ", [&](const UOp* a) { return expression_.whole(a).text; }), ");"));
  }

  void pointer(const Line& l) {
    const int accumulator = l.buffer - static_cast<int>(context_.parameters.size());
    if (accumulator >= 0) {
      const int lanes = context_.accumulators[static_cast<size_t>(accumulator)].lanes;
      if (lanes > 1) return;  // an array of vectors needs no element pointer
      const DType dtype = context_.kernel->accumulators[static_cast<size_t>(accumulator)].type.dtype;
      out(cat(unit_.type(dtype, 1), "* ", l.name, " = ", expression_.name_of(accumulator), " + ", bracket(position_(l.row), kSum), ";"));
      return names_.pointer(l.buffer, l.row, l.name);
    }
    const ir::Param& p = context_.kernel->params[static_cast<size_t>(l.buffer)];
    const std::string element(memory_type(p.dtype));
    out(cat(p.written ? "" : "const ", element, "* ", l.name, " = ", context_.parameters[static_cast<size_t>(l.buffer)], " + ",
            bracket(position_(l.row), kSum), ";"));
    names_.pointer(l.buffer, l.row, l.name);
  }

  void store(const ir::Store& s) { store_at(expression_.address(s.buffer, s.index), s); }

  void store_at(const Expressions::Address& at, const ir::Store& s) {
    const DType dtype = s.value->type.dtype;
    const int n = s.value->type.lanes;
    if (n == 1) {
      const std::string assignment = cat(expression_.element_text(at), " = ", expression_(s.value).text, ";");
      return out(s.mask == nullptr ? assignment : cat("if (", expression_(s.mask).text, ") ", assignment));
    }
    const std::string pointer = expression_.pointer_text(at);
    std::string value = expression_.whole(s.value).text;
    const int memory_bits = static_cast<int>(size_of(dtype)) * 8;
    if (is_bool(dtype)) value = cat("(", unit_.memory_vector(dtype, n), ")(", expression_.mask(s.value, 8, kUnary), " & 1)");
    if (s.mask == nullptr && s.lane_step.is_constant(1)) {
      if (s.stream && unit_.has_stream(dtype, n)) return out(cat(unit_.stream(dtype, n), "(", pointer, ", ", value, ");"));
      return out(cat("*(", unit_.memory_vector(dtype, n), "*)", at.is_pointer() ? pointer : cat("(", pointer, ")"), " = ", value, ";"));
    }
    const bool strided = !s.lane_step.is_constant(1);
    std::string text = cat(unit_.store(dtype, n, strided, s.mask != nullptr), "(", pointer);
    if (strided) append(text, cat(", ", position_(s.lane_step).text));
    append(text, cat(", ", value));
    if (s.mask != nullptr) append(text, cat(", ", expression_.mask(s.mask, memory_bits)));
    out(cat(text, ");"));
  }

  /// Prefetches into L2, and `is_near` data into L1 if that has room for it: with 48 KB layer_norm of rows of 4 KB takes 0.88 of the time
  /// it takes with a prefetch to L2, softmax 0.98, and softmax of rows of 200 KB 0.92; with 32 KB a row does not fit.
  void prefetch(const ir::Prefetch& s) {
    const bool is_written = context_.kernel->params[static_cast<size_t>(s.buffer)].written;
    constexpr int64_t kRoomForRows = int64_t{48} << 10;
    const int cache = s.is_near && unit_.options().target.cpu().caches.first >= kRoomForRows ? 1 : 2;
    const Expressions::Address at =
        s.position != nullptr ? expression_.scattered(s.buffer, s.index, s.position, s.stride) : expression_.address(s.buffer, s.index);
    out(cat("__builtin_prefetch(", expression_.pointer_text(at), is_written ? ", 1, " : ", 0, ", 4 - cache, ");"));
  }

  /// Tests whether two lines store vectors whose elements are interleaved in memory, usually real and imaginary parts.
  static bool are_pairs(const Line& a, const Line& b) {
    if (a.kind != LineKind::kStore || b.kind != LineKind::kStore) return false;
    const auto &first = a.as<ir::Store>(), &second = b.as<ir::Store>();
    return first.mask == nullptr && second.mask == nullptr && first.value->type.lanes > 1 && first.value->type == second.value->type &&
           !is_bool(first.value->type.dtype) && first.lane_step.is_constant(2) && second.lane_step.is_constant(2) &&
           first.buffer == second.buffer && (second.index - first.index).is_constant(1);
  }
  void store_pairs(const Line& a, const Line& b) {
    const auto& first = a.as<ir::Store>();
    names_.values(a.names);  // each line has its own names of values
    const std::string pointer = expression_.pointer_text(expression_.address(first.buffer, first.index));
    const std::string one = expression_.whole(first.value).text;
    names_.values(b.names);
    const std::string other = expression_.whole(b.as<ir::Store>().value).text;
    out(cat(unit_.store_pairs(first.value->type.dtype, first.value->type.lanes), "(", pointer, ", ", one, ", ", other, ");"));
  }

  void scatter(const ir::Scatter& s) {
    const Expressions::Address at = expression_.scattered(s.buffer, s.index, s.position, s.stride);
    if (!s.combine) {
      ir::Store store;
      store.lane_step = s.lane_step;
      store.value = s.value;
      return store_at(at, store);
    }
    const DType dtype = s.value->type.dtype;
    const int n = s.value->type.lanes;
    const std::string target =
        n == 1 ? expression_.element_text(at) : cat("*(", unit_.memory_vector(dtype, n), "*)(", expression_.pointer_text(at), ")");
    accumulators_.combined(target, *s.combine, accumulators_.combine_function(*s.combine, dtype), n,
                           n == 1 ? expression_(s.value).text : expression_.whole(s.value).text);
  }

  /// Returns the address of an element of a parameter, without using a row pointer.
  std::string from(int parameter, Sym index) const {
    const std::string& array = context_.parameters[static_cast<size_t>(parameter)];
    return index.is_constant(0) ? array : cat(array, " + ", bracket(position_(index), kSum));
  }

  void copy(const ir::Copy& s) {
    const auto row = [&](int accumulator, Sym first) {
      names_.unfold(accumulator);
      const bool is_scalar = context_.accumulators[static_cast<size_t>(accumulator)].size == 1;  // a block of one element
      const std::string name = cat(is_scalar ? "&" : "", expression_.name_of(accumulator));
      return first.is_constant(0) ? name : cat(name, " + ", bracket(position_(first), kSum));
    };
    const DType dtype = s.source >= 0 ? context_.kernel->accumulators[static_cast<size_t>(s.source)].type.dtype
                                      : context_.kernel->params[static_cast<size_t>(s.inputs[0])].dtype;
    const std::string to = s.accumulator < 0 ? from(s.buffer, s.index) : row(s.accumulator, s.index),
                      read = s.source < 0 ? from(s.inputs[0], s.from) : row(s.source, s.from);
    const bool is_straight = s.from_stride.is_constant(1);
    HARP_ASSERT(is_straight || s.from_row_stride.is_constant(1), "a copy of elements that are contiguous along neither axis");
    const std::string name = is_straight ? unit_.copy(dtype, s.stream) : unit_.transpose(dtype, s.stream, s.as_read);
    out(cat(name, "(", to, ", ", position_(s.stride).text, ", ", read, ", ",
            position_(is_straight ? s.from_row_stride : s.from_stride).text, ", ", position_(s.rows).text, ", ", position_(s.length).text,
            ");"));
  }

  void routine(const ir::Routine& s) {
    const DType dtype = context_.kernel->params[static_cast<size_t>(s.inputs[0])].dtype;
    if (s.accumulator >= 0) names_.unfold(s.accumulator);
    const std::string spare = s.accumulator >= 0 ? expression_.name_of(s.accumulator) : from(s.spare, s.spare_index);
    const std::string size = cat(position_(s.end - s.begin).text, ", ", position_(s.length).text);
    if (s.routine == Op::kDft) {
      const ir::Function &cosine = *arena_->function_of(Op::kCos, DType::kF64), &sine = *arena_->function_of(Op::kSin, DType::kF64);
      const auto [name, tables] = unit_.dft({dtype, s.length, s.lie, s.to_lie, s.columns, s.kept}, cosine, sine);
      const auto part = [&](size_t i) {
        const int parameter = i < 2 ? s.inputs[i] : s.buffer;
        return from(parameter, s.parts[i].start + s.begin * s.parts[i].row_step);
      };
      const auto step = [&](const ir::Routine::Part& p) { return position_(s.columns > 0 ? p.step : p.row_step).text; };
      if (tables.empty())
        out(cat(name, "(", part(0), ", ", part(1), ", ", size, ", ", part(2), ", ", part(3), ", ", spare, ", cancel);"));
      else
        out(cat(name, "(", part(0), ", ", part(1), ", ", step(s.parts[0]), ", ", part(2), ", ", part(3), ", ", step(s.parts[2]), ", ",
                position_(s.end - s.begin).text, ", ", tables, ", ", spare, ", cancel);"));
    } else {
      const Sym first = s.begin * s.length;
      const std::string routine = s.routine == Op::kSort ? unit_.sort(dtype, s.descending) : unit_.argsort(dtype);
      out(cat(routine, "(", from(s.inputs[0], first), ", ", size, ", ", from(s.buffer, first), ", ", spare, ", cancel);"));
    }
  }

 public:
  void result_mask_bits(int bits) { result_mask_bits_ = bits; }

  /// Renders a line of a function for one of two vectors: appends `suffix` to all names and stores the function's result to `result`.
  std::string render(Line l, std::string_view suffix, std::string_view result) {
    append(l.name, suffix);
    for (auto& [value, name] : l.names) append(name, suffix);
    result_is_ = cat("*", result, " = ");
    line(l);
    return std::exchange(body_.text, {});
  }

 private:
  Unit& unit_;
  ExpressionContext context_;
  ir::Arena* arena_;
  Names names_;
  Body body_;
  Positions position_;
  Expressions expression_;
  AccumulatorLines accumulators_;
  std::string turn_to_kept_;  // for the next loop: assignments that make the last step read the kept copy
  int indent_ = 1;
  bool wraps_ = false;  // the current line is a loop that needs kWrapsMark
  int depth_ = 0;       // number of open blocks
  /// An open loop that runs in pieces: the number of blocks around it, the condition after the last piece, and the statement before the
  /// next piece.
  struct Pieces {
    int depth;
    std::string is_done, next;
  };
  std::vector<Pieces> pieces_;
  int result_mask_bits_ = 0;
  std::string result_is_ = "return ";
};

std::string no_shape_variable(const SymAtom* v) { fail(Code::kInternal, "a math function mentions the shape variable ", v->name); }

ExpressionContext context_of_function(int lanes, std::vector<std::string> parameters, bool holds_constants) {
  ExpressionContext context;
  context.lanes = lanes;
  context.holds_constants = holds_constants;
  context.parameters = std::move(parameters);
  return context;
}

}  // namespace

Body render_function_body(Unit& unit, const ir::Function& function, int lanes, std::vector<std::string> parameters, bool holds_constants) {
  BodyRenderer renderer(unit, context_of_function(lanes, std::move(parameters), holds_constants), nullptr, no_shape_variable);
  renderer.result_mask_bits(Unit::mask_bits_of(function));
  return renderer.render(ir::linearize(function));
}

Body render_function_of_two(Unit& unit, const ir::Function& function, int lanes, const std::vector<std::string>& parameters,
                            bool holds_constants) {
  const auto context_of = [&](int vector) {
    std::vector<std::string> names;
    for (const std::string& parameter : parameters) names.push_back(cat(parameter, vector));
    return context_of_function(lanes, std::move(names), holds_constants);
  };
  BodyRenderer first(unit, context_of(0), nullptr, no_shape_variable), second(unit, context_of(1), nullptr, no_shape_variable);
  Body body;
  for (const Line& line : ir::linearize(function)) append(body.text, cat(first.render(line, "_0", "r0"), second.render(line, "_1", "r1")));
  return body;
}

Body render_kernel_body(Unit& unit, const ir::Module& module, const ir::Kernel& kernel,
                        const std::function<std::string(const SymAtom*)>& shape_name) {
  ExpressionContext context;
  context.kernel = &kernel;
  context.parameters = ir::parameter_names(kernel);
  context.accumulators = layouts_of(kernel);
  return BodyRenderer(unit, std::move(context), module.arena.get(), shape_name).render(ir::linearize(kernel));
}

}  // namespace harp::render
