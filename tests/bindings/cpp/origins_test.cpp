// Tests gradients through arrays that have already been computed. If the result of grad would lack a term because of that, grad must report
// an error. In all other cases it must succeed.
#include <thread>
#include <utility>

#include "support.h"

using namespace harp;
using cpp_test::contains;
using cpp_test::error_of;

namespace {

using Doubles = std::vector<double>;

void look(const Tensor& tensor) { static_cast<void>(tensor.to_vector<double>()); }

/// Calls grad. Returns "" if grad succeeds, the message if it fails with HARP_ERROR_NO_GRADIENT, and the name of the code for any other
/// error.
std::string refusal(const Tensor& y, const std::vector<Tensor>& xs, const Tensor& grad_output = {}) {
  const Error error = error_of([&] { grad(y, xs, grad_output); });
  if (error.code() == HARP_OK) return "";
  return error.code() == HARP_ERROR_NO_GRADIENT ? error.message() : error.code_name();
}

Doubles gradient(const Tensor& y, const Tensor& x) { return grad(y, {x})[0].to_vector<double>(); }

/// Returns y after one more operation, the one with number i of a long chain. Every ninth adds x; the eight between change the sign, and
/// harp's optimiser drops pairs of them. A compiler takes seconds for a program of 10,000 additions.
Tensor next_of_chain(const Tensor& y, const Tensor& x, int i) { return i % 9 == 0 ? y + x : -y; }

}  // namespace

TEST_CASE("H1.lazy/cpp: a gradient through an array that somebody looked at is an error that says so") {
  const Tensor x({1.0, 2.0}), s = x * x;
  CHECK(gradient((s * x).sum(), x) == Doubles{3, 12});
  look(s);
  const std::string message = refusal((s * x).sum(), {Tensor({1.0}), x});
  CHECK(contains(message, "shape [2]"));
  CHECK(contains(message, "xs[1]"));
  CHECK(contains(message, "were read"));
  CHECK(contains(message, "realize()"));
  // grad succeeds although s has been computed, because the gradient is with respect to s itself
  CHECK(gradient((s * x).sum(), s) == Doubles{1, 2});
  CHECK(contains(refusal((s * x).sum(), {s, x}), "xs[1]"));
  CHECK(contains(refusal(s, {x}, s), "were read"));

  const Tensor t = s * 2 + 1;  // t is made from s, which has been computed; t also remembers that s was computed from x
  CHECK_FALSE(refusal(t.sum(), {x}).empty());
  look(t);
  CHECK_FALSE(refusal((t * 3).sum(), {x}).empty());
  CHECK_FALSE(refusal((t * 3).sum(), {s}).empty());
}

TEST_CASE("H1.lazy/cpp: every way to look counts, and an array that was pending then") {
  const Tensor x({3.0}), square = x * x;
  const auto checks = [&](void (*looks)(const Tensor&)) {
    const Tensor root = square * 5, s = root + 1, y = s * root;
    looks(s);
    return !refusal(y.sum(), {x}).empty() && !refusal(y.sum(), {root}).empty() && refusal((s * s).sum(), {s}).empty();
  };
  CHECK(checks([](const Tensor& t) { static_cast<void>(t.item<double>()); }));
  CHECK(checks([](const Tensor& t) { static_cast<void>(t.data<double>()); }));
  CHECK(checks([](const Tensor& t) { static_cast<void>(t.buffer()); }));
  CHECK(checks([](const Tensor& t) { static_cast<void>(static_cast<bool>(t)); }));
  CHECK_FALSE(square.is_realized());
}

