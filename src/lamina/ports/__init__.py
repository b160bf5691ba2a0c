"""What Lamina asks of the world outside: narrow protocols, and nothing else."""
