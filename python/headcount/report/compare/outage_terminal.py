"""A comparison of failovers on the terminal: the verdict first, then every figure."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.outage.comparison import FailoverComparison
from headcount.report.compare.outage_cells import Group, groups, set_up_text
from headcount.report.compare.terminal import STYLES, print_list
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.report.terminal.say import say


def show(found: FailoverComparison, console: Console) -> None:
    """Print a comparison."""
    say(console, found.sentence, STYLES.get(found.finding, "bold yellow"))
    for one in found.subjects:
        say(console, f"{one.name}: {set_up_text(one)}", indent=2)
    made = groups(found)
    for group in made:
        console.print()
        if len(made) > 1:
            console.print(Text(writable(group.title, console), style="bold"))
        console.print(_table(group, console))
    names = [one.name for one in found.subjects]
    print_list(console, "What differs", [one.sentence for one in found.unlike], names)
    print_list(console, "To know", found.doubts, names)


def _table(group: Group, console: Console) -> Table:
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    table = Table(box=box, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for place, head in enumerate(group.heads):
        left = place in (0, len(group.heads) - 1)
        text = Text(writable(head, console))
        table.add_column(text, justify="left" if left else "right", overflow="fold")
    for *cells, finding in group.rows:
        texts = [Text(writable(cell, console)) for cell in cells]
        table.add_row(*texts, Text(finding, style=STYLES.get(finding, "dim")))
    return table
