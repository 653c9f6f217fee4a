/* Takes the place of Godot 4 to test the plug-in examples/godot/godot4.c where the engine is not installed. It provides the engine's
 * functions that the plug-in asks for, with the same kinds of values as in the engine (interned names, arrays that are copied on a write
 * while they are shared, group tasks on threads), and calls the plug-in's methods as a script would.
 * Usage: godot4_host PLUGIN STEP PICTURE H DEPTH FRAMES RESULT
 * H, DEPTH and RESULT are files of float32 numbers without a header. The exit status is 0 if everything was as expected. Otherwise it is
 * 1, and a line of the output says what was not as expected. */
#include <dlfcn.h>
#include <gdextension_interface.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("godot4_host.c:%d: expected %s\n", __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

static int values_alive, group_tasks, errors_printed;

/* ---- values: each has one or two pointers, as in the engine ---- */

typedef struct {
  int references;
  int64_t bytes;
  char data[];
} block; /* the content of a String or of a packed array */

typedef struct {
  block* text; /* the only pointer of a String */
  block* at;
} packed;

static block* new_block(int64_t bytes) {
  block* b = calloc(1, sizeof *b + (size_t)bytes + 1);
  b->references = 1;
  b->bytes = bytes;
  ++values_alive;
  return b;
}
static void release(block* b) {
  if (!b || --b->references) return;
  --values_alive;
  free(b);
}
static block* text_block(const char* text) {
  block* b = new_block((int64_t)strlen(text));
  memcpy(b->data, text, (size_t)b->bytes);
  return b;
}
static const char* name_text(const void* name) { return *(const char* const*)name; }

static void string_name_new(void* to, const char* text, GDExtensionBool is_static) {
  static const char* known[64];
  (void)is_static;
  int i = 0;
  while (known[i] && strcmp(known[i], text) != 0) ++i;
  CHECK(i < 63);
  if (!known[i]) known[i] = strdup(text);
  *(const char**)to = known[i];
}
static void string_new(void* to, const char* text) { *(block**)to = text_block(text); }
static GDExtensionInt string_to_utf8(const void* self, char* to, GDExtensionInt most) {
  const block* b = *(block* const*)self;
  if (to) memcpy(to, b->data, (size_t)(b->bytes < most ? b->bytes : most));
  return b->bytes;
}

static block** block_of(GDExtensionVariantType type, void* value) {
  if (type == GDEXTENSION_VARIANT_TYPE_STRING) return value;
  CHECK(type == GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY || type == GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY);
  return &((packed*)value)->at;
}
static void copy_value(GDExtensionVariantType type, void* to, const void* from) {
  if (type == GDEXTENSION_VARIANT_TYPE_INT || type == GDEXTENSION_VARIANT_TYPE_BOOL) {
    memcpy(to, from, type == GDEXTENSION_VARIANT_TYPE_INT ? sizeof(int64_t) : 1);
    return;
  }
  block* b = *block_of(type, (void*)from);
  if (b) ++b->references;
  *block_of(type, to) = b;
}

#define TYPED(type) GDEXTENSION_VARIANT_TYPE_##type
#define FOR_TYPES(F) F(STRING) F(PACKED_FLOAT32_ARRAY) F(PACKED_BYTE_ARRAY) F(INT) F(BOOL)

typedef struct {
  int64_t type;
  packed value;
} variant;
_Static_assert(sizeof(variant) == 24, "a Variant has 24 bytes");

#define FUNCTIONS(T)                                                                                                 \
  static void construct_##T(void* to, const void* const* arguments) {                                                \
    (void)arguments;                                                                                                 \
    *block_of(TYPED(T), to) = NULL;                                                                                  \
  }                                                                                                                  \
  static void construct_copy_##T(void* to, const void* const* arguments) { copy_value(TYPED(T), to, arguments[0]); } \
  static void destruct_##T(void* value) { release(*block_of(TYPED(T), value)); }                                     \
  static void into_variant_##T(void* to, void* from) {                                                               \
    ((variant*)to)->type = TYPED(T);                                                                                 \
    copy_value(TYPED(T), &((variant*)to)->value, from);                                                              \
  }                                                                                                                  \
  static void out_of_variant_##T(void* to, void* from) {                                                             \
    CHECK(((variant*)from)->type == TYPED(T));                                                                       \
    copy_value(TYPED(T), to, &((variant*)from)->value);                                                              \
  }
FOR_TYPES(FUNCTIONS)
#undef FUNCTIONS
static void destruct_name(void* value) { (void)value; }

