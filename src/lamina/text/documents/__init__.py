"""Documents as blocks that belong together, each with the lines it stands on and its headings."""
