// Prints the loop IR, for people and golden tests. Values are numbered in order of first use within a kernel. Each value is printed on a
// line of its own before the first statement that uses it.
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/depth_first.h"
#include "ir/interleaved_accesses.h"
#include "ir/ir.h"
#include "ir/linearize.h"

namespace harp::ir {
namespace {

std::string type_text(Type t) { return t.lanes == 1 ? std::string(name(t.dtype)) : cat(name(t.dtype), "x", t.lanes); }

std::string atom_text(const SymAtom& atom) {
  switch (atom.kind) {
    case AtomKind::kVariable: return atom.name;
    case AtomKind::kFloorDiv: return cat("(", to_string(atom.a), ") // (", to_string(atom.b), ")");
    case AtomKind::kMod: return cat("(", to_string(atom.a), ") % (", to_string(atom.b), ")");
    case AtomKind::kMin: return cat("min(", to_string(atom.a), ", ", to_string(atom.b), ")");
    case AtomKind::kMax: return cat("max(", to_string(atom.a), ", ", to_string(atom.b), ")");
    case AtomKind::kSelect: return cat("select(", to_string(atom.c), " >= 0, ", to_string(atom.a), ", ", to_string(atom.b), ")");
  }
  return "";
}
std::string row_text(const Terms& row) {
  return join(row.terms, " + ", [](const SymTerm& t) {
    const std::string factors =
        join(t.factors, "*", [](const SymAtom* f) { return f->kind == AtomKind::kVariable ? f->name : cat("(", atom_text(*f), ")"); });
    return t.coefficient == 1 ? factors : cat(t.coefficient, "*", factors);
  });
}

std::string scan_text(const AccScan& s, const std::string& accumulator, const std::string& from) {
  const std::string total = cat(" from ", from, ", total to acc", s.total);
  const std::string of_group = cat(" of group ", to_string(s.index), " of ", accumulator, ", totals in acc", s.quads);
  switch (s.part) {
    case ScanPart::kWhole: return cat("scan ", accumulator, total);
    case ScanPart::kQuads: return cat("scan quads", of_group);
    case ScanPart::kTotals: return cat("scan totals by ", s.step, of_group);
    case ScanPart::kBefore: return cat("what comes before quads", of_group, total);
    case ScanPart::kAdded: return cat("add what comes before quads", of_group);
    case ScanPart::kValues: return cat("running values", of_group);
  }
  return {};
}

std::string routine_text(const Routine& s, const std::vector<std::string>& buffers) {
  const auto name_of = [&](int parameter) { return buffers[static_cast<size_t>(parameter)]; };
  std::string sources = join(s.inputs, ", ", name_of), result;
  if (s.parts.empty()) {
    result = cat(s.kept.is_constant(0) ? std::string() : cat("the first ", to_string(s.kept), " of rows of "), name_of(s.buffer));
  } else {
    const auto part = [&](int parameter, const Routine::Part& p) {
      return cat(name_of(parameter), "[", to_string(p.start), "] step ", to_string(p.row_step), " step ", to_string(p.step));
    };
    sources = part(s.inputs[0], s.parts[0]);
    if (s.layout != ComplexLayout::kReal) append(sources, cat(", ", part(s.inputs[1], s.parts[1])));
    if (!s.kept.is_constant(0)) result = cat(to_string(s.kept), " of ");
    append(result, cat(part(s.buffer, s.parts[2]), ", ", part(s.buffer, s.parts[3])));
  }
  return cat(name(s.routine), s.descending ? " descending" : "", " of ", s.columns > 0 ? "columns " : "rows ", to_string(s.begin), " to ",
             to_string(s.end), " of ", sources, ", of ", to_string(s.length), ", to ", result, " with ",
             s.accumulator >= 0 ? cat("acc", s.accumulator)
             : s.spare >= 0     ? cat(name_of(s.spare), "[", to_string(s.spare_index), "]")
                                : std::string("nothing"),
             s.threads > 0
                 ? cat(", phase ", s.phase, ", block ", to_string(s.block), " of ", to_string(s.blocks), " by ", s.threads, " threads")
                 : std::string());
}

std::string copy_text(const Copy& s, const std::vector<std::string>& buffers) {
  const std::string to = s.accumulator >= 0 ? cat("acc", s.accumulator) : buffers[static_cast<size_t>(s.buffer)];
  const std::string from = s.source >= 0 ? cat("acc", s.source) : buffers[static_cast<size_t>(s.inputs[0])];
  return cat("copy ", s.nontemporal ? "nontemporal " : "", s.as_read ? "as read " : "", to_string(s.rows), " x ", to_string(s.length),
             " of ", from, "[", to_string(s.from), "] steps ", to_string(s.from_row_stride), ", ", to_string(s.from_stride), " to ", to,
             "[", to_string(s.index), "] step ", to_string(s.stride));
}

std::string fold_text(const AccFold& s) { return cat("fold acc", s.accumulator, s.used ? cat(" where ", to_string(*s.used), " > 1") : ""); }

std::string copy_async_text(const CopyAsync& s, const std::vector<std::string>& buffers) {
  return cat("start copy ", s.length, " of ", buffers[static_cast<size_t>(s.buffer)], "[", to_string(s.from), "], of which ",
             to_string(s.exist), " exist, to acc", s.accumulator, "[", to_string(s.index), "]");
}

std::string wait_text(const Wait& s) {
  return s.pending == 0 ? "wait for copies" : cat("wait for copies except the last ", s.pending, " batches");
}

std::string mma_text(const Mma& s) {
  return cat("mma acc", s.accumulator, "[", to_string(s.index), "] of ", s.row_tiles, " x ", s.column_tiles, " tiles with acc", s.rows, "[",
             to_string(s.row_index), "] step ", to_string(s.row_step), ", acc", s.columns, "[", to_string(s.column_index), "] step ",
             to_string(s.column_step));
}

/// Formats a value as `op(sources)`. `source(s)` returns the text of a source s.
template <class SourceText>
std::string value_text(const UOp& u, const std::vector<std::string>& buffers, SourceText source) {
  const std::string sources = join(u.sources, ", ", source);
  const std::string step = u.type.lanes > 1 ? cat(" step ", to_string(u.lane_step)) : std::string();
  const auto buffer = [&] { return buffers.empty() ? cat("p", u.buffer) : buffers[static_cast<size_t>(u.buffer)]; };
  switch (u.kind) {
    case UKind::kConst: return to_string(u.value);
    case UKind::kIndex: return cat("index(", to_string(u.index), step, ")");
    case UKind::kInRange: return cat("in_range(", to_string(u.index), step, ")");
    case UKind::kLoad:
      return cat("load ", buffer(), "[", to_string(u.index), step, "]", part_of(&u) >= 0 ? cat(" part ", part_of(&u)) : std::string(),
                 u.sources.empty() ? "" : " where ", sources);
    case UKind::kGather:
      return cat("gather ", buffer(), "[", to_string(u.index), step, " + ", source(u.sources[0]), " * ", to_string(u.stride), "]",
                 u.sources.size() > 1 ? cat(" where ", source(u.sources[1])) : std::string());
    case UKind::kCheck:
      return cat("check ", source(u.sources[0]), " in ", source(u.sources[1]), " .. ", source(u.sources[2]), " site ", u.buffer,
                 " element ", to_string(u.index), step, u.sources.size() > 3 ? cat(" where ", source(u.sources[3])) : std::string());
    case UKind::kAlu: return cat(info(u.op).id, "(", sources, ")");
    case UKind::kCall: return cat(u.function->name, "(", sources, ")");
    case UKind::kSplat: return cat("splat(", sources, ")");
    case UKind::kAcc: return cat("acc", u.buffer, "[", to_string(u.index), step, "]");
    case UKind::kParam: return cat("parameter", u.buffer);
    case UKind::kLineOffset: return cat("line_offset(", buffer(), "[", to_string(u.index), "])");
    case UKind::kTable: return cat(u.table->name, "[", sources, "]");
    case UKind::kRarely: return cat("rarely ", u.function->name, "(", sources, ")");
  }
  return "";
}

/// Returns the axis and the tags of an unscheduled loop as text, for example " [axis 1, vector of 16, partition]".
std::string tags_text(const Loop& loop) {
  std::vector<std::string> words;
  const auto word = [&](bool holds, auto&&... text) {
    if (holds) words.push_back(cat(text...));
  };
  word(loop.axis >= 0, "axis ", loop.axis);
  if (const auto& nest = loop.tags.nest) {
    word(true, "nest");
    word(nest->is_block, "blocks");
    word(nest->nonempty, "nonempty");
    word(nest->chunks, "chunks");
    word(nest->page_prefetches, "prefetch pages");
    word(nest->gather_prefetches, "prefetch gathers");
  }
  if (const auto& vector = loop.tags.vector) {
    word(true, vector->narrow ? "vector of at most " : "vector of ", vector->lanes);
    word(vector->overlap, "overlap");
    word(vector->partition, "partition");
    word(vector->unswitch, "unswitch");
    word(vector->together > 1, "jam ", vector->together);
    word(vector->most_registers > 0, "registers ", vector->most_registers);
    word(vector->most_steps > 0, "unroll ", vector->most_steps);
  }
  if (const auto& ahead = loop.tags.ahead)
    word(true, ahead->is_near ? "prefetch near " : "prefetch ", to_string(ahead->along), " + ", ahead->distance);
  return words.empty() ? std::string() : cat(" [", join(words, ", ", [](const std::string& w) { return w; }), "]");
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : is_scheduled_(kernel.is_scheduled) {
    for (const Param& p : kernel.params) buffers_.push_back(p.name);
    const auto parameter = [&](const Param& p) {
      const std::string others = join(p.in_place, " or ", [&](int written) { return buffers_[static_cast<size_t>(written)]; });
      return cat(p.written ? "out " : "", name(p.dtype), " ", p.name, others.empty() ? "" : cat(" (may be ", others, ")"));
    };
    append(out_, cat(kernel.name, "(", join(kernel.params, ", ", parameter), ") # ", kernel.comment, "\n"));
    static constexpr std::string_view kSpaces[] = {"in registers", "on the stack", "in scratch memory", "in the workspace", "shared"};
    for (size_t i = 0; i < kernel.accumulators.size(); ++i) {
      const Accumulator& a = kernel.accumulators[i];
      append(out_, cat("  acc", i, ": ", type_text(a.type), "[", a.count, "] ",
                       a.is_row ? std::string("of a row")
                                : cat(a.function != nullptr ? a.function->name : info(a.combine).id, " from ", to_string(a.init)),
                       ", ", kSpaces[static_cast<int>(a.space)], a.spread > 0 ? cat(", ", a.spread, " a thread") : "", "\n"));
    }
    body(kernel.body, 1);
  }
  std::string take() { return std::move(out_); }

 private:
  void line(int depth, std::string_view text) { append(out_, cat(std::string(static_cast<size_t>(depth) * 2, ' '), text, "\n")); }

  std::string reference(const UOp* u) { return u->kind == UKind::kConst ? to_string(u->value) : cat("%", numbers_.at(u)); }

  void define(const UOp* root, int depth) {
    std::vector<const UOp*> fresh;
    std::unordered_set<const UOp*> seen;
    const auto is_new = [&](const UOp* u) { return u->kind != UKind::kConst && !numbers_.contains(u) && seen.insert(u).second; };
    append_depth_first(root, is_new, fresh);
    for (const UOp* u : fresh) {
      const size_t number = numbers_.size();
      numbers_[u] = number;
      line(depth, cat("%", number, ": ", type_text(u->type), " = ", value_text(*u, buffers_, [&](const UOp* s) { return reference(s); })));
    }
  }

  void body(const Body& statements, int depth) {
    for (const Stmt* s : statements) statement(*s, depth);
  }

  void statement(const Stmt& s, int depth) {
    for_each_value(s, [&](const UOp* root) { define(root, depth); });
    visit(s, [&](const auto& of) { text(of, depth); });
  }

  std::string buffer(int number) const { return buffers_[static_cast<size_t>(number)]; }
  static std::string position(Sym index, const UOp* value, Sym lane_step) {
    return cat("[", to_string(index), value->type.lanes > 1 ? cat(" step ", to_string(lane_step)) : "", "]");
  }

  void text(const StoreGroup& s, int depth) {
    line(depth, "together:");
    body(s.body, depth + 1);
  }
  void text(const Loop& s, int depth) {
    static constexpr std::string_view kKinds[] = {"for", "thread", "unroll", "group"};
    line(depth,
         cat(kKinds[static_cast<int>(s.loop)], " ", to_string(s.variable), " in ", to_string(s.begin), " .. ", to_string(s.end),
             s.step == 1 ? std::string() : cat(" step ", s.step), s.overlap ? " overlap" : "",
             s.poll_interval == 0 ? std::string() : cat(" poll=", s.poll_interval), is_scheduled_ ? std::string() : tags_text(s), ":"));
    body(s.body, depth + 1);
  }
  void text(const Define& s, int depth) {
    line(depth, cat("let ", to_string(s.variable), " = ", reference(s.value), ":"));
    body(s.body, depth + 1);
  }
  void text(const If& s, int depth) {
    line(depth, cat("if ", to_string(s.condition), " >= 0:"));
    body(s.body, depth + 1);
    if (s.otherwise.empty()) return;
    line(depth, "else:");
    body(s.otherwise, depth + 1);
  }
  void text(const Retry& s, int depth) {
    line(depth, "try:");
    body(s.body, depth + 1);
    line(depth, "where an operation was invalid:");
    body(s.otherwise, depth + 1);
  }
  void text(const Store& s, int depth) {
    line(depth, cat(s.nontemporal ? "store nontemporal " : "store ", buffer(s.buffer), position(s.index, s.value, s.lane_step), " = ",
                    reference(s.value), s.mask == nullptr ? std::string() : cat(" where ", reference(s.mask))));
  }
  void text(const Prefetch& s, int depth) {
    line(depth, cat("prefetch ", s.is_near ? "near " : "", buffer(s.buffer), "[", to_string(s.index), "]",
                    s.position == nullptr ? std::string() : cat(" + ", reference(s.position), " * ", to_string(s.stride))));
  }
  void text(const Scatter& s, int depth) {
    line(depth,
         cat(s.atomic ? "atomic " : "", "scatter ", s.combine ? info(*s.combine).id : "", s.combine ? " " : "", reference(s.value), " to ",
             buffer(s.buffer), position(s.index, s.value, s.lane_step), " + ", reference(s.position), " * ", to_string(s.stride)));
  }
  void text(const AccDeclare& s, int depth) {
    line(depth, cat("declare acc", s.accumulator, s.value == nullptr ? std::string() : cat(" as ", reference(s.value))));
  }
  void text(const AccSet& s, int depth) {
    line(depth, cat("set acc", s.accumulator, position(s.index, s.value, s.lane_step), " to ", reference(s.value)));
  }
  void text(const AccUpdate& s, int depth) {
    line(depth, cat("update acc", s.accumulator, position(s.index, s.value, s.lane_step), " with ", reference(s.value),
                    s.factor == nullptr ? std::string() : cat(" * ", reference(s.factor))));
  }
  void text(const AccFold& s, int depth) { line(depth, fold_text(s)); }
  void text(const AccScan& s, int depth) {
    line(depth, scan_text(s, cat("acc", s.accumulator), s.value == nullptr ? std::string() : reference(s.value)));
  }
  void text(const Routine& s, int depth) { line(depth, routine_text(s, buffers_)); }
  void text(const Copy& s, int depth) { line(depth, copy_text(s, buffers_)); }
  void text(const CopyAsync& s, int depth) { line(depth, copy_async_text(s, buffers_)); }
  void text(const Wait& s, int depth) { line(depth, wait_text(s)); }
  void text(const Break& s, int depth) { line(depth, cat("break where acc", s.accumulator)); }
  void text(const Mma& s, int depth) { line(depth, mma_text(s)); }
  void text(const Barrier&, int depth) { line(depth, "barrier"); }
  void text(const Comment& s, int depth) { line(depth, cat("# ", s.text)); }

  bool is_scheduled_;
  std::vector<std::string> buffers_;
  std::unordered_map<const UOp*, size_t> numbers_;
  std::string out_;
};

/// Prints the lines of a kernel.
class LinePrinter {
 public:
  explicit LinePrinter(const Kernel& kernel) : name_(kernel.name), buffers_(parameter_names(kernel)) {}

