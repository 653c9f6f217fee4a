// Field: an array in memory to which expressions are assigned. Part of harp.hpp.
//
//     harp::Field<double> A({512, 512}), B({512, 512}), C({512, 512}), D;
//     D = A * B + C;                        // one loop over memory, no temporary array; compiled once, later look-ups take 20 ns
//     double s = sum(A * B);
//     fuse(D = A + B, A = D * 2);           // one program
//
// A field of a context on a GPU (Context::on) has its elements there, and the programs run there. In a CUDA source, nvcc compiles
// assignments to such a field to kernels, if the expression allows that (assignment.hpp).
#ifndef HARP_FIELD_HPP
#define HARP_FIELD_HPP

#include <harp/assignment.hpp>

#include <algorithm>
#include <memory>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

template <class To, class E>
class Assignment;

namespace detail {
template <class T>
struct NumberTarget;
}

/// A row-major array of numbers that owns its memory or views memory of another owner. Copies copy the elements. An empty field takes the
/// shape of the first expression assigned to it; a field that owns its memory takes the shape of every expression assigned later, too. All
/// fields in one expression belong to one context.
template <class T>
class Field : public Expr<Field<T>> {
 public:
  using value_type = T;
  static constexpr bool is_scalar = false, is_elementwise = true;
  static constexpr size_t leaves = 1, fields = 1;
  static_assert(dtype_of<T> != DType::unknown, "harp has no dtype for elements of this type");

  Field() = default;
  /// An array of these sizes whose elements all equal `value`.
  explicit Field(std::initializer_list<Dim> dims, T value = T(), const Context& context = default_context())
      : Field(Sizes(dims), value, context) {}
  explicit Field(const Sizes& dims, T value = T(), const Context& context = default_context()) : context_(context) {
    if (allocate(detail::checked_type("Field", dtype_of<T>, dims, device_number()))) fill(value);
  }
  /// A view of memory of another owner. The memory is on the context's device, and must stay valid as long as the field exists.
  static Field view(T* data, const Sizes& dims, const Context& context = default_context()) {
    Field field;
    field.context_ = context;
    field.type_ = detail::checked_type("Field::view", dtype_of<T>, dims, field.device_number());
    field.data_ = data;
    return field;
  }
  template <class E>
  Field(const Expr<E>& expression) {  // NOLINT(google-explicit-constructor)
    *this = expression;
  }
  Field(const Field& other) : Expr<Field<T>>(), context_(other.context_) { copy(other); }
  Field(Field&& other) noexcept { swap(other); }
  Field& operator=(const Field& other) {
    if (this != &other) copy(other);
    return *this;
  }
  /// Takes the other field's memory; the other field gets this field's memory. If this field is a view, the elements are copied to the
  /// viewed memory instead.
  Field& operator=(Field&& other) {
    if (is_view())
      copy(other);
    else
      swap(other);
    return *this;
  }
  /// Sets every element.
  Field& operator=(T value) {
    if (type_ == nullptr) detail::raise({HARP_ERROR_INVALID_ARGUMENT, "cannot assign a number to a field that has no shape yet"});
    fill(value);
    return *this;
  }
  /// Returns an object whose destructor, at the end of the statement, evaluates the expression and assigns it to the field.
  template <class E>
  Assignment<Field, E> operator=(const Expr<E>& expression) {  // NOLINT(misc-unconventional-assign-operator)
    return Assignment<Field, E>(*this, expression.self());
  }
  template <class To, class E>
  Field& operator=(Assignment<To, E>&& assignment) {  // A = B = ...
    *this = assignment.get();
    return *this;
  }
#define HARP_CPP_ASSIGNING(symbol, name)                                                        \
  template <class B>                                                                            \
  auto operator symbol##=(const B& b)->Assignment<Field, detail::Applied<op::name, Field, B>> { \
    return {*this, detail::apply(op::name{}, static_cast<const Field&>(*this), b)};             \
  }
  HARP_CPP_ASSIGNING(+, add)
  HARP_CPP_ASSIGNING(-, sub)
  HARP_CPP_ASSIGNING(*, mul)
  HARP_CPP_ASSIGNING(/, div)
  HARP_CPP_ASSIGNING(%, remainder)