TEST_CASE("H1.lazy/cpp: a gradient through a computation that was too long to stay pending") {
  const Tensor x({1.0, 2.0});
  Tensor y = x;
  for (int i = 0; i < 9000; ++i) y = next_of_chain(y, x, i);
  CHECK(gradient(y.sum(), x) == Doubles{1001, 1001});
  for (int i = 9000; i < 12000; ++i) y = next_of_chain(y, x, i);
  const std::string message = refusal(y.sum(), {x});
  CHECK(contains(message, "10,000"));
  CHECK(contains(message, "jit"));
  const auto sum = jit([](const Tensor& one) {
    Tensor total = one;
    for (int i = 0; i < 12000; ++i) total = next_of_chain(total, one, i);
    return grad(total.sum(), {one})[0];
  });
  CHECK(sum(x).to_vector<double>() == Doubles{1335, 1335});

  Tensor p = x;  // p is made from x, but q is not; all intermediate sums are computed, because there are too many for one program
  const Tensor z({3.0, 4.0});
  Tensor q = z;
  for (int i = 0; i < 5500; ++i) p = next_of_chain(p, x, i), q = next_of_chain(q, z, i);
  const Tensor product = p * q;
  CHECK(p.is_realized());
  CHECK(q.is_realized());
  CHECK_FALSE(product.is_realized());
  CHECK_FALSE(refusal(product.sum(), {x}).empty());
  CHECK_FALSE(refusal(product.sum(), {z}).empty());
  CHECK(gradient((q + x).sum(), x) == Doubles{1, 1});
  CHECK(gradient((p * z).sum(), z) == p.to_vector<double>());
}

TEST_CASE("H1.lazy/cpp: a gradient that was taken before looking stays what it was, whatever is computed then") {
  const auto checks = [](void (*computes)(const Tensor&)) {
    const Tensor x({1.0, 2.0}), s = x * x, y = (s * x).sum();
    std::vector<Tensor> g = grad(y, {x});
    const Tensor step = x - g[0];
    const bool gave_up = error_of([&] { grad((s * x).sum(), {Tensor({1.0})}); }).code() == HARP_ERROR_NO_GRADIENT;
    const Launches before = launches();
    computes(s);
    const bool once = launches().runs == before.runs + 1;  // together
    return gave_up && once && g[0].to_vector<double>() == Doubles{3, 12} && step.to_vector<double>() == Doubles{-2, -10} &&
           y.item<double>() == 9;
  };
  CHECK(checks(look));
  CHECK(checks([](const Tensor& t) { t.realize(); }));
  CHECK(checks([](const Tensor& t) { realize({t, t + 1}); }));

  const Tensor x({1.0, 2.0}), s = x * x, y = (s * x).sum();
  const Tensor of_x = grad(y, {x})[0], of_s = grad(y, {s})[0], twice = grad(of_x.sum(), {x})[0];
  const std::vector<Tensor> both = grad((s * s).sum(), {x, s}), unused = grad(s.sum(), {x});
  const Tensor nested = grad(grad((s * s).sum(), {x})[0].sum(), {x})[0];
  static_cast<void>(grad(s.sum(), {x}));
  look(s);
  CHECK(of_x.is_realized());
  CHECK(of_x.to_vector<double>() == Doubles{3, 12});
  CHECK(of_s.to_vector<double>() == Doubles{1, 2});
  CHECK(twice.to_vector<double>() == Doubles{6, 12});
  CHECK(nested.to_vector<double>() == Doubles{12, 48});
  CHECK(both[0].to_vector<double>() == Doubles{4, 32});
  CHECK(both[1].to_vector<double>() == Doubles{2, 8});
  CHECK(unused[0].to_vector<double>() == Doubles{2, 4});
  CHECK(contains(refusal((of_x * x).sum(), {x}), "a gradient"));

  const Tensor a = x * 2, b = x * 3, ga = grad((a * a).sum(), {x})[0], gb = grad((b * b).sum(), {x})[0];
  const Tensor gab = grad((a * b).sum(), {x})[0];  // gab is computed from both a and b, so it connects the computations of ga and gb
  const Tensor apart = grad((x * x * x).sum(), {x})[0];
  look(b);
  CHECK(ga.to_vector<double>() == Doubles{8, 16});
  CHECK(gb.to_vector<double>() == Doubles{18, 36});
  CHECK(gab.to_vector<double>() == Doubles{12, 24});
  CHECK_FALSE(apart.is_realized());

  const Tensor term = x + x, of_term = grad((term * term).sum(), {x})[0];
  Tensor total = x;  // a long chain, which has to be computed before it becomes too large for one program
  for (int i = 0; i < 9999; ++i) total = next_of_chain(total, x, i);
  static_cast<void>(total * term);
  CHECK(total.is_realized());
  CHECK(of_term.is_realized());
  CHECK(of_term.to_vector<double>() == Doubles{8, 16});
}

