"""How right the facts are that are drawn from talk: generators, replay and measure."""