#undef HARP_CPP_ASSIGNING

  /// A copy of the field in another context: on a GPU, or in the host's memory.
  Field to(const Context& context) const {
    Field field;
    field.context_ = context;
    field.copy(*this);
    return field;
  }
  /// read() copies all elements to the host's memory, and write() copies all elements from it, wherever the field is.
  void read(Span<T> elements) const {
    if (!has_size(elements.size()) || elements.empty()) return;
    detail::after_default_stream(context_.session());
    detail::Out err;
    const Buffer buffer = as_buffer(err);
    if (err.raised()) return;
    harp_buffer_read(buffer.get(), type_->bytes, elements.data(), err);
    err.raised();
  }
  void write(Span<const T> elements) {
    if (!has_size(elements.size()) || elements.empty()) return;
    detail::after_default_stream(context_.session());
    detail::Out err;
    const Buffer buffer = as_buffer(err);
    if (err.raised()) return;
    harp_buffer_write(buffer.get(), type_->bytes, elements.data(), err);
    err.raised();
  }
  /// Tests whether the elements are in the host's memory. If not, data() is an address on the device, for kernels, and only to() and read()
  /// make the elements accessible to the host: span(), begin(), end() and [] must not be used.
  bool on_host() const { return type_ == nullptr || type_->device == 0; }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return type_ != nullptr ? static_cast<size_t>(type_->elements) : 0; }
  int32_t rank() const { return type_ != nullptr ? type_->rank : 0; }
  Span<const int64_t> shape() const { return type_ != nullptr ? shape_of(type_) : Span<const int64_t>(); }
  Span<T> span() { return {data_, size()}; }
  Span<const T> span() const { return {data_, size()}; }
  T* begin() { return data_; }
  T* end() { return data_ + size(); }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
#if defined(__cpp_lib_mdspan)
  /// Returns a view of the memory of an mdspan, which must be row-major.
  template <class Extents>
  static Field view(const std::mdspan<T, Extents>& elements, const Context& context = default_context()) {
    return view(elements.data_handle(), detail::sizes_of(elements), context);
  }
  /// The elements as an mdspan of this rank. If the field has another rank, that is HARP_ERROR_SHAPE.
  template <size_t Rank>
  std::mdspan<T, std::dextents<int64_t, Rank>> mdspan() {
    std::array<int64_t, Rank> extents{};
    if (static_cast<size_t>(rank()) != Rank) {
      detail::raise({HARP_ERROR_SHAPE, "mdspan: rank " + std::to_string(rank()) + ", expected " + std::to_string(Rank)});
      return {};
    }
    std::copy_n(shape().data(), Rank, extents.data());
    return {data_, extents};
  }