TEST_CASE("H1.realize/cpp: realize makes constants on purpose, before and after looking") {
  const Tensor x({1.0, 2.0}), s = x * x, t = x * x, u = x + 1, v = x + 2;
  s.realize();
  look(s);
  CHECK(gradient((s * x).sum(), x) == Doubles{1, 4});
  look(t);
  CHECK_FALSE(refusal((t * x).sum(), {x}).empty());
  t.realize();
  CHECK(gradient((t * x).sum(), x) == Doubles{1, 4});
  look(v);
  realize({u, v});
  CHECK(gradient((u * v * x).sum(), x) == Doubles{6, 12});
  const Tensor w = s * 2;  // s has become a constant, so w does not depend on x
  look(w);
  CHECK(gradient((w * x).sum(), x) == Doubles{2, 8});
  CHECK_FALSE(refusal((w * x).sum(), {s}).empty());
}

TEST_CASE("H1.lazy/cpp: gradients that looking takes nothing from") {
  const Tensor x({1.0, 2.0}), other({5.0, 6.0});
  const Tensor s = x * 3, t = other * other, mask = x > 1, frozen = stop_gradient(x * x);
  look(s), look(t), look(frozen);
  static_cast<void>(mask.to_vector<bool>());
  static_cast<void>((x * x).sum().item<double>());  // this array was computed and no longer exists

  CHECK(gradient((s * s).sum(), s) == Doubles{6, 12});   // a gradient with respect to the computed array itself
  CHECK(gradient((x * t).sum(), x) == Doubles{25, 36});  // t was computed, but not from x
  CHECK(gradient((x * x).sum(), x) == Doubles{2, 4});    // the sum does not use s, which was made from x
  const Tensor later({7.0, 8.0}), pending = later + s;   // `later` and `pending` are both made after s was computed
  CHECK(gradient((pending * s).sum(), later) == Doubles{3, 6});
  CHECK(gradient((pending * s).sum(), pending) == Doubles{3, 6});
  CHECK(gradient(where(mask, x, 0).sum(), x) == Doubles{0, 1});  // the condition has no derivative with respect to x
  CHECK(gradient((frozen * x).sum(), x) == Doubles{1, 4});
  CHECK(gradient((stop_gradient(s) * x).sum(), x) == Doubles{3, 6});
  CHECK(grad(x, {x}, s)[0].to_vector<double>() == Doubles{3, 6});  // s is only a weight (grad_output), which counts as a constant
  CHECK_FALSE(refusal((s * x).sum(), {x}).empty());
}

TEST_CASE("H1.lazy/cpp: training looks at parameters and losses in each step, and takes gradients with respect to new ones") {
  const Tensor x({1.0, 2.0, 3.0, 4.0}), y({3.0, 5.0, 7.0, 9.0});
  Tensor w = Tensor::zeros(f64, {}), b = Tensor::zeros(f64, {}), speed = Tensor::zeros(f64, {});
  for (int step = 0; step < 300; ++step) {
    const Tensor loss = square(w * x + b - y).mean();
    const std::vector<Tensor> gradients = grad(loss, {w, b});
    static_cast<void>(loss.item<double>());
    speed = speed * 0.5 + gradients[0];
    w -= 0.05 * speed;
    b -= 0.05 * gradients[1];
    static_cast<void>(w.item<double>());
    look(b);
    REQUIRE(refusal(square(w * x + b - y).mean(), {b}).empty());  // grad succeeds, because it is only with respect to the new b
  }
  CHECK(std::abs(w.item<double>() - 2) < 0.01);
  CHECK(std::abs(b.item<double>() - 1) < 0.03);
  CHECK_FALSE(refusal((w * x).sum(), {x}).empty());  // w was computed from x in the steps above
  w.realize();
  CHECK(gradient((w * x).sum(), x).size() == 4);
}

