"""`make gallery`: checks the released libraries of `tests/real`, and writes the page of each bug to `build/gallery`.

`make site` then links them from the gallery. The releases are installed once, into `.cache/real`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_GALLERY: Final = _ROOT / "build" / "gallery"


def main() -> int:
    """The exit status: 1 if a bug of this version of Python is not found."""
    sys.path.insert(0, str(_ROOT))
    from tests.real.cases import BUGS, REPAIRED, Tool, python_path

    shutil.rmtree(_GALLERY, ignore_errors=True)
    _GALLERY.mkdir(parents=True)
    missing = []
    for case in [bug.case for bug in BUGS if bug.case not in REPAIRED]:
        script = shutil.copy(_ROOT / "tests" / "real" / case.script, _GALLERY)
        tool = Tool(_GALLERY, python_path(case.requirements), starts_python=True)
        page = Path(case.script).stem + ".html"
        done = tool.run("check", case.script, "--strategy", "mcr", "--include", case.include, "--output", page)
        Path(script).unlink()
        print(f"{page}: exit status {done.returncode}")
        if done.returncode != 1 or not (_GALLERY / page).exists():
            missing.append(f"{page}\n{done.stdout}{done.stderr}")
            continue
        place = _GALLERY / page
        place.write_text(place.read_text().replace(f"{_ROOT}/", ""))  # the page does not depend on the machine
        place.chmod(0o644)
    shutil.rmtree(_GALLERY / ".mazurka", ignore_errors=True)
    print(*missing, sep="\n", end="")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