  std::string print(std::span<const Line> lines) {
    std::string out = cat(name_, "(", join(buffers_, ", "), ")\n");
    size_t depth = 1;
    for (const Line& l : lines) {
      current_ = &l;
      const bool divides = l.kind == LineKind::kElse || l.kind == LineKind::kRetry;  // closes a block and opens another one
      if (divides || l.kind == LineKind::kEnd) --depth;
      append(out, cat(std::string(depth * 2, ' '), line_text(l), "\n"));
      if (divides || l.kind == LineKind::kLoop || l.kind == LineKind::kIf || l.kind == LineKind::kTry) ++depth;
    }
    return out;
  }

 private:
  std::string text(const UOp* u) const {
    for (const auto& [named, name] : current_->names)
      if (named == u) return name;
    return definition(u);
  }
  std::string definition(const UOp* u) const {
    return value_text(*u, buffers_, [this](const UOp* source) { return text(source); });
  }
  /// Returns `before` and the value as text; "" if the value is null.
  std::string clause(std::string_view before, const UOp* u) const { return u == nullptr ? std::string() : cat(before, text(u)); }
  std::string element(int buffer, Sym index) const { return cat(buffers_[static_cast<size_t>(buffer)], "[", to_string(index), "]"); }

  std::string line_text(const Line& l) const {
    switch (l.kind) {
      case LineKind::kComment: return cat("# ", l.as<Comment>().text);
      case LineKind::kLoop: return loop_text(l.as<Loop>(), l.name);
      case LineKind::kIf: return cat("if ", to_string(l.as<If>().condition), " >= 0");
      case LineKind::kTry: return "try";
      case LineKind::kRetry: return "where an operation was invalid";
      case LineKind::kElse: return "else";
      case LineKind::kEnd: return "end";
      case LineKind::kLet: return let_text(l);
      case LineKind::kDefine: return cat(l.name, " (", to_string(l.as<Define>().variable), ") = ", text(l.value));
      case LineKind::kOffset: return cat(l.name, " = ", atom_text(*l.atom));
      case LineKind::kPointer: return pointer_text(l);
      case LineKind::kKeep: return cat(l.name, " = first ", definition(l.value));
      case LineKind::kStore: return store_text(l.as<Store>());
      case LineKind::kPrefetch: return prefetch_text(l.as<Prefetch>());
      case LineKind::kScatter: return scatter_text(l.as<Scatter>());
      case LineKind::kAccDeclare: return cat("declare ", l.name, clause(" as ", l.as<AccDeclare>().value));
      case LineKind::kAccSet: return cat("set ", l.name, "[", to_string(l.as<AccSet>().index), "] to ", text(l.as<AccSet>().value));
      case LineKind::kAccUpdate: return update_text(l.as<AccUpdate>(), l.name);
      case LineKind::kAccFold: return fold_text(l.as<AccFold>());
      case LineKind::kAccScan: return scan_text(l.as<AccScan>(), l.name, clause("", l.as<AccScan>().value));
      case LineKind::kRoutine: return routine_text(l.as<Routine>(), buffers_);
      case LineKind::kCopy: return copy_text(l.as<Copy>(), buffers_);
      case LineKind::kCopyAsync: return copy_async_text(l.as<CopyAsync>(), buffers_);
      case LineKind::kEndBatch: return "end of a batch of copies";
      case LineKind::kWait: return wait_text(l.as<Wait>());
      case LineKind::kBreak: return cat("break where acc", l.as<Break>().accumulator);
      case LineKind::kBarrier: return "barrier";
      case LineKind::kMma: return mma_text(l.as<Mma>());
      case LineKind::kReturn: return cat("return ", text(l.value));
    }
    return {};
  }