TEST_CASE("H1.lazy/cpp: arrays that were made of many remember all, and may take older ones for some of them") {
  const Tensor older({0.5});
  look(older * 1);
  std::vector<Tensor> all;
  for (int i = 0; i < 40; ++i) all.push_back(Tensor({1.0 * i}));
  Tensor total = all[0];
  for (const Tensor& one : all) total = total + one;
  look(total);
  for (const Tensor& one : all) CHECK_FALSE(refusal((total * one).sum(), {one}).empty());
  CHECK(contains(refusal((total * older).sum(), {older}), "may have been"));
  const Tensor younger({2.0});
  look(younger * 1);
  CHECK(gradient((total * younger).sum(), younger) == Doubles{780});
}

TEST_CASE("H1.cached/cpp: results of jit remember its arguments and what it captured") {
  const Tensor x({1.0, 2.0}), captured({3.0, 4.0}), unused({5.0, 6.0}), behind({7.0, 8.0});
  const auto function = jit([&](const Tensor& a, const Tensor&, const Tensor& c, const Tensor& k) {
    return std::make_pair(a * captured * k + stop_gradient(c), a > 1);
  });
  const auto [product, mask] = function(x, unused, behind, 2.0);
  CHECK(contains(refusal((product * x).sum(), {x}), "result of a function that jit"));
  CHECK_FALSE(refusal((product * captured).sum(), {captured}).empty());
  CHECK(gradient((product * unused).sum(), unused) == Doubles{13, 24});
  CHECK(gradient((product * behind).sum(), behind) == Doubles{13, 24});
  CHECK(gradient(where(mask, x, 0).sum(), x) == Doubles{0, 1});
  CHECK(gradient((product * product).sum(), product) == Doubles{26, 48});
  const Tensor argument = x * x;
  function(argument, unused, behind, 2.0);
  CHECK(contains(refusal((argument * x).sum(), {x}), "argument of a function that jit"));

  const auto step = jit([](const Tensor& w, const Tensor& rate) { return w - rate * grad((w * w).sum(), {w})[0]; });
  Tensor w({1.0, 2.0});
  for (int i = 0; i < 40; ++i) {
    w = step(w, 0.25);
    REQUIRE(refusal((w * x).sum(), {w}).empty());
  }
  // jit treats a captured array as a constant
  const auto inner = jit([weights = product](const Tensor& a) { return grad((weights * a).sum(), {a})[0]; });
  CHECK(inner(x).to_vector<double>() == Doubles{13, 24});
}

TEST_CASE("H1.lazy/cpp: several threads make arrays of one, look at them and ask for gradients") {
  const Tensor x({1.0, 2.0}), s = x * x;
  look(s);
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Tensor own({1.0, 1.0}), mine = own * x;
        look(mine);
        if (t == 0 && i == 25) s.realize();
        const bool is_own = !refusal((mine * own).sum(), {own}).empty(), is_shared = !refusal((mine * x).sum(), {x}).empty();
        // Another thread may already have made s a constant by realize(). Then grad fails with HARP_ERROR_NO_GRADIENT.
        const Error error = error_of([&] { grad((s * x).sum(), {x}); });
        if (is_own && is_shared && (error.code() == HARP_OK || error.code() == HARP_ERROR_NO_GRADIENT)) ++right[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 50));
  CHECK(gradient((s * x).sum(), x) == Doubles{1, 4});
}
