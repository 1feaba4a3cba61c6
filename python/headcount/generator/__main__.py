"""`python -m headcount.generator`: an agent that a controller leads over stdin and stdout."""

import sys

from headcount.generator.agent import Agent
from headcount.generator.pipe_channel import PipeChannel


def main() -> None:
    """Be an agent until the controller ends."""
    Agent(PipeChannel.of_process()).run()


if __name__ == "__main__":
    main()
    sys.stderr.flush()
