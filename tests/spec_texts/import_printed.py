"""Runs in a process of its own: imports all modules that were printed to a directory. Prints their names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import tidewire

directory = Path(sys.argv[1])
sys.path[:] = [one for one in sys.path if one not in ("", ".")]
tidewire.__path__.insert(0, str(directory))
for path in sorted(directory.rglob("*.py")):
    parts = path.relative_to(directory).with_suffix("").parts
    if parts == ("__init__",):
        spec = importlib.util.spec_from_file_location("printed_package", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["printed_package"] = module
        spec.loader.exec_module(module)
        module.protocols()
    else:
        module = importlib.import_module(".".join(("tidewire", *(one for one in parts if one != "__init__"))))
        assert module.__file__ == str(path), module.__file__
    print(module.__name__)
