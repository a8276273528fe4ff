"""Where definitions begin and end in Rust."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
//! Weighs samples.
use std::fmt;

const LIMIT: u8 = 3;

/// A scale.
///
/// It has a history.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scale<T> {
    total: T,
}

impl<T: Clone> Scale<T> {
    /// Makes one.
    pub fn new() -> Self {
        todo!()
    }
}

impl<T> fmt::Display for Scale<T>
where
    T: Clone,
{
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

impl fmt::Display for crate::unit::Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

pub trait Weigh {
    fn weigh(&self) -> u8;
    fn zero(&self) {}
}

enum Unit { Gram }

macro_rules! weigh {
    () => {};
}

mod far;

#[cfg(test)]
mod tests {
    #[test]
    fn weighs() {}
}
"""


def test_methods_are_called_by_their_type_and_the_impl_by_what_it_says(look: Look) -> None:
    assert look("lib.rs", SOURCE).definitions == [
        "Scale", "impl-Scale", "Scale.new", "impl-Display-for-Scale", "Scale.fmt", "impl-Display-for-Unit", "Unit.fmt",
        "Weigh", "Weigh.weigh", "Weigh.zero", "Unit", "weigh", "tests", "tests.weighs",
    ]  # fmt: skip


def test_attributes_and_doc_comments_lead_a_definition(look: Look) -> None:
    rs = look("lib.rs", SOURCE)
    assert (rs.unit("Scale").lines, rs.unit("Scale").decorated_at) == ((6, 13), 9)
    assert rs.signature("Scale") == "pub struct Scale<T> {\n"
    assert rs.summary("Scale") == "/// A scale.\n"
    assert (rs.unit("tests.weighs").lines, rs.unit("tests.weighs").decorated_at) == ((48, 49), 48)


def test_a_where_clause_is_a_part_of_the_signature(look: Look) -> None:
    assert look("lib.rs", SOURCE).signature("impl-Display-for-Scale").endswith("where\n    T: Clone,\n")


def test_uses_are_imports_and_other_modules_are_not_defined_here(look: Look) -> None:
    rs = look("lib.rs", SOURCE)
    assert rs.unit("L2-2").kind == "imports"
    assert rs.unit("L44-44").kind == "run"


def test_expand_takes_the_name_as_it_stands_in_the_source(look: Look) -> None:
    rs = look("lib.rs", SOURCE)
    assert rs.expand("impl Display for Scale") == rs.expand("impl-Display-for-Scale")
    assert rs.expand("Scale.new") == "    /// Makes one.\n    pub fn new() -> Self {\n        todo!()\n    }\n"
