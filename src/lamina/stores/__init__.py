"""Stores: where rows live. Each keeps the contract of lamina.ports.store."""
