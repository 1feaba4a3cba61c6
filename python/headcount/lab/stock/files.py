"""What a server's profile `stock` is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headcount.lab.stock.rewrite import Rewrite, rewritten
from headcount.lab.stock.shipped import Shipped


@dataclass(frozen=True, slots=True)
class Stock:
    """The files that Debian ships for a server, and the few lines that are rewritten.

    Attributes:
        server: Whose it is, as `lab:nginx`.
        shipped: The files.
        rewrites: All that differs from them.
        links: Links that the package makes when it is installed, and their targets.
        folders: Folders that it makes, which have no shipped file.

    """

    server: str
    shipped: Shipped
    rewrites: tuple[Rewrite, ...]
    links: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()

    def write(self, to: Path, fields: Mapping[str, str]) -> None:
        """Write the files into a new folder, with the paths and ports of a run.

        Raises OSError, and MachineLimitError if this machine does not have the files as they were
        shipped.
        """
        texts = self.shipped.texts(self.server)
        to.mkdir()
        for folder in self.folders:
            (to / folder).mkdir(parents=True)
        for name, text in texts.items():
            path = to / name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = rewritten(name, text, self.rewrites, fields)
            path.write_text(content, "utf-8", "surrogateescape")
        for name, target in self.links.items():
            (to / name).symlink_to(target)

    def check(self) -> None:
        """Raise MachineLimitError if this machine does not have the files as shipped."""
        self.shipped.texts(self.server)

    @property
    def disclosed(self) -> dict[str, str]:
        """What was rewritten, for the disclosure of a run."""
        return dict(one.disclosed for one in self.rewrites)
