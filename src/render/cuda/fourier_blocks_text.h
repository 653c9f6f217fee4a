// Contains the text of Fourier transforms of tiles (fourier_blocks.cpp).
#pragma once

#include <string_view>

namespace harp::render {

// Placeholders. $T: the element type. $F: the name of the dtype. $P: the factor of a pass. Other placeholders are explained where they are
// first used.

inline constexpr std::string_view kPair = "struct __align__($BYTES) pair_$F { $T re, im; };\n";

// Placeholders. $LENGTH: the length of rows. $ENTRIES: number of entries of the tables. $PARTS: statements that set k and n for entry
// number `at`. For tables that do not store their entries as pairs, these statements also set re and im, the positions of the entry's real
// and imaginary parts.
inline constexpr std::string_view kBlockTables =
    R"(/* The tables of transforms of $LENGTH numbers: roots of 1, exp(-2 pi i k / n), as pairs of a real and an imaginary part. */
$CALLEDvoid $NAME($T* tables, i64 block, i64 blocks) {
  for (i64 at = block * $THREADS + threadIdx.x; at < $ENTRIES; at += blocks * $THREADS) {
    i64 k = 0, n = 1, re = 2 * at, im = 2 * at + 1;
    $PARTS
    const number_$F root = root_$F(k, n);
    tables[re] = root.re;
    tables[im] = root.im;
  }
}
)";

inline constexpr std::string_view kPairs =
    R"(/* How real and imaginary parts that are `step` apart can be accessed: 1: in pairs, real part first; 2: in pairs, imaginary part first; 0: one
   by one. */
$INLINEDint pairs_of_$F(const $T* re, const $T* im, i64 row_step, i64 step) {
  if (step != 2 || row_step % 2 != 0 || !im) return 0;
  if (im == re + 1) return (size_t)re % sizeof(pair_$F) == 0 ? 1 : 0;
  return re == im + 1 && (size_t)im % sizeof(pair_$F) == 0 ? 2 : 0;
}
)";

inline constexpr std::string_view kLoad =
    R"(/* Loads $P numbers that are `apart` elements apart. Without im the imaginary parts are 0. pairs: see pairs_of_$F. */
$INLINEDvoid load_$P_numbers_$F(const $T* re, const $T* im, int pairs, i64 apart, $T* x, $T* y) {
  if (pairs > 0) {
    const $T* const from = pairs == 1 ? re : im;
    #pragma unroll
    for (int i = 0; i < $P; ++i) {
      const pair_$F pair = *(const pair_$F*)(from + i * apart);
      x[i] = pairs == 1 ? pair.re : pair.im;
      y[i] = pairs == 1 ? pair.im : pair.re;
    }
  } else {
    #pragma unroll
    for (int i = 0; i < $P; ++i) {
      x[i] = re[i * apart];
      y[i] = im ? im[i * apart] : ($T)0;
    }
  }
}
)";

inline constexpr std::string_view kStore =
    R"(/* Stores $P numbers in the places `first` + i * `apart` of a row; those from place `kept` on are not stored, if kept > 0. */
$INLINEDvoid store_$P_numbers_$F($T* re, $T* im, int pairs, i64 step, i64 first, i64 apart, i64 kept, const $T* x, const $T* y) {
  $T* const to = pairs == 1 ? re : im;
  #pragma unroll
  for (int i = 0; i < $P; ++i) {
    const i64 place = first + i * apart;
    if (kept > 0 && place >= kept) continue;
    if (pairs > 0) {
      *(pair_$F*)(to + place * step) = pair_$F{pairs == 1 ? x[i] : y[i], pairs == 1 ? y[i] : x[i]};
    } else {
      re[place * step] = x[i];
      im[place * step] = y[i];
    }
  }
}
)";

inline constexpr std::string_view kTurns =
    R"(/* Multiplies all $P numbers but the first by roots, of which those for one number and the next are `apart` pairs apart. */
$INLINEDvoid turn_$P_numbers_$F($T* x, $T* y, const pair_$F* roots, int apart) {
  #pragma unroll
  for (int u = 1; u < $P; ++u) {
    const pair_$F root = roots[(u - 1) * apart];
    dft_turn_$F(x + u, y + u, root.re, root.im);
  }
}
)";

// Placeholders. $LENGTH: the length of rows. $STEP: root_step($LENGTH).
inline constexpr std::string_view kTurnByFirst =
    R"(/* Multiplies x + i y by exp(-2 pi i k / $LENGTH). `first` are the roots of 1 with angles up to an eighth of a circle. */
$INLINEDvoid $NAME($T* x, $T* y, u32 k, const pair_$F* first) {
  const u32 quarter = 4 * k / $LENGTHu, rest = 4 * k - quarter * $LENGTHu;
  const bool far = 2 * rest > $LENGTHu;
  const pair_$F root = first[(far ? $LENGTHu - rest : rest) / $STEPu];
  const $T a = far ? -root.im : root.re, b = far ? -root.re : root.im;
  const $T c = quarter % 2 == 0 ? a : b, s = quarter % 2 == 0 ? b : a;
  dft_turn_$F(x, y, quarter < 2 ? c : -c, quarter == 1 || quarter == 2 ? -s : s);
}
)";

// Placeholders. $COMMENT: what the function transforms. $SHARED: declares the shared memory. $HELD: number of complex numbers that a thread
// holds. $TILE: defines the variables that depend on the tile. $PASSES: the passes, with the exchanges of data between them.
inline constexpr std::string_view kTileFunction =
    R"(/* $COMMENT.
   Element k of row q is at q * row_step + k * step. Only the first `kept` elements of a row are stored; 0: all. */
$INLINEDvoid $NAME($PARAMETERS) {
$SHARED  $T x[$HELD], y[$HELD]; /* the numbers of a thread: real and imaginary parts */
$TILE$PASSES}
)";

}  // namespace harp::render
