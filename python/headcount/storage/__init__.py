"""Disks, buses, RAID arrays and sorts as formulas: what data sheets mean, before anything runs."""
