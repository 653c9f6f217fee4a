package harp

// #cgo pkg-config: harp
// #include <harp.h>
import "C"

import "fmt"

// Code is the kind of an Error. A Code is an error itself, so that errors.Is(err, harp.ErrShape) compares the kind.
type Code int32

// The codes of harp.h.
const (
	ErrInvalidArgument Code = C.HARP_ERROR_INVALID_ARGUMENT // nil, closed or out-of-domain argument, node of another graph, unknown name
	ErrShape           Code = C.HARP_ERROR_SHAPE            // shapes that do not fit each other, an axis that does not exist
	ErrDType           Code = C.HARP_ERROR_DTYPE            // an operand's dtype that the operation does not accept
	ErrRange           Code = C.HARP_ERROR_RANGE            // a value outside its bounds
	ErrOverflow        Code = C.HARP_ERROR_OVERFLOW         // a size or byte count that does not fit 64 bits
	ErrAlias           Code = C.HARP_ERROR_ALIAS            // outputs that overlap each other or an input
	ErrParse           Code = C.HARP_ERROR_PARSE            // malformed text (graph, expression, function body) or .npy file
	ErrUnsupported     Code = C.HARP_ERROR_UNSUPPORTED      // a request that this backend, system or version does not support
	ErrCompiler        Code = C.HARP_ERROR_COMPILER         // no C compiler found, or it failed, or took longer than CompileTimeout
	ErrIO              Code = C.HARP_ERROR_IO               // files
	ErrOutOfMemory     Code = C.HARP_ERROR_OUT_OF_MEMORY
	ErrCancelled       Code = C.HARP_ERROR_CANCELLED   // TuneOptions.Progress cancelled a search
	ErrInternal        Code = C.HARP_ERROR_INTERNAL    // a bug in harp
	ErrNative          Code = C.HARP_ERROR_NATIVE      // a Go function in the graph (Graph.Native) returned an error, or panicked
	ErrDevice          Code = C.HARP_ERROR_DEVICE      // a DLPack array that is not in host memory
	ErrNoGradient      Code = C.HARP_ERROR_NO_GRADIENT // y of Grad does not depend on x, or only through operations without a gradient
)

// Error returns the code's name in harp: "SHAPE".
func (c Code) Error() string { return C.GoString(C.harp_status_name(C.harp_status(c))) }

// Error is an error that harp reports.
type Error struct {
	Code           Code
	Message        string // what was expected and what was found
	CompilerOutput string // for ErrCompiler: the output of the C compiler

	cause error // for ErrNative: the error or panic of the Go function
}

func (e *Error) Error() string { return "harp: " + e.Message }

// Unwrap returns the error of the Go function that harp called, for ErrNative; otherwise nil.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the code of e.
func (e *Error) Is(target error) bool { return target == e.Code }

// taken converts an error of harp to a Go error and releases it; nil for NULL.
func taken(e *C.harp_error) error {
	if e == nil {
		return nil
	}
	defer C.harp_error_release(e)
	return &Error{Code: Code(C.harp_error_code(e)), Message: C.GoString(C.harp_error_message(e)), CompilerOutput: C.GoString(C.harp_error_compiler_output(e))}
}

// failure converts the error of a C call that returned no object. Unlike taken, it never returns nil.
func failure(e *C.harp_error) error {
	if e == nil {
		return mistake(ErrInternal, "harp failed without an error message")
	}
	return taken(e)
}

// mistake makes an error that this package detects by itself.
func mistake(code Code, format string, arguments ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// takenText converts a text of harp to a Go string and releases it.
func takenText(s *C.harp_string, e *C.harp_error) (string, error) {
	if s == nil {
		return "", failure(e)
	}
	defer C.harp_string_release(s)
	return C.GoStringN(C.harp_string_data(s), C.int(C.harp_string_size(s))), nil
}

// Version returns the version of the loaded library: "0.1.0".
func Version() string { return C.GoString(C.harp_version_string()) }
