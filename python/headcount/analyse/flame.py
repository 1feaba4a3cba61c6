"""Stacks as the frames of a flame graph: the share of the stacks that each frame is part of.

B. Gregg, "The Flame Graph", Communications of the ACM 59(6), 2016: a frame is as wide as the share
of stacks that contain it, below the frame that called it; siblings stand in the order of names.
"""

from dataclasses import dataclass, field

from headcount.bundle.stacks import OTHER, Stacks

LEAST = 0.005
"""Share from which a frame is drawn; smaller siblings are merged into one frame, `other`."""
DEEPEST = 32
"""Deepest frame of a stack that is drawn."""
FILES_MOST = 8
"""A call with more files than this shows their folder instead."""
_FILE = "(file:"


@dataclass(frozen=True, slots=True)
class FlameFrame:
    """A frame.

    Attributes:
        name: Name of the function, the thread or another level of the stack.
        depth: How many frames are above it; 0 is the process.
        left: Total share of the frames to its left.
        share: Share of the stacks that contain it.
        before: The same in the stacks compared with; None if there are none.

    """

    name: str
    depth: int
    left: float
    share: float
    before: float | None


@dataclass(slots=True)
class _Node:
    count: int = 0
    before: int = 0
    below: dict[str, "_Node"] = field(default_factory=dict)


def flame(
    stacks: Stacks, before: Stacks | None = None, *, least: float = LEAST, most: int = 10_000
) -> list[FlameFrame]:
    """The frames, row by row; if there are more than `most`, the largest and outermost of them.

    Args:
        stacks: What is drawn; if empty, there are no frames.
        before: The stacks to compare with.
        least: Share from which a frame is drawn.
        most: Most frames.

    """
    root = _tree(stacks, before or {})
    total, total_before = sum(stacks.values()), sum((before or {}).values())
    if not total:
        return []
    found = _laid_out(root, total, total_before, least)
    # A frame is never smaller than its callees, so no frame loses its caller.
    largest = sorted(found, key=lambda one: (-one.share, one.depth, one.left))[:most]
    return sorted(largest, key=lambda one: (one.depth, one.left))


@dataclass(frozen=True, slots=True)
class Leaf:
    """The innermost frame of a share of the stacks."""

    name: str
    share: float
    before: float | None


def leaves(stacks: Stacks, before: Stacks | None, most: int) -> list[Leaf]:
    """The innermost frames with the largest share in either set, largest first."""
    now, then = _by_leaf(stacks), _by_leaf(before or {})
    total, total_before = sum(now.values()), sum(then.values())
    found = [
        Leaf(
            name,
            now.get(name, 0) / total if total else 0.0,
            then.get(name, 0) / total_before if total_before else None,
        )
        for name in {**now, **then}
    ]
    found.sort(key=lambda one: (-max(one.share, one.before or 0.0), one.name))
    return found[:most]


def files_together(stacks: Stacks) -> dict[tuple[str, ...], int]:
    """The stacks with the files of a call merged into their folder, if the call has many of them.

    >>> folded = {("go", f"fsync(file:/var/{n})"): 1 for n in range(20)}
    >>> files_together(folded)
    {('go', 'fsync(files in /var)'): 20}
    """
    folders: dict[str, set[str]] = {}
    for stack in stacks:
        call, _, path = stack[-1].partition(_FILE)
        if path:
            folders.setdefault(call, set()).add(path)
    found: dict[tuple[str, ...], int] = {}
    for stack, number in stacks.items():
        call, _, path = stack[-1].partition(_FILE)
        key = stack
        if len(folders.get(call, ())) > FILES_MOST:
            key = (*stack[:-1], f"{call}(files in {path.rpartition('/')[0] or '/'})")
        found[key] = found.get(key, 0) + number
    return found


def _by_leaf(stacks: Stacks) -> dict[str, int]:
    found: dict[str, int] = {}
    for stack, number in stacks.items():
        found[stack[-1]] = found.get(stack[-1], 0) + number
    return found


def _tree(stacks: Stacks, before: Stacks) -> _Node:
    root = _Node()
    for which, folded in enumerate((stacks, before)):
        for stack, number in folded.items():
            node = root
            for name in stack[:DEEPEST]:
                node = node.below.setdefault(name, _Node())
                if which:
                    node.before += number
                else:
                    node.count += number
    return root


def _laid_out(root: _Node, total: int, total_before: int, least: float) -> list[FlameFrame]:
    """The frames, row by row; each row keeps its nodes with their left edges."""
    found: list[FlameFrame] = []
    row: list[tuple[float, _Node]] = [(0.0, root)]
    for depth in range(DEEPEST):
        below: list[tuple[float, _Node]] = []
        for left, node in row:
            at, small = left, _Node()
            for name, one in sorted(node.below.items()):
                if one.count < least * total:
                    small.count += one.count
                    small.before += one.before
                    continue
                share = one.count / total
                was = one.before / total_before if total_before else None
                found.append(FlameFrame(name, depth, at, share, was))
                below.append((at, one))
                at += share
            if small.count and small.count >= least * total:
                was = small.before / total_before if total_before else None
                found.append(FlameFrame(OTHER, depth, at, small.count / total, was))
        row = below
    return found
