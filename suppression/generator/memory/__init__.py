"""What somebody holds who keeps all answers, and whether one more may be given."""
