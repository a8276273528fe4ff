"""What TypeScript adds to JavaScript."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
import { Base } from './base';

@Component({
  selector: 'scale',
})
export class Scale extends Base {
  @Input() unit: string;

  @Bound()
  private weigh(sample: Sample): number { return 1; }

  abstract zero(): void;

  tare = () => {};
}

/** A sample. */
export interface Sample {
  mass: number;
}

type Pair = { a: number };

enum Unit { Gram }

namespace Lab {
  export function open(): void {}
}

declare module 'x' {
  function y(): void;
}

declare function outside(a: string): void;
function over(a: string): void;
function over(a: unknown): void {}
export const rooms = router({
  list: procedure.query(() => {
    const all = rooms();
    const open = all.filter(isOpen);
    const sorted = open.sort();
    return sorted;
  }),
});
"""


def test_every_kind_of_definition_has_a_name(look: Look) -> None:
    assert look("a.ts", SOURCE).definitions == [
        "Scale", "Scale.weigh", "Scale.zero", "Scale.tare", "Sample", "Pair", "Unit", "Lab", "Lab.open",
        "'x'", "'x'.y", "outside", "over", "over#2", "rooms", "rooms.list",
    ]  # fmt: skip


def test_decorators_lead_a_definition_and_are_not_its_signature(look: Look) -> None:
    ts = look("a.ts", SOURCE)
    scale, weigh = ts.unit("Scale"), ts.unit("Scale.weigh")
    assert (scale.decorated_at, scale.lines, ts.signature("Scale")) == (
        3,
        (3, 15),
        "export class Scale extends Base {\n",
    )
    assert (weigh.decorated_at, weigh.lines) == (9, (9, 10))
    assert ts.signature("Scale.weigh") == "  private weigh(sample: Sample): number { return 1; }\n"


def test_comments_document_types_too(look: Look) -> None:
    assert look("a.ts", SOURCE).summary("Sample") == "/** A sample. */\n"


def test_expand_gives_a_method_with_its_decorators(look: Look) -> None:
    assert look("a.ts", SOURCE).expand("Scale.weigh").startswith("  @Bound()\n  private weigh(")


def test_tsx_has_elements_and_ts_has_casts(look: Look) -> None:
    assert look("a.tsx", "export const App = (): Node => <p>hi</p>;\n").definitions == ["App"]
    assert look("a.ts", "const f = <T>(a: T) => <U>a;\n").outline.fallback == ""


def test_what_an_interface_consists_of_counts_where_it_is_long(look: Look) -> None:
    def definitions(n_filling: int) -> list[str]:
        filling = "".join(f"  p{n}: string;\n" for n in range(n_filling))
        return look(
            "a.ts", f"interface Long {{\n{filling}  weigh(a: number): void;\n  b: {{\n    c: 1;\n  }};\n}}\n"
        ).definitions

    assert definitions(54) == ["Long"]
    assert definitions(55) == ["Long", "Long.weigh", "Long.b"]
