"""A snapshot with the working tree laid over it: what the code is now. The only thing that readers look at."""
