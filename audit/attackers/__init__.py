"""What contributors, who know their own share, can work out: alone, as a holding, or together."""
