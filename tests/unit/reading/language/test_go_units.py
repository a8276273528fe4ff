"""Where definitions begin and end in Go."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
// Package scale weighs.
package scale

import (
	"fmt"
)

const limit = 3

// Scale weighs samples.
// It has a history.
type Scale[T any] struct {
	total T
}

type (
	Unit int
	// A Pair is two.
	Pair struct {
		a, b int
	}
)

type Weigher interface {
	Weigh() int
}

// Weigh returns the weight.
func (s *Scale[T]) Weigh(
	sample T,
) (int, error) {
	return 1, nil
}

func (Unit) String() string { return "" }

func New() *Scale[int] {
	return nil
}
"""


def test_methods_are_called_by_their_receivers_type(look: Look) -> None:
    assert look("a.go", SOURCE).names == [
        "L1-2", "L4-6", "L8-8", "Scale", "L16-16", "Unit", "Pair", "L22-22", "Weigher", "Scale.Weigh", "Unit.String",
        "New",
    ]  # fmt: skip
    assert look("a.go", SOURCE).unit("L4-6").kind == "imports"


def test_signatures_may_have_several_lines(look: Look) -> None:
    go = look("a.go", SOURCE)
    assert go.signature("Scale.Weigh") == "func (s *Scale[T]) Weigh(\n\tsample T,\n) (int, error) {\n"
    assert go.signature("Scale") == "type Scale[T any] struct {\n"


def test_the_comment_above_is_the_documentation(look: Look) -> None:
    go = look("a.go", SOURCE)
    assert go.summary("Scale") == "// Scale weighs samples.\n"
    assert go.summary("Pair") == "\t// A Pair is two.\n"
    assert go.unit("New").summary is None


def test_expand_gives_a_type_with_its_comment(look: Look) -> None:
    assert look("a.go", SOURCE).expand("Scale") == (
        "// Scale weighs samples.\n// It has a history.\ntype Scale[T any] struct {\n\ttotal T\n}\n"
    )
