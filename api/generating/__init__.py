"""The counter of a table generator: a hypercube with policy and memory, asked by a command, a page or a program."""
