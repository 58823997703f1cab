"""From a release to one sparse integer system."""