#endif
  explicit operator bool() const { return type_ != nullptr; }
  bool is_view() const { return type_ != nullptr && !buffer_ && data_ != nullptr; }
  const Context& context() const { return context_ ? context_ : default_context(); }

  // The following members are for other headers of harp.hpp, not for programs.
  using Stored = Field&;
  template <class G>
  void gather(G& to, const detail::Target* earlier, size_t earlier_count) const {
    to.field(this, data_, type_, earlier, earlier_count);
  }
  template <class F>
  void attributes(F&&) const {}
  detail::Session* session() const { return context_.session(); }
  harp_node* build(detail::ExpressionBuilder& builder) const { return builder.field(); }
  detail::Target target() const { return {this, dtype_of<T>, data_, type_, false}; }
  const detail::Type* type() const { return type_; }
  /// Makes sure that the field has memory for this type: keeps the memory if the field has this type, otherwise allocates new memory. False
  /// after an error.
  bool allocate(const detail::Type* type) {
    if (type == nullptr) return false;
    if (type == type_) return true;
    if (is_view()) {
      detail::raise({HARP_ERROR_SHAPE, "an expression of the shape " + shape_text(type->dims, type->rank) +
                                           " is assigned to a view of the shape " + shape_text(type_->dims, type_->rank)});
      return false;
    }
    Buffer buffer(context(), type->dtype, shape_of(type));
    if (!buffer) return false;
    adopt(std::move(buffer), type);
    return true;
  }
  void adopt(Buffer buffer, const detail::Type* type) {
    buffer_ = std::move(buffer);
    data_ = buffer_ ? reinterpret_cast<T*>(static_cast<uintptr_t>(harp_buffer_address(buffer_.get()))) : nullptr;
    type_ = type;
  }
  /// Copies a result to the memory that the field views.
  void store(const Buffer& result) {
    if (on_host()) {
      std::memcpy(static_cast<void*>(data_), harp_buffer_const_data(result.get()), type_->bytes);
      return;
    }
    detail::Out err;
    const Buffer view = as_buffer(err);
    if (err.raised()) return;
    harp_buffer_copy(view.get(), result.get(), err);
    err.raised();
  }
  void set_context(detail::Session* session) {
    if (context_ || session == nullptr) return;
    detail::Resource<detail::Session>::retain(session);
    context_ = Context(session);
  }

 private:
  static Span<const int64_t> shape_of(const detail::Type* type) { return {type->dims, static_cast<size_t>(type->rank)}; }
  int32_t device_number() const { return context_ ? context_.session()->device_number : 0; }
  void copy(const Field& other) {
    if (other.type_ == nullptr) {
      if (!is_view()) adopt(Buffer(), nullptr);
      return;
    }
    if (!context_) context_ = other.context_;
    const detail::Type* type = other.type_;
    if (type->device != device_number()) type = detail::type_of(type->dtype, type->dims, type->rank, 0, device_number());
    // Keeps the old memory until the elements are copied, because `other` may be a view of it.
    const Buffer kept = type != type_ ? buffer_ : Buffer();
    if (!allocate(type) || size() == 0 || data_ == other.data_) return;
    if (on_host() && other.on_host())
      std::memmove(static_cast<void*>(data_), other.data_, type_->bytes);
    else
      copy_between_devices(other);
  }
  void copy_between_devices(const Field& other) {
    detail::after_default_stream(context_.session());
    detail::after_default_stream(other.context_.session());
    detail::Out err;
    Buffer from = other.as_buffer(err);
    const Buffer to = as_buffer(err);
    if (err.raised()) return;
    if (type_->device == other.type_->device && detail::overlap(data_, type_, other.data_, other.type_)) {
      const Buffer apart(context(), type_->dtype, shape_of(type_));
      harp_buffer_copy(apart.get(), from.get(), err);
      if (err.raised()) return;
      from = apart;
    }
    harp_buffer_copy(to.get(), from.get(), err);
    err.raised();
  }
  void fill(T value) {
    if (on_host()) return std::fill(begin(), end(), value);
    const std::unique_ptr<T[]> elements(new T[size()]);
    std::fill_n(elements.get(), size(), value);
    write({elements.get(), size()});
  }
  bool has_size(size_t count) const {
    if (type_ != nullptr && count == size()) return true;
    detail::raise({HARP_ERROR_SHAPE, "a field of " + std::to_string(size()) + " elements cannot be copied to or from " +
                                         std::to_string(count) + " elements"});
    return false;
  }
  /// The field's memory as a Buffer. After an error, which `err` then holds, the Buffer is empty.
  Buffer as_buffer(detail::Out& err) const {
    if (buffer_ || *static_cast<harp_error**>(err) != nullptr) return buffer_;
    const char* device = on_host() ? "cpu" : context_.session()->device_name();
    return Buffer(
        harp_buffer_wrap_device(context().get(), device, raw(type_->dtype), type_->rank, type_->dims, data_, nullptr, nullptr, err));
  }
  void swap(Field& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(buffer_, other.buffer_);
    std::swap(data_, other.data_);
    std::swap(type_, other.type_);
  }

  Context context_;
  Buffer buffer_;  // empty: the field is a view, or has no memory
  T* data_ = nullptr;
  const detail::Type* type_ = nullptr;
};

