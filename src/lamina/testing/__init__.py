"""For authors of stores, embedders and tests: contracts, fakes, faults and strategies.

`contracts.StoreContract` is the test class that every store passes. `fakes` stand in for a clock
and an embedder, `faults` for embedders that fail. `strategies` needs the package `hypothesis`.
`validity` says what a provider would refuse of a list of messages.
"""