static void* constructor(GDExtensionVariantType type, int32_t index) {
#define FUNCTIONS(T) \
  if (type == TYPED(T)) return index == 0 ? (void*)construct_##T : (void*)construct_copy_##T;
  FOR_TYPES(FUNCTIONS)
#undef FUNCTIONS
  return NULL;
}
static void* destructor(GDExtensionVariantType type) {
#define FUNCTIONS(T) \
  if (type == TYPED(T)) return (void*)destruct_##T;
  FOR_TYPES(FUNCTIONS)
#undef FUNCTIONS
  return (void*)destruct_name;
}
static void* into_variant(GDExtensionVariantType type) {
#define FUNCTIONS(T) \
  if (type == TYPED(T)) return (void*)into_variant_##T;
  FOR_TYPES(FUNCTIONS)
#undef FUNCTIONS
  return NULL;
}
static void* out_of_variant(GDExtensionVariantType type) {
#define FUNCTIONS(T) \
  if (type == TYPED(T)) return (void*)out_of_variant_##T;
  FOR_TYPES(FUNCTIONS)
#undef FUNCTIONS
  return NULL;
}
static GDExtensionVariantType variant_type(const void* self) { return (GDExtensionVariantType)((const variant*)self)->type; }

static void own(packed* array) {
  if (!array->at || array->at->references == 1) return;
  block* copy = new_block(array->at->bytes);
  memcpy(copy->data, array->at->data, (size_t)copy->bytes);
  release(array->at);
  array->at = copy;
}
static void resize_to(packed* array, int64_t bytes) {
  block* b = new_block(bytes);
  if (array->at) memcpy(b->data, array->at->data, (size_t)(bytes < array->at->bytes ? bytes : array->at->bytes));
  release(array->at);
  array->at = b;
}
static void resize_floats(void* self, const void* const* arguments, void* result, int n) {
  (void)result;
  CHECK(n == 1);
  resize_to(self, *(const int64_t*)arguments[0] * 4);
}
static void resize_bytes(void* self, const void* const* arguments, void* result, int n) {
  (void)result;
  CHECK(n == 1);
  resize_to(self, *(const int64_t*)arguments[0]);
}
static void size_floats(void* self, const void* const* arguments, void* result, int n) {
  (void)arguments;
  CHECK(n == 0);
  *(int64_t*)result = ((packed*)self)->at ? ((packed*)self)->at->bytes / 4 : 0;
}
static void* builtin_method(GDExtensionVariantType type, const void* name, GDExtensionInt hash) {
  const int floats = type == GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY;
  if (strcmp(name_text(name), "size") == 0 && floats && hash == 3173160232) return (void*)size_floats;
  CHECK(strcmp(name_text(name), "resize") == 0 && hash == 848867239);
  return floats ? (void*)resize_floats : (void*)resize_bytes;
}
static void* element(void* self, GDExtensionInt index) {
  CHECK(index == 0 && ((packed*)self)->at);
  own(self);
  return ((packed*)self)->at->data;
}
static const void* element_const(const void* self, GDExtensionInt index) {
  CHECK(index == 0 && ((const packed*)self)->at);
  return ((const packed*)self)->at->data;
}

/* ---- threads ---- */

struct task {
  void (*call)(void*, uint32_t);
  void* data;
  uint32_t index;
};
static pthread_t workers[64];
static struct task tasks[64];
static int started;

static void* work(void* task) {
  const struct task* t = task;
  t->call(t->data, t->index);
  return NULL;
}
static int pool, wait_method;
static void* singleton(const void* name) { return strcmp(name_text(name), "WorkerThreadPool") == 0 ? &pool : NULL; }
static void* method_bind(const void* class_name, const void* name, GDExtensionInt hash) {
  CHECK(strcmp(name_text(class_name), "WorkerThreadPool") == 0 && strcmp(name_text(name), "wait_for_group_task_completion") == 0);
  CHECK(hash == 1286410249);
  return &wait_method;
}
static int64_t add_group(void* object, void (*call)(void*, uint32_t), void* data, int elements, int count, GDExtensionBool high,
                         const void* text) {
  (void)high, (void)text;
  CHECK(object == &pool && elements == count && elements > 1 && elements <= 64 && started == 0);
  started = elements;
  for (int i = 0; i < elements; ++i) {
    tasks[i] = (struct task){call, data, (uint32_t)i};
    CHECK(pthread_create(&workers[i], NULL, work, &tasks[i]) == 0);
  }
  return ++group_tasks;
}
static void ptrcall(void* method, void* object, const void* const* arguments, void* result) {
  (void)result;
  CHECK(method == &wait_method && object == &pool && *(const int64_t*)arguments[0] == group_tasks);
  for (int i = 0; i < started; ++i) pthread_join(workers[i], NULL);
  started = 0;
}

/* ---- the class ---- */

