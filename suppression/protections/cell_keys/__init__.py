"""Cell keys: values changed by what keys of a cell's records add up to, so that the same cell always changes alike."""
