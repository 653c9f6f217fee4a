/* HarpField for Godot 4.2 and later (GDExtension): the class of godot3.c, with PackedFloat32Arrays, on the threads of the engine's
 * WorkerThreadPool. The entry point is harp_field_init. The methods are those of godot3.c except `measure`, `save` and `frame_times`. */
#include "water.h"

#include <gdextension_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions of the engine, with the names by which it provides them. */
#define ENGINE_FUNCTIONS(F)                                                          \
  F(print_error, PrintError)                                                         \
  F(print_warning, PrintWarning)                                                     \
  F(string_name_new_with_latin1_chars, StringNameNewWithLatin1Chars)                 \
  F(string_new_with_utf8_chars, StringNewWithUtf8Chars)                              \
  F(string_to_utf8_chars, StringToUtf8Chars)                                         \
  F(variant_get_type, VariantGetType)                                                \
  F(variant_get_ptr_builtin_method, VariantGetPtrBuiltinMethod)                      \
  F(variant_get_ptr_constructor, VariantGetPtrConstructor)                           \
  F(variant_get_ptr_destructor, VariantGetPtrDestructor)                             \
  F(get_variant_from_type_constructor, GetVariantFromTypeConstructor)                \
  F(get_variant_to_type_constructor, GetVariantToTypeConstructor)                    \
  F(packed_float32_array_operator_index, PackedFloat32ArrayOperatorIndex)            \
  F(packed_float32_array_operator_index_const, PackedFloat32ArrayOperatorIndexConst) \
  F(packed_byte_array_operator_index, PackedByteArrayOperatorIndex)                  \
  F(global_get_singleton, GlobalGetSingleton)                                        \
  F(classdb_construct_object, ClassdbConstructObject)                                \
  F(classdb_get_method_bind, ClassdbGetMethodBind)                                   \
  F(object_method_bind_ptrcall, ObjectMethodBindPtrcall)                             \
  F(object_set_instance, ObjectSetInstance)                                          \
  F(worker_thread_pool_add_native_group_task, WorkerThreadPoolAddNativeGroupTask)    \
  F(classdb_register_extension_class, ClassdbRegisterExtensionClass)                 \
  F(classdb_register_extension_class_method, ClassdbRegisterExtensionClassMethod)    \
  F(classdb_unregister_extension_class, ClassdbUnregisterExtensionClass)

static struct {
#define FIELD(name, type) GDExtensionInterface##type name;
  ENGINE_FUNCTIONS(FIELD)
#undef FIELD
} engine;

/* Values of the engine's types, with the sizes that they have in builds for 64-bit machines. */
typedef struct {
  void* data;
} string_name;
typedef struct {
  void* data;
} string;
typedef struct {
  void* data[2];
} packed; /* PackedFloat32Array, PackedByteArray */

typedef struct {
  struct water* water;
  packed h, next_h, u, v, depth;
  int64_t frames_left;
} field;

static GDExtensionClassLibraryPtr extension;
static string_name class_name, parent_name, process_name, no_name;
static string no_text;

/* In the header of the crate gdextension-api each kind of pointer has its own type, in Godot's own header all are void*. This macro
 * converts a pointer for both. */
#define P(pointer) ((void*)(pointer))

#define REPORT(text) engine.print_error(text, __func__, __FILE__, __LINE__, 0)
static void warn(const char* text) { engine.print_warning(text, "HarpField", __FILE__, __LINE__, 0); }

static string_name name_of(const char* text) {
  string_name name;
  engine.string_name_new_with_latin1_chars(P(&name), text, 0);
  return name;
}

/* ---- packed arrays ---- */

#define FLOATS GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY
#define BYTES GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY

static void construct(GDExtensionVariantType type, void* value) { engine.variant_get_ptr_constructor(type, 0)(P(value), NULL); }
static void construct_copy(GDExtensionVariantType type, void* value, const void* from) {
  engine.variant_get_ptr_constructor(type, 1)(P(value), P(&from));
}
static void destruct(GDExtensionVariantType type, void* value) { engine.variant_get_ptr_destructor(type)(P(value)); }
static void assign(GDExtensionVariantType type, void* to, const void* from) {
  destruct(type, to);
  construct_copy(type, to, from);
}