static GDExtensionClassCreationInfo class_info;
static GDExtensionClassMethodInfo methods[32];
static char method_names[32][32];
static int n_methods, unregistered;
static void* instance;

static void* construct_object(const void* name) {
  CHECK(strcmp(name_text(name), "Node") == 0);
  return &instance;
}
static void set_instance(void* object, const void* name, void* data) {
  CHECK(object == &instance && strcmp(name_text(name), "HarpField") == 0);
  instance = data;
}
static void register_class(void* library, const void* name, const void* parent, const GDExtensionClassCreationInfo* info) {
  (void)library;
  CHECK(strcmp(name_text(name), "HarpField") == 0 && strcmp(name_text(parent), "Node") == 0);
  class_info = *info;
}
static void register_method(void* library, const void* name, const GDExtensionClassMethodInfo* info) {
  (void)library, (void)name;
  CHECK(n_methods < 32);
  strcpy(method_names[n_methods], name_text(info->name));
  methods[n_methods++] = *info;
}
static void unregister_class(void* library, const void* name) {
  (void)library;
  unregistered = strcmp(name_text(name), "HarpField") == 0;
}
static void print_line(const char* text, const char* function, const char* file, int32_t line, GDExtensionBool notify) {
  (void)function, (void)file, (void)line, (void)notify;
  ++errors_printed;
  printf("said: %s\n", text);
}

