package harp

// #cgo pkg-config: harp
// #include <harp.h>
import "C"

import "fmt"

// Code says what kind of mistake an Error is. A Code is an error itself, so that errors.Is(err, harp.ErrShape) compares.
type Code int32

// The codes of harp.h.
const (
	ErrInvalidArgument Code = C.HARP_ERROR_INVALID_ARGUMENT // nil, closed or out-of-domain argument, node of another graph, unknown name
	ErrShape           Code = C.HARP_ERROR_SHAPE            // shapes that do not fit each other, an axis that does not exist
	ErrDType           Code = C.HARP_ERROR_DTYPE            // a dtype an operation does not take
	ErrRange           Code = C.HARP_ERROR_RANGE            // a value outside its bounds
	ErrOverflow        Code = C.HARP_ERROR_OVERFLOW         // a size or byte count that does not fit 64 bits
	ErrAlias           Code = C.HARP_ERROR_ALIAS            // outputs that overlap each other or an input
	ErrParse           Code = C.HARP_ERROR_PARSE            // text format, expressions and .npy files
	ErrUnsupported     Code = C.HARP_ERROR_UNSUPPORTED      // legal, but not on this backend, system or version
	ErrCompiler        Code = C.HARP_ERROR_COMPILER         // no C compiler found, or it failed, or took longer than CompileTimeout
	ErrIO              Code = C.HARP_ERROR_IO               // files
	ErrOutOfMemory     Code = C.HARP_ERROR_OUT_OF_MEMORY
	ErrCancelled       Code = C.HARP_ERROR_CANCELLED   // a search that TuneOptions.Progress ended; what a context.Context ends has its error
	ErrInternal        Code = C.HARP_ERROR_INTERNAL    // a bug in harp
	ErrNative          Code = C.HARP_ERROR_NATIVE      // a function of yours (Graph.Native) returned an error, or panicked
	ErrDevice          Code = C.HARP_ERROR_DEVICE      // an array of DLPack that is not in host memory
	ErrNoGradient      Code = C.HARP_ERROR_NO_GRADIENT // nothing depends on the node, or by no way that has a gradient
)

// Error is the code's name as harp spells it: "SHAPE".
func (c Code) Error() string { return C.GoString(C.harp_status_name(C.harp_status(c))) }

// Error is a mistake that harp reports.
type Error struct {
	Code           Code
	Message        string // what was expected and what came
	CompilerOutput string // what the C compiler printed, of ErrCompiler

	cause error // what a function of yours said, of ErrNative
}

func (e *Error) Error() string { return "harp: " + e.Message }

// Unwrap is the error of a function of yours that harp called, of ErrNative; else nil.
func (e *Error) Unwrap() error { return e.cause }

// Is says whether target is the code of e.
func (e *Error) Is(target error) bool { return target == e.Code }

// taken makes a Go error of harp's, which it releases; nil of NULL.
func taken(e *C.harp_error) error {
	if e == nil {
		return nil
	}
	defer C.harp_error_release(e)
	return &Error{Code: Code(C.harp_error_code(e)), Message: C.GoString(C.harp_error_message(e)), CompilerOutput: C.GoString(C.harp_error_compiler_output(e))}
}

// failure is taken where something was not made, so that there is an error.
func failure(e *C.harp_error) error {
	if e == nil {
		return mistake(ErrInternal, "harp failed without an error message")
	}
	return taken(e)
}

// mistake is an error that the binding finds itself.
func mistake(code Code, format string, arguments ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// takenText makes a Go string of harp's text, which it releases.
func takenText(s *C.harp_string, e *C.harp_error) (string, error) {
	if s == nil {
		return "", failure(e)
	}
	defer C.harp_string_release(s)
	return C.GoStringN(C.harp_string_data(s), C.int(C.harp_string_size(s))), nil
}

// Version is that of the library that is loaded: "0.1.0".
func Version() string { return C.GoString(C.harp_version_string()) }
