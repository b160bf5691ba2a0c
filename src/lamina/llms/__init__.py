"""Adapters of the port `lamina.ports.llm`: one file each. No other code names a provider."""