static GDExtensionInterfaceFunctionPtr function(const char* name) {
  static const struct {
    const char* name;
    void* address;
  } table[] = {{"print_error", (void*)print_line},
               {"print_warning", (void*)print_line},
               {"string_name_new_with_latin1_chars", (void*)string_name_new},
               {"string_new_with_utf8_chars", (void*)string_new},
               {"string_to_utf8_chars", (void*)string_to_utf8},
               {"variant_get_type", (void*)variant_type},
               {"variant_get_ptr_builtin_method", (void*)builtin_method},
               {"variant_get_ptr_constructor", (void*)constructor},
               {"variant_get_ptr_destructor", (void*)destructor},
               {"get_variant_from_type_constructor", (void*)into_variant},
               {"get_variant_to_type_constructor", (void*)out_of_variant},
               {"packed_float32_array_operator_index", (void*)element},
               {"packed_float32_array_operator_index_const", (void*)element_const},
               {"packed_byte_array_operator_index", (void*)element},
               {"global_get_singleton", (void*)singleton},
               {"classdb_construct_object", (void*)construct_object},
               {"classdb_get_method_bind", (void*)method_bind},
               {"object_method_bind_ptrcall", (void*)ptrcall},
               {"object_set_instance", (void*)set_instance},
               {"worker_thread_pool_add_native_group_task", (void*)add_group},
               {"classdb_register_extension_class", (void*)register_class},
               {"classdb_register_extension_class_method", (void*)register_method},
               {"classdb_unregister_extension_class", (void*)unregister_class}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (strcmp(table[i].name, name) == 0) return (GDExtensionInterfaceFunctionPtr)table[i].address;
  return NULL;
}

/* ---- calls of the plug-in, as a script makes them ---- */

static variant of_text(const char* text) { return (variant){TYPED(STRING), {text_block(text), NULL}}; }
static variant of_int(int64_t number) {
  variant v = {TYPED(INT), {NULL, NULL}};
  memcpy(&v.value, &number, sizeof number);
  return v;
}
static void drop(variant* v) {
  if (v->type == TYPED(STRING) || v->type == TYPED(PACKED_FLOAT32_ARRAY) || v->type == TYPED(PACKED_BYTE_ARRAY))
    release(*block_of((GDExtensionVariantType)v->type, &v->value));
}

/* Calls a method and frees the arguments. The caller has to free the result. */
static variant call(const char* name, int n, variant* arguments, GDExtensionCallErrorType expected) {
  int i = 0;
  while (i < n_methods && strcmp(method_names[i], name) != 0) ++i;
  CHECK(i < n_methods);
  const void* pointers[8] = {NULL};
  for (int k = 0; k < n; ++k) pointers[k] = &arguments[k];
  variant result = {0, {NULL, NULL}};
  GDExtensionCallError error;
  methods[i].call_func(methods[i].method_userdata, instance, (void*)pointers, n, (void*)&result, &error);
  CHECK(error.error == expected);
  for (int k = 0; k < n; ++k) drop(&arguments[k]);
  return result;
}
static int truth(variant v) { return v.type == TYPED(BOOL) && *(char*)&v.value; }

static char* file_text(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  CHECK(file);
  char* text = calloc(1, 1 << 20);
  *size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}
static variant array_of(const char* path, int64_t numbers) {
  size_t size = 0;
  char* data = file_text(path, &size);
  CHECK(size == (size_t)numbers * 4);
  variant v = {TYPED(PACKED_FLOAT32_ARRAY), {NULL, new_block(numbers * 4)}};
  memcpy(v.value.at->data, data, size);
  free(data);
  return v;
}

static void play(char** argv, int64_t side) {
  size_t size = 0;
  char *step = file_text(argv[2], &size), *picture = file_text(argv[3], &size);
  const int64_t frames = atoi(argv[6]);
  variant none[1], few[] = {of_text("a")}, wrong[] = {of_text("a")};
  (void)call("setup", 1, few, GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS);
  (void)call("play", 1, wrong, GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT);
  CHECK(errors_printed == 0);
  variant mistaken[] = {of_text("no graph"), of_text(picture), of_int(side), of_text(""), of_text("")};
  CHECK(!truth(call("setup", 5, mistaken, GDEXTENSION_CALL_OK)) && errors_printed == 1);
  variant texts[] = {of_text(step), of_text(picture), of_int(side), of_text(""), of_text("")};
  CHECK(truth(call("setup", 5, texts, GDEXTENSION_CALL_OK)));
  variant backend = call("backend", 0, none, GDEXTENSION_CALL_OK);
  CHECK(backend.type == TYPED(STRING) && strcmp(((block*)backend.value.text)->data, "c") == 0);
  drop(&backend);
  variant arrays[] = {array_of(argv[4], side * side), array_of(argv[5], side * side)};
  CHECK(truth(call("start", 2, arrays, GDEXTENSION_CALL_OK)));
  variant count[] = {of_int(frames)};
  (void)call("play", 1, count, GDEXTENSION_CALL_OK);

  const char *process_name, *other_name;
  string_name_new(&process_name, "_process", 0);
  string_name_new(&other_name, "_ready", 0);
  CHECK(class_info.get_virtual_func(NULL, (void*)&other_name) == NULL);
  const GDExtensionClassCallVirtual process = class_info.get_virtual_func(NULL, (void*)&process_name);
  CHECK(process);
  const double delta = 1.0 / 60;
  const void* arguments[] = {&delta};
  variant kept = call("surface", 0, none, GDEXTENSION_CALL_OK);
  float* before = malloc((size_t)(side * side) * 4);
  memcpy(before, kept.value.at->data, (size_t)(side * side) * 4);
  /* The simulation ends two frames before this loop does. The plug-in must accept the two additional calls. */
  for (int64_t frame = 0; frame < frames + 2; ++frame) process(instance, (void*)arguments, NULL);
  CHECK(memcmp(before, kept.value.at->data, (size_t)(side * side) * 4) == 0); /* an array that was returned earlier stays unchanged */
  variant left = call("frames_left", 0, none, GDEXTENSION_CALL_OK);
  CHECK(left.type == TYPED(INT) && *(int64_t*)&left.value == 0);
  variant rgb = call("picture", 0, none, GDEXTENSION_CALL_OK);
  CHECK(rgb.type == TYPED(PACKED_BYTE_ARRAY) && rgb.value.at->bytes == side * side * 3);
  variant surface = call("surface", 0, none, GDEXTENSION_CALL_OK);
  FILE* file = fopen(argv[7], "wb");
  CHECK(file && fwrite(surface.value.at->data, 1, (size_t)(side * side) * 4, file) == (size_t)(side * side) * 4 && fclose(file) == 0);
  CHECK(group_tasks > 0 && errors_printed == 1);
  drop(&kept);
  drop(&rgb);
  drop(&surface);
  free(before);
  free(step);
  free(picture);
}

int main(int argc, char** argv) {
  CHECK(argc == 8);
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) printf("%s\n", dlerror());
  CHECK(plugin);
  const GDExtensionInitializationFunction init = (GDExtensionInitializationFunction)dlsym(plugin, "harp_field_init");
  GDExtensionInitialization engine = {0};
  CHECK(init && init(function, NULL, &engine) && engine.minimum_initialization_level == GDEXTENSION_INITIALIZATION_SCENE);
  for (int level = 0; level < GDEXTENSION_MAX_INITIALIZATION_LEVEL; ++level) engine.initialize(NULL, (GDExtensionInitializationLevel)level);
  CHECK(class_info.create_instance_func(NULL) == (void*)&instance && instance);
  play(argv, 256);
  class_info.free_instance_func(NULL, instance);
  for (int level = GDEXTENSION_MAX_INITIALIZATION_LEVEL; level-- > 0;) engine.deinitialize(NULL, (GDExtensionInitializationLevel)level);
  CHECK(unregistered && values_alive == 0);
  printf("as expected; %d times on the engine's threads\n", group_tasks);
  return 0;
}
