"""Agents on the machines of a Ray cluster, which places and starts them. Load never crosses it.

Only a run that asks for a cluster imports this: Ray is an optional dependency.
"""

import os

# Under `uv run`, Ray would send the folder to all machines and start agents with `uv run` there.
# Ray reads this at import.
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
# A minute after its head is gone, Ray would end the process that uses it, although agents go on.
# In seconds: a day.
os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "86400")