namespace detail {

/// A C++ number as the destination of an expression.
template <class T>
struct NumberTarget {
  using Stored = NumberTarget;
  T* number;
  Session* session() const { return nullptr; }
  Target target() const { return {number, dtype_of<T>, number, type(), true}; }
  bool allocate(const Type* wanted) const {
    if (wanted == type()) return true;
    raise({HARP_ERROR_SHAPE, "an expression of the shape " + shape_text(wanted->dims, wanted->rank) + " is assigned to a number"});
    return false;
  }
  void adopt(const Buffer& buffer, const Type*) const { store(buffer); }
  void store(const Buffer& buffer) const { std::memcpy(number, harp_buffer_const_data(buffer.get()), sizeof(T)); }
  bool is_view() const { return true; }
  void set_context(Session*) const {}

 private:
  static const Type* type() {
    static const Type* const type = type_of(dtype_of<T>, nullptr, 0);
    return type;
  }
};

/// Evaluates assignments in one run; later assignments see the results of earlier ones. False after an error.
template <class... A>
bool evaluate(A&... assignments) {
  constexpr size_t results = sizeof...(A);
  constexpr size_t leaves = (A::leaves + ...), fields = (A::fields + ...);
  static Cache cache;

  Session* session = nullptr;
  ((session = session != nullptr ? session : assignments.session()), ...);
  if (session == nullptr) session = default_context().session();
  if (session->device_number != 0) {
    if constexpr (results == 1) {
      const Outcome outcome = launch_kernel(assignments...);
      if (outcome != Outcome::not_here) return outcome == Outcome::done;
    }
    after_default_stream(session);
  }
  Target targets[results];
  Gathered<leaves> gathered;
  gathered.key.add(session->id);
  size_t count = 0;
  ((assignments.expression().gather(gathered, targets, count), targets[count] = assignments.to().target(), ++count), ...);
  (assignments.expression().attributes(AttributeWords{gathered.key}), ...);

  if constexpr (results > 1) {
    for (size_t i = 0; i < results; ++i)
      for (size_t k = 0; k < i; ++k)
        gathered.crosses = gathered.crosses || targets[i].identity == targets[k].identity ||
                           (targets[i].type != nullptr && targets[k].type != nullptr &&
                            overlap(targets[i].data, targets[i].type, targets[k].data, targets[k].type));
    if (gathered.crosses) return (evaluate(assignments) && ...);
  }
  const uint64_t hash = hash_words(gathered.key.data(), gathered.key.size());
  const Entry* entry = cache.find(gathered.key, hash);
  if (entry == nullptr) {
    for (size_t i = 0; i < gathered.inputs; ++i)
      if (gathered.types[i] == nullptr) {
        raise({HARP_ERROR_INVALID_ARGUMENT, "an expression reads a field to which nothing was assigned"});
        return false;
      }
    std::tuple<A*...> all(&assignments...);
    const auto build = [](ExpressionBuilder& builder, const void* expressions) {
      return std::apply([&](const auto*... assignment) { return (assignment->push(builder) && ...); },
                        *static_cast<const std::tuple<A*...>*>(expressions));
    };
    const Assigned what{session, &cache,  gathered.key, fields, (A::is_elementwise && ...) && fields != 0, gathered.types, gathered.inputs,
                        targets, results, build,        &all};
    entry = make_entry(cache, what, hash);
    if (entry == nullptr) return false;
  }
  if (!numbers_fit(*entry, gathered.data)) return false;

  void* outputs[results];
  Buffer apart[results];  // separate memory for results that cannot be written directly to their fields, see clash()
  bool fits = true;
  count = 0;
  const auto place = [&](auto& assignment) {
    const size_t i = count++;
    const Type* type = entry->results[i];
    auto& to = assignment.to();
    to.set_context(session);
    const Target target = to.target();
    bool clashes = false;
    if (target.type != nullptr)
      for (size_t k = 0; k < gathered.inputs && !clashes; ++k)
        clashes = clash(target, gathered.data[k], gathered.types[k], target.type == type ? entry->compiled->in_place[i] : 0, k);
    if (!clashes) {
      fits = fits && to.allocate(type);
      outputs[i] = to.target().data;
      return;
    }
    if (to.is_view() && target.type != type) fits = fits && to.allocate(type);  // raises
    Out err;
    const char* device = type->device != 0 ? session->device_name() : nullptr;
    apart[i] = Buffer(harp_buffer_new(session->context, device, raw(type->dtype), type->rank, type->dims, err));
    outputs[i] = reinterpret_cast<void*>(static_cast<uintptr_t>(harp_buffer_address(apart[i].get())));
    fits = fits && !err.raised();
  };
  (place(assignments), ...);
  if (!fits || !launch(session, *entry, gathered.data, gathered.types, gathered.inputs, outputs)) return false;
  count = 0;
  const auto finish = [&](auto& assignment) {
    const size_t i = count++;
    if (!apart[i]) return;
    if (assignment.to().is_view())
      assignment.to().store(apart[i]);
    else
      assignment.to().adopt(std::move(apart[i]), entry->results[i]);
  };
  (finish(assignments), ...);
  return true;
}

}  // namespace detail

