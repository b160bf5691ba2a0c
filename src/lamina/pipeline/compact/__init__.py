"""Keeping what is sent to a model within its budget, valid, and complete in what matters.

`groups` tells calls and their results apart and mends them, `results` shows long results in part,
`summary` and `by_model` write down what leaves, `window` is what is sent now, `stages` decides.
All of it is pure: messages and what was decided before go in, values come out.
"""
