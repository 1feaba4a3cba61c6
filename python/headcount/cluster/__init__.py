"""Agents on the machines of a Ray cluster, which places and starts them. Load never crosses it.

Only a run that asks for a cluster imports this: Ray is an optional dependency.
"""

import os

# Under `uv run`, Ray would send the folder to all machines and start agents by `uv run` there. Ray
# reads this when it is imported.
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
