"""Contains C code for the networks of networks.py, as a C programmer writes it: functions for rows of f32, each of which is a nest of
loops, and the bodies of the C functions with which harp is compared, which call these functions. Rows are computed in parallel."""

PRODUCTS = """/* y[n][m] += x[n][k] w[k][m] */
static void add_product(float* restrict y, const float* x, const float* w, int64_t n, int64_t k, int64_t m) {
  PARALLEL
  for (int64_t i = 0; i < n; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < m; ++j) y[i * m + j] += x[i * k + p] * w[p * m + j];
}

/* y[n][m] += x[n][k] w[m][k]: products of rows with rows */
static void add_product_of_rows(float* restrict y, const float* x, const float* w, int64_t n, int64_t k, int64_t m) {
  PARALLEL
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * m + j] += sum;
    }
}

/* y[k][m] += x[n][k] g[n][m]: the gradient of weights */
static void add_product_of_columns(float* restrict y, const float* x, const float* g, int64_t n, int64_t k, int64_t m) {
  PARALLEL
  for (int64_t p = 0; p < k; ++p)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < m; ++j) y[p * m + j] += x[i * k + p] * g[i * m + j];
}

static float* zeros(int64_t count) { return calloc(count, sizeof(float)); }

static void rectify(float* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = x[i] > 0 ? x[i] : 0;
}
"""

CONVOLUTIONS = PRODUCTS + """
/* Windows of 3 x 3 with a border of zeros. */
static void convolve(float* restrict y, const float* x, const float* w, int64_t batch, int64_t channels, int64_t filters, int64_t size) {
  PARALLEL_2
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t f = 0; f < filters; ++f)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t p = 0; p < 3; ++p)
          for (int64_t q = 0; q < 3; ++q) {
            const float weight = w[((f * channels + c) * 3 + p) * 3 + q];
            for (int64_t i = p == 0; i < size - (p == 2); ++i)
              for (int64_t j = q == 0; j < size - (q == 2); ++j)
                y[((b * filters + f) * size + i) * size + j] += weight * x[((b * channels + c) * size + i + p - 1) * size + j + q - 1];
          }
}

/* The greatest of 2 x 2 pixels, or zero. */
static void rectify_and_pool(float* restrict y, const float* x, int64_t planes, int64_t size) {
  PARALLEL
  for (int64_t n = 0; n < planes; ++n)
    for (int64_t i = 0; i < size / 2; ++i)
      for (int64_t j = 0; j < size / 2; ++j) {
        const float* at = x + (n * size + 2 * i) * size + 2 * j;
        const float upper = at[0] > at[1] ? at[0] : at[1], lower = at[size] > at[size + 1] ? at[size] : at[size + 1];
        const float greatest = upper > lower ? upper : lower;
        y[(n * (size / 2) + i) * (size / 2) + j] = greatest > 0 ? greatest : 0;
      }
}
"""

