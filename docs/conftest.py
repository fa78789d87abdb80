"""SciPy reads this once, whichever page or module imports it first."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"
