package harp_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"harp"
)

// Calls every operation with arguments that may fit and with arguments that do not, with and without optional lists and texts. Each call
// gives a tensor or an error with harp's text.
func TestEveryOperation(t *testing.T) {
	byHand := map[string]bool{"Buffer": true, "Close": true, "DType": true, "Dim": true, "Err": true, "Rank": true, "Realize": true, "Shape": true, "String": true}
	operands := []*harp.Tensor{
		harp.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3), harp.FromSlice([]int64{0, 1, 1, 0}, 2, 2), harp.FromSlice([]bool{true, false}),
		harp.FromSlice([]complex64{1, 2i}), harp.Scalar(uint64(3)), harp.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 1, 2, 3), nil,
	}
	choices := map[reflect.Type][]any{
		reflect.TypeOf(0):                        {1, 0, -1, 2, math.MaxInt32, math.MinInt},
		reflect.TypeOf(0.0):                      {0.5, 0.0, math.NaN()},
		reflect.TypeOf(""):                       {"", "mean", "no such word", "\x00"},
		reflect.TypeOf(false):                    {false, true},
		reflect.TypeOf(harp.Dim(0)):              {harp.Dim(2), harp.Dim(-1), harp.DimInvalid, harp.Dim(math.MaxInt64)},
		reflect.TypeOf(harp.F32):                 {harp.F32, harp.I64, harp.U32, harp.Unknown, harp.DType(77)},
		reflect.TypeOf(harp.ScanReverse):         {harp.ScanReverse, harp.ScanFlags(0), harp.ScanFlags(99)},
		reflect.TypeOf([]int(nil)):               {[]int(nil), []int{}, []int{0}, []int{1, 0}, []int{-1, 7, math.MaxInt}},
		reflect.TypeOf([]harp.Dim(nil)):          {[]harp.Dim(nil), []harp.Dim{}, []harp.Dim{1}, []harp.Dim{2, 1}, []harp.Dim{1, 1, 2}, []harp.Dim{-5, math.MaxInt64}},
		reflect.TypeOf([]float64(nil)):           {[]float64(nil), []float64{0.5}},
		reflect.TypeOf((*float64)(nil)):          {(*float64)(nil), new(float64)},
		reflect.TypeOf((*harp.PoolOptions)(nil)): {(*harp.PoolOptions)(nil), &harp.PoolOptions{}, &harp.PoolOptions{Stride: []int{1}, Padding: []harp.Dim{0, 1}}},
	}
	for _, x := range operands {
		choices[reflect.TypeOf(x)] = append(choices[reflect.TypeOf(x)], x)
	}
	worked := map[string]bool{}
	kind := reflect.TypeOf((*harp.Tensor)(nil))
	turn := 0
	for m := 0; m < kind.NumMethod(); m++ {
		method := kind.Method(m)
		if byHand[method.Name] {
			continue
		}
		for try := 0; try < 120; try++ {
			arguments := make([]reflect.Value, method.Type.NumIn())
			for i := range arguments {
				list := choices[method.Type.In(i)]
				if list == nil {
					t.Fatalf("%s: no choice of a %v", method.Name, method.Type.In(i))
				}
				turn = turn*1103515245 + 12345
				arguments[i] = reflect.ValueOf(list[(turn>>16&0x7fff)%len(list)])
			}
			call := method.Func.Call
			if method.Type.IsVariadic() {
				call = method.Func.CallSlice
			}
			for _, result := range call(arguments) {
				for _, y := range tensors(result.Interface()) {
					if y.Err() == nil {
						worked[method.Name] = true
						if y.DType() == harp.Unknown || len(y.Shape()) > 16 {
							t.Errorf("%s: %v %v", method.Name, y.DType(), y.Shape())
						}
					} else if y.Err().Error() == "" || fmt.Sprint(y) != "error: "+y.Err().Error() {
						t.Errorf("%s: %v, printed %v", method.Name, y.Err(), y)
					}
				}
			}
		}
	}
	var never []string
	for m := 0; m < kind.NumMethod(); m++ {
		if name := kind.Method(m).Name; !byHand[name] && !worked[name] {
			never = append(never, name)
		}
	}
	if len(worked) < 150 {
		t.Errorf("%d operations took some of these arguments; never: %v", len(worked), never)
	}
	t.Logf("%d of %d operations gave tensors; never: %v", len(worked), len(worked)+len(never), never)
}

func tensors(result any) []*harp.Tensor {
	if list, ok := result.([]*harp.Tensor); ok {
		return list
	}
	return []*harp.Tensor{result.(*harp.Tensor)}
}
