"""Where definitions begin and end in Ruby."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
require 'set'

# A lab.
module Lab
  class Scale < Base
    attr_reader :total

    # Weighs.
    def weigh(sample)
      1
    end

    def self.make; end

    class << self
      def remake; end
    end

    private def zero; end

    Point = Struct.new(:x) do
      def far?; end
    end
  end
end

def thing.other; end

RSpec.describe Scale do
  context "when empty" do
    it "weighs nothing" do
      1
    end
  end
end

task :build do
  sh "make"
end
"""


def test_methods_are_called_by_their_class_and_blocks_by_their_titles(look: Look) -> None:
    assert look("a.rb", SOURCE).definitions == [
        "Lab", "Lab.Scale", "Lab.Scale.weigh", "Lab.Scale.make", "Lab.Scale.remake", "Lab.Scale.zero",
        "Lab.Scale.Point", "Lab.Scale.Point.far?", "thing.other", "describe-Scale", "context-when-empty",
        "it-weighs-nothing", "task-build",
    ]  # fmt: skip
    assert look("Rakefile", "task :a do\n  b\nend\n").definitions == ["task-a"]


def test_signatures_comments_and_requires(look: Look) -> None:
    rb = look("a.rb", SOURCE)
    assert rb.signature("Lab.Scale") == "  class Scale < Base\n"
    assert rb.summary("Lab.Scale.weigh") == "    # Weighs.\n"
    assert rb.unit("L1-1").kind == "imports"
    assert rb.expand("Lab.Scale.weigh") == "    # Weighs.\n    def weigh(sample)\n      1\n    end\n"
