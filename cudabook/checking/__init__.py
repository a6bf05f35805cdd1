"""Checks of labs: a learner's code is run in a child process, and a verdict names what is wrong."""
