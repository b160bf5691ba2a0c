"""How programs and people come in: command line and, with it, values as JSON."""