/* Calls a method of a packed array with no argument or one number. The hashes are those in the engine's extension_api.json. */
static int64_t call(GDExtensionVariantType type, packed* array, const char* method, GDExtensionInt hash, int64_t argument, int arguments) {
  string_name name = name_of(method);
  int64_t result = 0;
  const void* pointers[] = {&argument};
  engine.variant_get_ptr_builtin_method(type, P(&name), hash)(P(array), P(pointers), P(&result), arguments);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &name);
  return result;
}
static int64_t count_of(packed* array) { return call(FLOATS, array, "size", 3173160232, 0, 0); }
static void resize(GDExtensionVariantType type, packed* array, int64_t count) { call(type, array, "resize", 848867239, count, 1); }

static const float* read_of(const packed* array) { return engine.packed_float32_array_operator_index_const(P(array), 0); }
/* If a script also refers to the array, the engine makes a separate copy for this writer first (copy on write). */
static float* write_of(packed* array) { return engine.packed_float32_array_operator_index(P(array), 0); }

/* ---- the engine's threads ---- */

struct shares {
  harp_range_body body;
  void* arg;
  size_t n, count;
};

static void do_share(void* data, uint32_t index) {
  const struct shares* s = data;
  s->body(s->arg, s->n * index / s->count, s->n * (index + 1) / s->count, index);
}

static void parallel_for(void* user, size_t n, size_t grain, harp_range_body body, void* arg) {
  const size_t width = (size_t)user, most = grain ? n / grain : n;
  struct shares shares = {body, arg, n, most < width ? most : width};
  if (shares.count <= 1) {
    body(arg, 0, n, 0);
    return;
  }
  string_name pool_name = name_of("WorkerThreadPool"), wait_name = name_of("wait_for_group_task_completion");
  const GDExtensionObjectPtr pool = engine.global_get_singleton(P(&pool_name));
  const GDExtensionMethodBindPtr wait = engine.classdb_get_method_bind(P(&pool_name), P(&wait_name), 1286410249);
  const int64_t group =
      engine.worker_thread_pool_add_native_group_task(pool, do_share, &shares, (int)shares.count, (int)shares.count, 1, P(&no_text));
  const void* arguments[] = {&group};
  engine.object_method_bind_ptrcall(wait, pool, P(arguments), NULL);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &pool_name);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &wait_name);
}

/* ---- creating and destroying objects ---- */

static void each_array(field* f, void (*what)(GDExtensionVariantType, void*)) {
  packed* arrays[] = {&f->h, &f->next_h, &f->u, &f->v, &f->depth};
  for (int i = 0; i < 5; ++i) what(FLOATS, arrays[i]);
}

static GDExtensionObjectPtr create(void* data) {
  (void)data;
  GDExtensionObjectPtr object = engine.classdb_construct_object(P(&parent_name));
  field* f = calloc(1, sizeof *f);
  each_array(f, construct);
  engine.object_set_instance(object, P(&class_name), P(f));
  return object;
}

static void destroy(void* data, GDExtensionClassInstancePtr self) {
  (void)data;
  field* f = P(self);
  water_delete(f->water);
  each_array(f, destruct);
  free(f);
}

/* ---- methods with typed arguments, which the engine calls where it knows the types ---- */

#define METHOD(name) \
  static void name(void* data, GDExtensionClassInstancePtr self, const GDExtensionConstTypePtr* arguments, GDExtensionTypePtr result)
#define UNUSED (void)data, (void)self, (void)arguments, (void)result

static char* text_of(const void* value) {
  const GDExtensionInt length = engine.string_to_utf8_chars(P(value), NULL, 0);
  char* text = malloc((size_t)length + 1);
  engine.string_to_utf8_chars(P(value), text, length);
  text[length] = 0;
  return text;
}

METHOD(setup) {
  UNUSED;
  field* f = P(self);
  char *step = text_of(arguments[0]), *picture = text_of(arguments[1]), *library = text_of(arguments[3]), *backend = text_of(arguments[4]);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t width = processors > 1 ? (size_t)processors : 1;
  const struct water_options options = {.library = library,
                                        .backend = backend,
                                        .step_text = step,
                                        .picture_text = picture,
                                        .size = *(const int64_t*)arguments[2],
                                        .warn = warn,
                                        .parallel_for = parallel_for,
                                        .parallel_for_user = (void*)width,
                                        .width = width};
  char error[2048];
  water_delete(f->water);
  f->frames_left = 0;
  f->water = water_new(&options, error, sizeof error);
  if (!f->water) REPORT(error);
  free(step);
  free(picture);
  free(library);
  free(backend);
  *(GDExtensionBool*)result = f->water != NULL;
}