# In these functions q, k, v and y are arrays of rows with `width` numbers each. A row of q, k or v begins `step` numbers after the previous
# row; a row of y begins `y_step` numbers after the previous row.
ATTENTION = PRODUCTS + """
/* The weights of one query: softmax of its products with the keys. */
static void weigh(float* weights, const float* q, const float* k, int64_t step, int64_t keys, int64_t width) {
  const float scale = 1 / sqrtf(width);
  float top = -INFINITY, total = 0;
  for (int64_t j = 0; j < keys; ++j) {
    float sum = 0;
    for (int64_t d = 0; d < width; ++d) sum += q[d] * k[j * step + d];
    weights[j] = sum * scale;
    top = weights[j] > top ? weights[j] : top;
  }
  for (int64_t j = 0; j < keys; ++j) weights[j] = expf(weights[j] - top), total += weights[j];
  for (int64_t j = 0; j < keys; ++j) weights[j] /= total;
}

static void attend(float* restrict y, int64_t y_step, const float* q, const float* k, const float* v, int64_t step, int64_t queries, int64_t keys,
                   int64_t width, int causal) {
  float* weights = zeros(keys);
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t seen = causal ? i + 1 : keys;
    weigh(weights, q + i * step, k, step, seen, width);
    for (int64_t d = 0; d < width; ++d) y[i * y_step + d] = 0;
    for (int64_t j = 0; j < seen; ++j)
      for (int64_t d = 0; d < width; ++d) y[i * y_step + d] += weights[j] * v[j * step + d];
  }
  free(weights);
}

/* Adds to dq, dk and dv, from g, the gradient of y. */
static void attend_backwards(float* restrict dq, float* restrict dk, float* restrict dv, const float* q, const float* k, const float* v, const float* g,
                             int64_t queries, int64_t keys, int64_t width) {
  const float scale = 1 / sqrtf(width);
  float *weights = zeros(keys), *products = zeros(keys);
  for (int64_t i = 0; i < queries; ++i) {
    weigh(weights, q + i * width, k, width, keys, width);
    float mean = 0;
    for (int64_t j = 0; j < keys; ++j) {
      float sum = 0;
      for (int64_t d = 0; d < width; ++d) sum += g[i * width + d] * v[j * width + d];
      products[j] = sum;
      mean += sum * weights[j];
    }
    for (int64_t j = 0; j < keys; ++j) {
      const float score = weights[j] * (products[j] - mean) * scale;
      for (int64_t d = 0; d < width; ++d) {
        dq[i * width + d] += score * k[j * width + d];
        dk[j * width + d] += score * q[i * width + d];
        dv[j * width + d] += weights[j] * g[i * width + d];
      }
    }
  }
  free(weights), free(products);
}

/* Rows less their mean, divided by their standard deviation. */
static void normalise(float* restrict y, const float* x, int64_t n, int64_t width) {
  PARALLEL
  for (int64_t i = 0; i < n; ++i) {
    float mean = 0, variance = 0;
    for (int64_t j = 0; j < width; ++j) mean += x[i * width + j];
    mean /= width;
    for (int64_t j = 0; j < width; ++j) variance += (x[i * width + j] - mean) * (x[i * width + j] - mean);
    const float factor = 1 / sqrtf(variance / width + 1e-5f);
    for (int64_t j = 0; j < width; ++j) y[i * width + j] = (x[i * width + j] - mean) * factor;
  }
}
"""

LSTM = PRODUCTS + """
static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/* One step of n cells: the gates i, f, g, o of each in z[n][4][m], and the states after it from those before it. */
static void step(float* z, float* h, float* c, const float* x, const float* w, const float* u, const float* h_before, const float* c_before, int64_t n,
                 int64_t k, int64_t m) {
  add_product_of_rows(z, x, w, n, k, 4 * m);
  add_product_of_rows(z, h_before, u, n, m, 4 * m);
  PARALLEL
  for (int64_t a = 0; a < n; ++a)
    for (int64_t j = 0; j < m; ++j) {
      float *i = &z[4 * a * m + j], *f = i + m, *g = f + m, *o = g + m;
      *i = sigmoid(*i), *f = sigmoid(*f), *g = tanhf(*g), *o = sigmoid(*o);
      c[a * m + j] = *f * c_before[a * m + j] + *i * *g;
      h[a * m + j] = *o * tanhf(c[a * m + j]);
    }
}
"""


def _forward(batch, widths, layers):
    """Returns C statements for the first `layers` layers: they declare h0, the input of the first layer, and h1, h2, ..., the output of
    each layer. The output of the network's last layer is y itself."""
    lines, depth = ["const float* h0 = &x(0, 0);"], len(widths) - 1
    for k in range(layers):
        n, m = widths[k], widths[k + 1]
        lines += [f"float* h{k + 1} = {f'zeros({batch * m})' if k + 1 < depth else '&y(0, 0)'};",
                  f"for (int64_t i = 0; i < {batch}; ++i) memcpy(h{k + 1} + i * {m}, &b{k}(0), {m} * sizeof(float));",
                  f"add_product(h{k + 1}, h{k}, &w{k}(0, 0), {batch}, {n}, {m});"]
        lines += [f"rectify(h{k + 1}, {batch * m});"] if k + 1 < depth else []
    return lines


