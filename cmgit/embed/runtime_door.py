"""The one door to onnxruntime.

From 1.32 on its native library starts a telemetry client when it is loaded: a device id and a database in the user's
cache folder, and events sent to the vendor's collector (`OneDsTelemetry`). `disable_telemetry_events()` comes too late,
only the environment variable is read before. Nothing of that may happen here: no network at run time, and no file
outside cmgit's own places. So the variable is set before the import, for this process and its children, whoever calls.
"""

from __future__ import annotations

import os
import warnings
from typing import Any


def load_runtime() -> Any:
    """The onnxruntime module, silent and without telemetry.

    Raises:
        ImportError: it is not installed.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    onnxruntime.disable_telemetry_events()
    return onnxruntime
