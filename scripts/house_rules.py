"""House rules that no linter knows. Run by ``make lint``; prints each breach, and its exit status says if any."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("kindgi", "corrections", "judging", "improve", "quality_console")
MANAGERS = {"objects", "_default_manager", "_base_manager"}


def view_files(root: Path = ROOT) -> list[Path]:
    """The modules whose code answers requests."""
    found = [path for package in PACKAGES for path in (root / package).glob("**/*views*.py")]
    found += [path for package in PACKAGES for path in (root / package).glob("**/views/**/*.py")]
    return sorted(set(found))


def queries_in_view(source: str) -> Iterator[tuple[int, str]]:
    """Line and rule for each place where a view builds a queryset: that is a selector's work, which takes a scope."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in MANAGERS:
            yield node.lineno, f"a view must not touch .{node.attr}: ask a selector, with its scope"


def main() -> int:
    """The exit status: 1 if there is a breach."""
    breaches = [
        f"{path.relative_to(ROOT)}:{line}: {rule}"
        for path in view_files()
        for line, rule in queries_in_view(path.read_text())
    ]
    print("\n".join(breaches))
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
