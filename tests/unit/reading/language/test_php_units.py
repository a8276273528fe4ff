"""Where definitions begin and end in PHP."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
<?php
namespace Lab;

use Lab\\Base;
require 'base.php';

/**
 * A scale.
 */
#[Entity]
final class Scale extends Base
{
    private int $total;

    /** Weighs. */
    #[Pure]
    public function weigh(int $sample): int
    {
        return 1;
    }

    abstract function zero();
}

interface Weigher {
    function weigh();
}
trait Logs {
    function log() {}
}
enum Unit: string {
    case Gram = 'g';
    function factor() {}
}

function free($a) {}

$handler = function ($event) {
    return 1;
};

if (!function_exists('late')) {
    function late() {}
}
"""


def test_every_kind_of_definition_has_a_name(look: Look) -> None:
    assert look("a.php", SOURCE).definitions == [
        "Scale", "Scale.weigh", "Scale.zero", "Weigher", "Weigher.weigh", "Logs", "Logs.log", "Unit", "Unit.factor",
        "free", "handler", "late",
    ]  # fmt: skip


def test_attributes_comments_and_imports(look: Look) -> None:
    php = look("a.php", SOURCE)
    assert php.signature("Scale") == "final class Scale extends Base\n"
    assert php.summary("Scale") == "/**\n * A scale.\n"
    assert php.unit("Scale").decorated_at == 10
    assert php.unit("L4-5").kind == "imports"
    assert php.expand("Scale.weigh").startswith("    /** Weighs. */\n    #[Pure]\n")
