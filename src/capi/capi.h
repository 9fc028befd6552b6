/* The C ABI of libact.so: specs, programs, the simulator and backend generation, for Python and other
 * languages.
 *
 * Every call that can fail returns null on success, or an error that the caller frees with act_error_free.
 * Texts are pointer and length, need no terminating zero and are copied; a returned text belongs to the
 * handle it came from. Handles of one accelerator or program may be used by one thread at a time; different
 * handles are independent. There is no global state.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct act_accelerator act_accelerator;
typedef struct act_program act_program;
typedef struct act_error act_error;
typedef struct act_text act_text;

typedef struct {
  const char* data;
  size_t size;
} act_string;

/* Who has to act on an error; the order is that of act::ErrorClass. */
enum {
  ACT_SYNTAX,
  ACT_VALUE,
  ACT_TYPE,
  ACT_NOT_IMPLEMENTED,
  ACT_UNSUPPORTED,
  ACT_LIMIT,
  ACT_ENVIRONMENT,
  ACT_RUNTIME,
  ACT_INTERNAL
};

/* One diagnostic. line, column: from 1; 0 where there is no place. rendered: one line with the place. */
typedef struct {
  int32_t error_class;
  int32_t is_warning;
  int32_t line, column;
  act_string code, message, file, line_text, rendered;
} act_diagnostic;

/* The version of this interface; a caller that was made for another one must not go on. */
#define ACT_ABI_VERSION 1
int32_t act_abi_version(void);

/* Errors, and lists of warnings: one diagnostic or more. */
size_t act_error_count(const act_error* error);
void act_error_get(const act_error* error, size_t index, act_diagnostic* diagnostic);
void act_error_free(act_error* error);

act_string act_text_get(const act_text* text);
void act_text_free(act_text* text);

/* --- Specs: one function for each call of the TAIDL Python API -------------------------------------------
 */

/* Where in the user's file a part of the spec is declared; may be null. */
typedef struct {
  act_string file;
  int32_t line;
} act_place;

act_error* act_accelerator_new(act_string name, act_accelerator** accelerator);
/* From `.taidl` text. file: its name in messages. */
act_error* act_accelerator_parse(act_string text, act_string file, act_accelerator** accelerator);
void act_accelerator_free(act_accelerator* accelerator);
/* The `.taidl` text. */
act_error* act_accelerator_print(const act_accelerator* accelerator, act_text** text);
act_error* act_accelerator_name(const act_accelerator* accelerator, act_text** name);
/* 1 if the two say the same. */
int32_t act_accelerator_same(const act_accelerator* a, const act_accelerator* b);
/* Everything `act check` says; findings is null where it says nothing. */
act_error* act_accelerator_check(const act_accelerator* accelerator, act_error** findings);
/* What generate_oracle refuses. */
act_error* act_accelerator_check_oracle(const act_accelerator* accelerator);

size_t act_accelerator_num_instructions(const act_accelerator* accelerator);
/* Name, and the attributes of an instruction, each followed by a newline. Failure: index out of range. */
act_error* act_instruction_names(const act_accelerator* accelerator, size_t index, act_text** name,
                                 act_text** computational, act_text** addressing);

act_error* act_add_buffer(act_accelerator* accelerator, act_string name, const int64_t* addresses,
                          size_t num_addresses, const int64_t* unit, size_t num_unit, act_string type,
                          const act_place* place);
act_error* act_add_state(act_accelerator* accelerator, act_string name, int64_t initial,
                         const act_place* place);
/* Adds the instruction with its constraints, updates and cost, or nothing. cost: null or a text. */
act_error* act_add_instruction(act_accelerator* accelerator, act_string name, const act_string* computational,
                               size_t num_computational, const act_string* addressing, size_t num_addressing,
                               const act_string* constraints, size_t num_constraints,
                               const act_string* updates, size_t num_updates, const act_string* cost,
                               const act_place* place, size_t* index);
typedef struct {
  act_string buffer;
  const act_string* starts;
  size_t num_starts;
  const act_string* sizes;
  size_t num_sizes;
  const act_string* strides;
  size_t num_strides;
} act_region;
act_error* act_set_regions(act_accelerator* accelerator, size_t instruction, int32_t outputs,
                           const act_region* regions, size_t num_regions);
