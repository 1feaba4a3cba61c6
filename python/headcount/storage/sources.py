"""Where the formulas come from; docs/storage-formulas.md has the rules one by one."""

PAPER = '"Help! My NT Server Is Too Slow", SAS Institute, 1998'
"""A paper of SAS Institute's technical support on tuning small servers."""

SPEEDS = f"{PAPER}, pp. 5-6"
COUNTERS = f"{PAPER}, pp. 13-14"
SUBSYSTEM = f"{PAPER}, pp. 15-17"
HARD_DRIVE = f"{PAPER}, pp. 17-24"
LEVELS = f"{PAPER}, pp. 25-27"
IMPLEMENTATION = f"{PAPER}, pp. 27-28"
DISCUSSION = f"{PAPER}, pp. 28-30"
SORT_TIMES = f"{PAPER}, pp. 31-34"
SORT_MEMORY = f"{PAPER}, pp. 35-38"
TIPS = f"{PAPER}, appendix A"

DERIVED = "derived here from the paper's terms"
"""For what the paper describes in words or by an example, without a formula."""

LITTLE = (
    "J. D. C. Little: A Proof for the Queuing Formula L = lambda W, Operations Research 9, 1961"
)

WRITE_COST = (
    "P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson: RAID: High-Performance, Reliable Secondary "
    "Storage, ACM Computing Surveys 26, 1994; the usual model, not in the paper"
)
