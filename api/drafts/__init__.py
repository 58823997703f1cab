"""Drafts: files of a release that are kept for work on it, checked and described."""