METHOD(start) {
  UNUSED;
  field* f = P(self);
  *(GDExtensionBool*)result = 0;
  f->frames_left = 0;
  if (!f->water) {
    REPORT("HarpField: setup has not been called, or failed");
    return;
  }
  const int64_t count = water_size(f->water) * water_size(f->water);
  packed* given[] = {&f->h, &f->depth};
  for (int i = 0; i < 2; ++i) {
    assign(FLOATS, given[i], arguments[i]);
    if (count_of(given[i]) == count) continue;
    char text[128];
    snprintf(text, sizeof text, "HarpField.start: expected %lld numbers, found %lld", (long long)count, (long long)count_of(given[i]));
    REPORT(text);
    resize(FLOATS, given[i], count);
    return;
  }
  packed* made[] = {&f->u, &f->v, &f->next_h};
  for (int i = 0; i < 3; ++i) {
    resize(FLOATS, made[i], count);
    memset(write_of(made[i]), 0, (size_t)count * sizeof(float));
  }
  *(GDExtensionBool*)result = 1;
}

METHOD(play) {
  UNUSED;
  field* f = P(self);
  f->frames_left = *(const int64_t*)arguments[0];
}

METHOD(frames_left) {
  UNUSED;
  *(int64_t*)result = ((field*)P(self))->frames_left;
}

METHOD(surface) {
  UNUSED;
  assign(FLOATS, result, &((field*)P(self))->h);
}

METHOD(picture) {
  UNUSED;
  field* f = P(self);
  if (!f->water) {
    REPORT("HarpField: setup has not been called, or failed");
    return;
  }
  char error[1024];
  packed bytes;
  construct(BYTES, &bytes);
  resize(BYTES, &bytes, water_size(f->water) * water_size(f->water) * 3);
  if (water_picture(f->water, read_of(&f->h), read_of(&f->depth), engine.packed_byte_array_operator_index(P(&bytes), 0), error,
                    sizeof error))
    REPORT(error);
  assign(BYTES, result, &bytes);
  destruct(BYTES, &bytes);
}

METHOD(backend) {
  UNUSED;
  const field* f = P(self);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING, result);
  engine.string_new_with_utf8_chars(P(result), f->water ? water_backend(f->water) : "");
}

/* The engine calls this once a frame. */
static void process(GDExtensionClassInstancePtr self, const GDExtensionConstTypePtr* arguments, GDExtensionTypePtr result) {
  (void)arguments, (void)result;
  field* f = P(self);
  if (!f->water || f->frames_left <= 0) return;
  char error[1024];
  if (water_step(f->water, read_of(&f->h), write_of(&f->u), write_of(&f->v), read_of(&f->depth), write_of(&f->next_h), error,
                 sizeof error)) {
    REPORT(error);
    f->frames_left = 0;
    return;
  }
  const packed swapped = f->h;
  f->h = f->next_h;
  f->next_h = swapped;
  f->frames_left -= 1;
}

/* StringNames with the same text are the same pointer. */
static GDExtensionClassCallVirtual virtual_of(void* data, GDExtensionConstStringNamePtr name) {
  (void)data;
  return ((const string_name*)P(name))->data == process_name.data ? process : NULL;
}

/* ---- the table of methods, and calls whose arguments are Variants ---- */

enum { MOST_ARGUMENTS = 5 };
#define TEXT GDEXTENSION_VARIANT_TYPE_STRING
#define INT GDEXTENSION_VARIANT_TYPE_INT
#define BOOL GDEXTENSION_VARIANT_TYPE_BOOL
#define NOTHING GDEXTENSION_VARIANT_TYPE_NIL

