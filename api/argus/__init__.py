"""Jobs of tau-ARGUS: commands -> a plan -> our own functions -> files."""
