"""Specs in which something was changed at random: refused with a report, or printed and usable."""
