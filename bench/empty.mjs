// Empty on purpose: measures the startup cost of Node itself.
