"""The queue in the console: what of it is asked for, its rows in words, and what is done to several at once."""
