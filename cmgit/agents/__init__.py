"""One module for each client's hook contract: what is put where, and how it is taken away again."""