def perceptron(batch, widths):
    depth = len(widths) - 1
    return "\n".join([*_forward(batch, widths, depth), *(f"free(h{k});" for k in range(1, depth))])


def perceptron_gradient(batch, widths):
    depth = len(widths) - 1
    lines = [*_forward(batch, widths, depth - 1), f"const float* g{depth} = &g(0, 0);"]
    for k in reversed(range(depth)):
        n, m = widths[k], widths[k + 1]
        lines += [f"memset(&dw{k}(0, 0), 0, {n * m} * sizeof(float));", f"add_product_of_columns(&dw{k}(0, 0), h{k}, g{k + 1}, {batch}, {n}, {m});",
                  f"memset(&db{k}(0), 0, {m} * sizeof(float));",
                  f"for (int64_t i = 0; i < {batch}; ++i) for (int64_t j = 0; j < {m}; ++j) db{k}(j) += g{k + 1}[i * {m} + j];"]
        if k > 0:
            lines += [f"float* g{k} = zeros({batch * n});", f"add_product_of_rows(g{k}, g{k + 1}, &w{k}(0, 0), {batch}, {m}, {n});",
                      f"for (int64_t i = 0; i < {batch * n}; ++i) if (!(h{k}[i] > 0)) g{k}[i] = 0;"]
    return "\n".join([*lines, *(f"free(h{k});" for k in range(1, depth)), *(f"free(g{k});" for k in range(1, depth))])


def cnn(batch, image, channels, width, classes):
    half, left = image // 2, image // 4
    return f"""float* a = zeros({batch * width * image * image});
float* b = zeros({batch * width * half * half});
float* c = zeros({batch * 2 * width * half * half});
float* d = zeros({batch * 2 * width * left * left});
convolve(a, &x(0, 0, 0, 0), &w0(0, 0, 0, 0), {batch}, {channels}, {width}, {image});
rectify_and_pool(b, a, {batch * width}, {image});
convolve(c, b, &w1(0, 0, 0, 0), {batch}, {width}, {2 * width}, {half});
rectify_and_pool(d, c, {batch * 2 * width}, {half});
memset(&y(0, 0), 0, {batch * classes} * sizeof(float));
add_product(&y(0, 0), d, &w2(0, 0), {batch}, {2 * width * left * left}, {classes});
free(a), free(b), free(c), free(d);"""


def attention(batch, heads, queries, keys, width):
    return f"""PARALLEL_2
for (int64_t b = 0; b < {batch}; ++b)
  for (int64_t h = 0; h < {heads}; ++h)
    attend(&y(b, h, 0, 0), {width}, &q(b, h, 0, 0), &k(b, h, 0, 0), &v(b, h, 0, 0), {width}, {queries}, {keys}, {width}, 0);"""


def attention_gradient(batch, heads, queries, keys, width):
    return f"""PARALLEL_2
for (int64_t b = 0; b < {batch}; ++b)
  for (int64_t h = 0; h < {heads}; ++h) {{
    memset(&dq(b, h, 0, 0), 0, {queries * width} * sizeof(float));
    memset(&dk(b, h, 0, 0), 0, {keys * width} * sizeof(float));
    memset(&dv(b, h, 0, 0), 0, {keys * width} * sizeof(float));
    attend_backwards(&dq(b, h, 0, 0), &dk(b, h, 0, 0), &dv(b, h, 0, 0), &q(b, h, 0, 0), &k(b, h, 0, 0), &v(b, h, 0, 0), &g(b, h, 0, 0),
                     {queries}, {keys}, {width});
  }}"""


