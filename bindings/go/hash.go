package harp

import (
	"math"
	"math/bits"
)

// key is a 128-bit hash of everything that distinguishes one operation, or one program, from another. It is built word by word, by the
// mixing step of MurmurHash3 (x64, 128 bits). Operations and programs with equal keys are treated as equal.
type key struct{ high, low uint64 }

func (k key) word(w uint64) key {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	high := bits.RotateLeft64(k.high^bits.RotateLeft64(w*c1, 31)*c2, 27) + k.low
	high = high*5 + 0x52dce729
	low := bits.RotateLeft64(k.low^bits.RotateLeft64(w*c2, 33)*c1, 31) + high
	return key{high, low*5 + 0x38495ab5}
}

func (k key) join(other key) key { return k.word(other.high).word(other.low) }

func opKey(name string) key { return key{0x9e3779b97f4a7c15, 0x6a09e667f3bcc909}.text(name) }

func (k key) text(s string) key {
	k = k.word(uint64(len(s)))
	var w uint64
	for i := 0; i < len(s); i++ {
		w = w<<8 | uint64(s[i])
		if i&7 == 7 {
			k, w = k.word(w), 0
		}
	}
	return k.word(w)
}

func (k key) number(n int64) key  { return k.word(uint64(n)) }
func (k key) float(f float64) key { return k.word(math.Float64bits(f)) }
func (k key) flag(b bool) key {
	if b {
		return k.word(1)
	}
	return k.word(0)
}

func list[T any](k key, l []T, isNil bool, word func(T) uint64) key {
	if isNil { // "not given" differs from an empty list
		return k.word(math.MaxUint64)
	}
	k = k.word(uint64(len(l)))
	for _, item := range l {
		k = k.word(word(item))
	}
	return k
}

func (k key) ints(l []int) key { return list(k, l, l == nil, func(i int) uint64 { return uint64(i) }) }
func (k key) dims(l []Dim) key { return list(k, l, l == nil, func(d Dim) uint64 { return uint64(d) }) }
func (k key) floats(l []float64) key {
	return list(k, l, l == nil, math.Float64bits)
}

func (k key) pointer(f *float64) key {
	if f == nil {
		return k.word(0)
	}
	return k.word(1).float(*f)
}

func (k key) pool(o *PoolOptions) key {
	if o == nil {
		return k.word(0)
	}
	return k.word(1).ints(o.Stride).dims(o.Padding).ints(o.Dilation).flag(o.CeilMode).flag(o.ExcludePadding)
}