static const struct method {
  const char* name;
  GDExtensionClassMethodPtrCall call;
  GDExtensionVariantType result;
  uint32_t n;
  GDExtensionVariantType arguments[MOST_ARGUMENTS];
} methods[] = {
    {"setup", setup, BOOL, 5, {TEXT, TEXT, INT, TEXT, TEXT}},
    {"start", start, BOOL, 2, {FLOATS, FLOATS}},
    {"play", play, NOTHING, 1, {INT}},
    {"frames_left", frames_left, INT, 0, {0}},
    {"surface", surface, FLOATS, 0, {0}},
    {"picture", picture, BYTES, 0, {0}},
    {"backend", backend, TEXT, 0, {0}},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int owns_memory(GDExtensionVariantType type) { return type == TEXT || type == FLOATS || type == BYTES; }

static void call_with_variants(void* data, GDExtensionClassInstancePtr self, const GDExtensionConstVariantPtr* arguments, GDExtensionInt n,
                               GDExtensionVariantPtr result, GDExtensionCallError* error) {
  const struct method* method = data;
  packed values[MOST_ARGUMENTS], returned = {{NULL, NULL}};
  const void* pointers[MOST_ARGUMENTS];
  error->error = GDEXTENSION_CALL_OK;
  if (n != method->n) {
    error->error = n < method->n ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
    error->expected = (int32_t)method->n;
    return;
  }
  for (uint32_t i = 0; i < method->n; ++i) {
    if (engine.variant_get_type(arguments[i]) == method->arguments[i]) continue;
    error->error = GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT;
    error->argument = (int32_t)i;
    error->expected = method->arguments[i];
    return;
  }
  for (uint32_t i = 0; i < method->n; ++i) {
    engine.get_variant_to_type_constructor(method->arguments[i])(P(&values[i]), P(arguments[i]));
    pointers[i] = &values[i];
  }
  if (owns_memory(method->result)) construct(method->result, &returned);
  method->call(NULL, self, P(pointers), P(&returned));
  if (method->result != NOTHING) engine.get_variant_from_type_constructor(method->result)(P(result), P(&returned));
  if (owns_memory(method->result)) destruct(method->result, &returned);
  for (uint32_t i = 0; i < method->n; ++i)
    if (owns_memory(method->arguments[i])) destruct(method->arguments[i], &values[i]);
}

static GDExtensionPropertyInfo described(GDExtensionVariantType type) {
  return (GDExtensionPropertyInfo){.type = type, .name = P(&no_name), .class_name = P(&no_name), .hint_string = P(&no_text), .usage = 6};
}

static void add_method(const struct method* method) {
  string_name name = name_of(method->name);
  GDExtensionPropertyInfo result = described(method->result), arguments[MOST_ARGUMENTS];
  GDExtensionClassMethodArgumentMetadata metadata[MOST_ARGUMENTS] = {GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE};
  for (uint32_t i = 0; i < method->n; ++i) arguments[i] = described(method->arguments[i]);
  const GDExtensionClassMethodInfo info = {.name = P(&name),
                                           .method_userdata = P(method),
                                           .call_func = call_with_variants,
                                           .ptrcall_func = method->call,
                                           .method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT,
                                           .has_return_value = method->result != NOTHING,
                                           .return_value_info = &result,
                                           .argument_count = method->n,
                                           .arguments_info = arguments,
                                           .arguments_metadata = metadata};
  engine.classdb_register_extension_class_method(extension, P(&class_name), &info);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &name);
}

/* ---- entry points that the engine looks up ---- */

static void initialize(void* data, GDExtensionInitializationLevel level) {
  (void)data;
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  class_name = name_of("HarpField");
  parent_name = name_of("Node");
  process_name = name_of("_process");
  no_name = name_of("");
  engine.string_new_with_utf8_chars(P(&no_text), "");
  const GDExtensionClassCreationInfo info = {.create_instance_func = create, .free_instance_func = destroy, .get_virtual_func = virtual_of};
  engine.classdb_register_extension_class(extension, P(&class_name), P(&parent_name), &info);
  for (int i = 0; i < METHODS; ++i) add_method(&methods[i]);
}

static void deinitialize(void* data, GDExtensionInitializationLevel level) {
  (void)data;
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  engine.classdb_unregister_extension_class(extension, P(&class_name));
  string_name* names[] = {&class_name, &parent_name, &process_name, &no_name};
  for (int i = 0; i < 4; ++i) destruct(GDEXTENSION_VARIANT_TYPE_STRING_NAME, names[i]);
  destruct(GDEXTENSION_VARIANT_TYPE_STRING, &no_text);
}

__attribute__((visibility("default"))) GDExtensionBool harp_field_init(GDExtensionInterfaceGetProcAddress get_proc_address,
                                                                       GDExtensionClassLibraryPtr library,
                                                                       GDExtensionInitialization* initialization) {
  extension = library;
#define LOOK_UP(name, type) \
  if (!(engine.name = (GDExtensionInterface##type)(void (*)(void))get_proc_address(#name))) return 0;
  ENGINE_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
  initialization->initialize = initialize;
  initialization->deinitialize = deinitialize;
  return 1;
}