def transformer_block(batch, length, heads, width, causal):
    rows, head = batch * length, width // heads
    return f"""float *normed = zeros({rows * width}), *qkv = zeros({rows * 3 * width}), *mixed = zeros({rows * width});
float *z = zeros({rows * width}), *hidden = zeros({rows * 4 * width});
normalise(normed, &x(0, 0, 0), {rows}, {width});
add_product(qkv, normed, &wqkv(0, 0), {rows}, {width}, {3 * width});
PARALLEL_2
for (int64_t b = 0; b < {batch}; ++b)
  for (int64_t h = 0; h < {heads}; ++h) {{
    const float* q = qkv + b * {length * 3 * width} + h * {head};
    attend(mixed + b * {length * width} + h * {head}, {width}, q, q + {width}, q + {2 * width}, {3 * width}, {length}, {length}, {head}, {causal});
  }}
memcpy(z, &x(0, 0, 0), {rows * width} * sizeof(float));
add_product(z, mixed, &wo(0, 0), {rows}, {width}, {width});
normalise(normed, z, {rows}, {width});
add_product(hidden, normed, &w1(0, 0), {rows}, {width}, {4 * width});
rectify(hidden, {rows * 4 * width});
memcpy(&y(0, 0, 0), z, {rows * width} * sizeof(float));
add_product(&y(0, 0, 0), hidden, &w2(0, 0), {rows}, {4 * width}, {width});
free(normed), free(qkv), free(mixed), free(z), free(hidden);"""


def _steps(steps, batch, inputs, hidden):
    """Returns C statements that compute all steps of the LSTM: z + t * ... are the gates of step t; hs + t * ... and cs + t * ... are the
    states before step t."""
    cells = batch * hidden
    return f"""float *z = zeros({steps * 4 * cells}), *hs = zeros({(steps + 1) * cells}), *cs = zeros({(steps + 1) * cells});
memcpy(hs, &h(0, 0), {cells} * sizeof(float)), memcpy(cs, &c(0, 0), {cells} * sizeof(float));
for (int64_t t = 0; t < {steps}; ++t)
  step(z + t * {4 * cells}, hs + (t + 1) * {cells}, cs + (t + 1) * {cells}, &x(t, 0, 0), &w(0, 0), &u(0, 0), hs + t * {cells}, cs + t * {cells},
       {batch}, {inputs}, {hidden});
"""


def lstm(steps, batch, inputs, hidden):
    cells = batch * hidden
    return f"""{_steps(steps, batch, inputs, hidden)}memcpy(&y(0, 0), hs + {steps * cells}, {cells} * sizeof(float));
free(z), free(hs), free(cs);"""


def lstm_gradient(steps, batch, inputs, hidden):
    cells = batch * hidden
    return f"""{_steps(steps, batch, inputs, hidden)}float *dz = zeros({4 * cells}), *dh = zeros({cells}), *dc = zeros({cells});
memcpy(dh, &g(0, 0), {cells} * sizeof(float));
memset(&dw(0, 0), 0, {4 * hidden * inputs} * sizeof(float)), memset(&du(0, 0), 0, {4 * hidden * hidden} * sizeof(float));
for (int64_t t = {steps} - 1; t >= 0; --t) {{
  for (int64_t a = 0; a < {batch}; ++a)
    for (int64_t j = 0; j < {hidden}; ++j) {{
      const int64_t at = a * {hidden} + j, first = 4 * a * {hidden} + j;
      const float* gate = z + t * {4 * cells} + first;
      const float i = gate[0], f = gate[{hidden}], candidate = gate[{2 * hidden}], o = gate[{3 * hidden}];
      const float before = cs[t * {cells} + at], after = tanhf(cs[(t + 1) * {cells} + at]);
      dc[at] += dh[at] * o * (1 - after * after);
      dz[first] = dc[at] * candidate * i * (1 - i);
      dz[first + {hidden}] = dc[at] * before * f * (1 - f);
      dz[first + {2 * hidden}] = dc[at] * i * (1 - candidate * candidate);
      dz[first + {3 * hidden}] = dh[at] * after * o * (1 - o);
      dc[at] *= f;
    }}
  add_product_of_columns(&dw(0, 0), dz, &x(t, 0, 0), {batch}, {4 * hidden}, {inputs});
  add_product_of_columns(&du(0, 0), dz, hs + t * {cells}, {batch}, {4 * hidden}, {hidden});
  if (t == 0) break;
  memset(dh, 0, {cells} * sizeof(float));
  add_product(dh, dz, &u(0, 0), {batch}, {4 * hidden}, {hidden});
}}
free(z), free(hs), free(cs), free(dz), free(dh), free(dc);"""
