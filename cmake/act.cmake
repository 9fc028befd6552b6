# Build conventions of the project: compiler flags, act_library, act_test.
option(ACT_BUILD_TESTS "Build the C++ test programs" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false overlaps inside std::string (GCC bug 105651).
  add_compile_options(-Wno-restrict)
else()
  # clang 19 reports what g++ 12's own std::stable_sort uses.
  add_compile_options(-Wno-deprecated-declarations)
endif()

find_program(ACT_MOLD mold)
if(ACT_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
find_program(ACT_CCACHE ccache)
if(ACT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ACT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ACT_CCACHE})
endif()

# act_library(NAME SOURCES a.cc ... [DEPENDS layer ...]): the library of src/NAME, target act_NAME.
# DEPENDS names layers; the list is the only way to reach another layer's headers' objects.
function(act_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(act_${name} STATIC ${ARG_SOURCES})
  target_include_directories(act_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND act_)
  target_link_libraries(act_${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# act_test(NAME SOURCES a_test.cc ... DEPENDS layer ...): one GoogleTest program, one CTest entry a test.
function(act_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND act_)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ACT_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ACT_BINARY_DIR="${CMAKE_BINARY_DIR}")
  # One process a program keeps the suite short; the program's own output names each test.
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
endfunction()

# act_bench(NAME SOURCES a.cc ... [DEPENDS layer ...]): a benchmark program over bench/bench.h; `make bench` runs it.
function(act_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND act_)
  target_link_libraries(${name} PRIVATE act_bench ${ARG_DEPENDS})
endfunction()
