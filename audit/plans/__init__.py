"""Plans of publications: tables that are owed, equations between measures, and which of them hang together."""
