"""Embedders: text to vectors. Each keeps the contract of lamina.ports.embedder."""
