"""Printed Python as values: nodes, the calls that planners make of them, and the one printer."""
