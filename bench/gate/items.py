"""All items of work, in the order in which they are measured: a new one is one more here."""

from bench.gate.item import Item
from bench.gate.work import disk, memory, null, recorder, smb, sort, sql, start, web

ITEMS: tuple[Item, ...] = (
    *start.ITEMS,
    *null.ITEMS,
    *web.ITEMS,
    *sql.ITEMS,
    *smb.ITEMS,
    *disk.ITEMS,
    *sort.ITEMS,
    *recorder.ITEMS,
    *memory.ITEMS,  # last: a thousand smbd processes leave the machine busy
)
