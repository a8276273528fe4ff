"""Where definitions begin and end in C#."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
using System;

namespace Lab.Scales
{
    /// <summary>A scale.</summary>
    [Serializable]
    public class Scale<T> : Base
    {
        private int total;

        public Scale(int total) { }

        [Bound]
        public int Weigh<S>(S sample)
            where S : T
        {
            return 1;
        }

        public int Short { get; set; }

        public int Long
        {
            get { return total; }
        }

        public static bool operator ==(Scale<T> a, Scale<T> b) => true;

        ~Scale() { }
    }

    interface IScale
    {
        void Zero();
    }
    enum Unit { Gram }
    record Pair(int A);
}
"""


def test_members_are_called_by_their_class_and_namespaces_are_passed_through(look: Look) -> None:
    assert look("a.cs", SOURCE).definitions == [
        "Scale", "Scale.Scale", "Scale.Weigh", "Scale.Long", "Scale.operator==", "Scale.~Scale", "IScale",
        "IScale.Zero", "Unit", "Pair",
    ]  # fmt: skip
    assert look("a.cs", "namespace Lab;\nclass Scale { }\n").definitions == ["Scale"]


def test_attributes_lead_a_definition_and_the_signature_ends_before_the_brace(look: Look) -> None:
    cs = look("a.cs", SOURCE)
    assert cs.signature("Scale.Weigh") == "        public int Weigh<S>(S sample)\n            where S : T\n"
    assert cs.unit("Scale.Weigh").decorated_at == 13
    assert cs.summary("Scale") == "    /// <summary>A scale.</summary>\n"
    assert cs.unit("L1-1").kind == "imports"


def test_expand_gives_a_method_with_its_attributes(look: Look) -> None:
    assert look("a.cs", SOURCE).expand("Scale.Weigh").startswith("        [Bound]\n        public int Weigh")