  static std::string loop_text(const Loop& s, const std::string& name) {
    return cat(s.loop == LoopKind::kGroup ? "group " : "loop ", name, " (", to_string(s.variable), ") = ", to_string(s.begin), " .. ",
               to_string(s.end), " step ", s.step);
  }
  std::string let_text(const Line& l) const {
    const std::string guards = join(l.guards, " and ", [](Sym g) { return cat(to_string(g), " >= 0"); });
    return cat(l.name, ": ", type_text(l.value->type), " = ", definition(l.value), l.guards.empty() ? "" : " if ", guards);
  }
  std::string pointer_text(const Line& l) const {
    const auto buffer = static_cast<size_t>(l.buffer);
    const std::string of = buffer < buffers_.size() ? buffers_[buffer] : cat("acc", buffer - buffers_.size());
    return cat(l.name, " = ", of, " + ", row_text(l.row));
  }
  std::string store_text(const Store& s) const {
    return cat(s.nontemporal ? "store nontemporal " : "store ", element(s.buffer, s.index), " = ", text(s.value),
               clause(" where ", s.mask));
  }
  std::string prefetch_text(const Prefetch& s) const {
    return cat("prefetch ", s.is_near ? "near " : "", element(s.buffer, s.index), clause(" + ", s.position),
               s.position == nullptr ? std::string() : cat(" * ", to_string(s.stride)));
  }
  std::string scatter_text(const Scatter& s) const {
    return cat(s.atomic ? "atomic " : "", "scatter ", s.combine ? info(*s.combine).id : "", s.combine ? " " : "", text(s.value), " to ",
               element(s.buffer, s.index), " + ", text(s.position), " * ", to_string(s.stride));
  }
  std::string update_text(const AccUpdate& s, const std::string& name) const {
    return cat("update ", name, "[", to_string(s.index), "] with ", text(s.value), clause(" * ", s.factor));
  }

