/* The C ABI of libact_ffi.so: compiled kernels that XLA calls through its foreign function interface.
 *
 * A kernel is compiled once for a process and stays for its life, because executables of XLA hold its id in
 * an attribute and may outlive whoever compiled it. The id is a hash of everything that decides the program,
 * so that an executable from another process never meets another kernel under its id. All calls may come from
 * any thread.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* data;
  size_t size;
} act_ffi_bytes;

#define ACT_FFI_VERSION 1
int32_t act_ffi_version(void);

/* Compiles a serialized HloModuleProto for the accelerator of a `.taidl` text; a kernel that is there already
 * is found. file: the text's name in messages. numerics: 0 strict, 1 default, 2 relaxed. effort: 0 to 3.
 * cache: a folder for compiled kernels, made where it is missing; empty: none.
 * Returns -1 with *program and, in *text, the assembly; or the error's class (act::ErrorClass) with its
 * sentence in *text. *text is the caller's: act_ffi_free. */
int32_t act_ffi_compile(act_ffi_bytes spec, act_ffi_bytes file, act_ffi_bytes proto, int32_t numerics,
                        int32_t effort, act_ffi_bytes cache, int64_t* program, char** text);
void act_ffi_free(char* text);
/* What is known of a compiled kernel, as JSON: {"kernel": .., "instructions": .., ..., "from_disk": bool,
 * "milliseconds": {stage: number}}. The caller's: act_ffi_free. Null: no kernel of that id. */
char* act_ffi_report(int64_t program);

/* The handler `act_execute` (XLA FFI, attribute `program`: int64) is exported too; its type is XLA's. */

#ifdef __cplusplus
}
#endif
