// Nothing: what Node costs before anyone has written a line.
