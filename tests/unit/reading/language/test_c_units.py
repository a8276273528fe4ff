"""Where definitions begin and end in C and C++."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

C = """\
#ifndef SCALE_H
#define SCALE_H
#include <stdio.h>
#include "base.h"

#define LIMIT 3
#define SHORT(x) (x)
#define WEIGH(a, b) \\
  ((a) + \\
   (b))

/* A scale. */
struct scale {
  int total;
};

typedef struct {
  int a;
} pair;

typedef struct scale scale_t;

enum unit { GRAM };

int weigh(struct scale *s, int sample);

#ifdef FAST
/*
 * Names it.
 */
static const char *
name(int x)
{
  return "scale";
}
#else
static void (*handler(int x))(int) { return 0; }
#endif

static struct unit_row { int a; } rows[] = { {1} };
#endif
"""
CPP = """\
#include <string>
namespace lab { namespace scale {

/// Weighs.
template <typename T>
class Scale : public Base<T> {
 public:
  explicit Scale(int total);
  ~Scale() override;
  int weigh(int sample) const;
  bool operator==(const Scale& other) const { return true; }
  int total = 3;
  template <class U> void add(U sample) {
    total += sample;
  }
};

enum class Unit { Gram };
}}

int lab::scale::Scale<int>::weigh(int sample) const {
  return sample;
}
"""


def test_c_has_functions_types_and_long_macros(look: Look) -> None:
    assert look("scale.h", C).definitions == [
        "WEIGH", "scale", "pair", "unit", "weigh", "name", "handler", "unit_row",
    ]  # fmt: skip
    assert look("scale.c", C).definitions == look("scale.h", C).definitions


def test_includes_are_imports_also_inside_a_guard(look: Look) -> None:
    assert look("scale.h", C).unit("L3-4").kind == "imports"


def test_signatures_of_c_end_before_the_brace(look: Look) -> None:
    c = look("scale.c", C)
    assert c.signature("name") == "static const char *\nname(int x)\n"
    assert c.signature("scale") == "struct scale {\n"
    assert c.summary("name") == "/*\n * Names it.\n"
    assert c.expand("scale") == "/* A scale. */\nstruct scale {\n  int total;\n};\n"


def test_cpp_members_are_called_by_their_class_wherever_they_stand(look: Look) -> None:
    expected = [
        "Scale", "Scale.Scale", "Scale.~Scale", "Scale.weigh", "Scale.operator==", "Scale.add", "Unit",
        "lab.scale.Scale.weigh",
    ]  # fmt: skip
    assert look("scale.cpp", CPP).definitions == expected
    assert look("scale.h", CPP).definitions == expected  # it is the text that says that this header is C++


def test_a_templates_parameters_are_a_part_of_its_signature(look: Look) -> None:
    cpp = look("scale.cpp", CPP)
    assert cpp.signature("Scale") == "template <typename T>\nclass Scale : public Base<T> {\n"
    assert cpp.summary("Scale") == "/// Weighs.\n"
    assert cpp.unit("Scale").lines == (4, 16)


def test_a_long_function_of_c_has_no_members(look: Look) -> None:
    body = "  std::string name(first);\n" * 70
    assert look("a.cpp", f"int main() {{\n{body}}}\n").definitions == ["main"]
