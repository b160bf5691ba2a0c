"""Rerankers: how well texts answer a question. Each keeps the contract of its port."""