act_error* act_set_semantics(act_accelerator* accelerator, size_t instruction, act_string text);
/* All constraints are added, or none. lines: each text holds one constraint a line. */
act_error* act_add_constraints(act_accelerator* accelerator, size_t instruction, const act_string* texts,
                               size_t num_texts, int32_t lines);
act_error* act_add_updates(act_accelerator* accelerator, size_t instruction, const act_string* texts,
                           size_t num_texts);
act_error* act_set_cost(act_accelerator* accelerator, size_t instruction, act_string text);
enum { ACT_INPLACE, ACT_APART, ACT_NO_PARTIAL_OVERLAP };
act_error* act_set_placement(act_accelerator* accelerator, size_t instruction, int32_t mark,
                             const uint8_t* flags, size_t num_flags);
act_error* act_set_unit(act_accelerator* accelerator, size_t instruction, act_string unit);
act_error* act_set_mnemonic(act_accelerator* accelerator, size_t instruction, act_string mnemonic);
act_error* act_set_numerics(act_accelerator* accelerator, size_t instruction, act_string numerics);

/* Generates a backend: copies the executable `engine` with the spec appended. cost: empty, or the cost
 * model's path. output: path of the new executable. */
act_error* act_generate_backend(const act_accelerator* accelerator, act_string engine, act_string base_dir,
                                act_string cost, act_text** output);
/* Removes what an earlier generation left in base_dir for an accelerator of this name. */
act_error* act_remove_backend(act_string name, act_string base_dir);

/* --- Programs ---------------------------------------------------------------------------------------------
 */

/* A program refers to its accelerator, which must live longer and stay as it is. */
act_error* act_program_new(const act_accelerator* accelerator, act_string name, int64_t hbm_bytes,
                           act_program** program);
enum { ACT_NATIVE_ASSEMBLY, ACT_PYTHON_KERNEL };
act_error* act_program_parse(const act_accelerator* accelerator, int32_t form, act_string text,
                             act_string file, act_program** program);
act_error* act_program_print(const act_program* program, int32_t form, act_text** text);
void act_program_free(act_program* program);

enum { ACT_INPUT, ACT_OUTPUT };
act_error* act_program_add_tensor(act_program* program, int32_t kind, int64_t address, act_string type,
                                  const int64_t* dims, size_t num_dims);
/* data: the tensor's bytes, row-major; or, doubles != 0, one double an element, rounded once to the type. */
act_error* act_program_add_constant(act_program* program, int64_t address, act_string type,
                                    const int64_t* dims, size_t num_dims, int32_t doubles, const void* data,
                                    size_t size);
/* text.data null: the value is `integer`. Otherwise a text such as "%i*64 + 128" or, wide != 0, a decimal
 * integer of any length up to 127 bits. */
typedef struct {
  int64_t integer;
  act_string text;
  int32_t wide;
} act_value;
act_error* act_program_call(act_program* program, size_t instruction, const int64_t* computational,
                            size_t num_computational, const act_value* addressing, size_t num_addressing,
                            const act_place* place);
act_error* act_program_start_loop(act_program* program, act_string variable, int64_t start, int64_t end,
                                  const act_place* place);
act_error* act_program_end_loop(act_program* program, const act_place* place);
/* tensor: "d1[0,0]". */
act_error* act_program_debug(act_program* program, act_string prefix, act_string tensor,
                             const act_place* place);

size_t act_program_num_tensors(const act_program* program, int32_t kind);
/* type and dims point into the program; dims holds num_dims numbers. */
act_error* act_program_tensor(const act_program* program, int32_t kind, size_t index, act_string* type,
                              const int64_t** dims, size_t* num_dims);
/* Everything that can be refused without data. warnings: null where there are none. */
act_error* act_program_check(const act_program* program, act_error** warnings);
act_error* act_program_cost(const act_program* program, int64_t* cost);

typedef struct {
  void* data;
  size_t size;
} act_bytes;
/* Receives each line that `debug` prints, in the thread of the call. */
typedef void (*act_print)(void* context, const char* text, size_t size);
/* inputs, outputs: row-major bytes of the program's tensors; outputs are filled. */
act_error* act_program_simulate(const act_program* program, const act_bytes* inputs, size_t num_inputs,
                                const act_bytes* outputs, size_t num_outputs, act_print print, void* context,
                                act_error** warnings);

#ifdef __cplusplus
}
#endif