/// An expression and its destination. The destructor of this object, at the end of the statement, evaluates the expression, unless get() or
/// fuse() has already done so.
template <class To, class E>
class [[maybe_unused]] Assignment {
 public:
  static constexpr size_t leaves = E::leaves, fields = E::fields;
  static constexpr bool is_elementwise = E::is_elementwise;

  Assignment(typename To::Stored to, const E& expression) : to_(to), expression_(expression) {}
  Assignment(const Assignment&) = delete;
  Assignment& operator=(const Assignment&) = delete;
#if HARP_CPP_EXCEPTIONS
  ~Assignment() noexcept(false) {
    if (pending_ && std::uncaught_exceptions() == exceptions_) detail::evaluate(*this);
  }
#else
  ~Assignment() {
    if (pending_) detail::evaluate(*this);
  }
#endif

  /// Evaluates the expression now and returns its destination.
  To& get() {
    if (std::exchange(pending_, false)) detail::evaluate(*this);
    return to_;
  }

  // The following members are for evaluate() and fuse(), not for programs.
  void take() { pending_ = false; }
  auto& to() { return to_; }
  const E& expression() const { return expression_; }
  detail::Session* session() const {
    detail::Session* session = to_.session();
    return session != nullptr ? session : expression_.session();
  }
  bool push(detail::ExpressionBuilder& builder) const {
    harp_node* node = expression_.build(builder);
    if (node != nullptr) node = harp_cast(node, raw(to_.target().dtype));
    builder.results.push_back(node);
    return node != nullptr;
  }

 private:
  typename To::Stored to_;
  typename detail::Operand<E>::stored expression_;
  bool pending_ = true;
#if HARP_CPP_EXCEPTIONS
  int exceptions_ = std::uncaught_exceptions();
#endif
};

/// `into(number) = sum(A * B)`: an assignment to a number, for fuse.
template <class T>
class Into {
 public:
  explicit Into(T& number) : number_(&number) {}
  template <class E>
  Assignment<detail::NumberTarget<T>, E> operator=(const Expr<E>& expression) const {  // NOLINT(misc-unconventional-assign-operator)
    return {detail::NumberTarget<T>{number_}, expression.self()};
  }

 private:
  T* number_;
};
template <class T>
Into<T> into(T& number) {
  return Into<T>(number);
}

/// Evaluates assignments in one program. The results are those of executing the assignments one after another: in fuse(D = A * B, into(s) =
/// sum(D)) the sum is that of the new D.
template <class... To, class... E>
void fuse(Assignment<To, E>&&... assignments) {
  (assignments.take(), ...);
  detail::evaluate(assignments...);
}

template <class E>
template <class T>
T Expr<E>::value() const {
  T number{};
  Assignment<detail::NumberTarget<T>, E> assignment(detail::NumberTarget<T>{&number}, self());
  assignment.take();
  detail::evaluate(assignment);
  return number;
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_FIELD_HPP