  std::string name_;
  std::vector<std::string> buffers_;
  const Line* current_ = nullptr;  // its names are those of the values that text() returns
};

std::string host_buffer_text(const HostBuffer& b) {
  static constexpr std::string_view kKinds[] = {"input", "output", "constant"};
  const std::string offset = b.offset.is_constant(0) ? std::string() : cat(" + ", to_string(b.offset));
  if (b.kind == HostBuffer::Kind::kTemporary) return cat(b.space == Space::kScratch ? "block" : "workspace", offset);
  return cat(kKinds[static_cast<int>(b.kind)], b.index, offset);
}

std::string native_argument_text(const NativeCall::Argument& a) {
  using Argument = NativeCall::Argument;
  if (a.kind == Argument::kAddress) return cat("native ", a.address);
  const std::string value = a.kind == Argument::kArray  ? host_buffer_text(a.array)
                            : a.kind == Argument::kSize ? to_string(a.size)
                                                        : to_string(a.number);
  return cat(name(a.dtype), a.kind == Argument::kArray ? "* " : " ", value);
}

std::string arrays_text(const std::vector<ArrayType>& arrays) {
  return join(arrays, ", ", [](const ArrayType& a) {
    return cat(a.name, ": ", name(a.dtype), "[", join(a.shape, ", ", [](Sym s) { return to_string(s); }), "]");
  });
}

}  // namespace

std::string describe(const UOp& value) {
  // Number of sources that value_text() accesses without a check.
  const size_t least = value.kind == UKind::kGather ? 1 : value.kind == UKind::kCheck ? 3 : 0;
  const std::string type = type_text(value.type);
  if (value.sources.size() < least) return cat(type, " of ", value.sources.size(), " sources");
  return cat(type, " = ", value_text(value, {}, [](const UOp* source) { return type_text(source->type); }));
}

std::string print(const Arena&, const Kernel& kernel) { return Printer(kernel).take(); }

std::string print(const Module& module) {
  std::string out = cat("module ", module.name, "(", arrays_text(module.inputs), ") -> (", arrays_text(module.outputs), ")\n");
  append(out, cat("workspace ", to_string(module.workspace), " bytes",
                  module.scratch.is_constant(0) ? std::string() : cat(", scratch ", to_string(module.scratch), " bytes a worker"), "\n"));
  for (const Kernel& k : module.kernels) append(out, cat("\n", print(*module.arena, k)));
  for (size_t g = 0; g < module.generations.size(); ++g) {
    const int64_t blocks = module.generations[g].blocks;
    append(out, cat("\ngeneration ", g, blocks > 0 ? cat(", in turn for each of ", blocks, " blocks") : std::string(), "\n"));
    for (const Launch& l : module.generations[g].launches)
      append(out, cat("  ", module.kernels[static_cast<size_t>(l.kernel)].name, "(", join(l.arguments, ", ", host_buffer_text), ")",
                      l.follows ? " after the one before" : "", l.guard ? cat(" if ", to_string(*l.guard), " >= 0") : std::string(),
                      l.in_place.empty()        ? ""
                      : l.only_without_aliasing ? " if not in place"
                                                : " if in place",
                      "\n"));
    for (const NativeCall& call : module.generations[g].calls)
      append(out, cat("  native ", call.function, " \"", call.name, "\"(", join(call.arguments, ", ", native_argument_text), ") if ",
                      to_string(call.elements), " > 0\n"));
  }
  return out;
}

std::string print(const Kernel& kernel, std::span<const Line> lines) { return LinePrinter(kernel).print(lines); }

}  // namespace harp::ir
