"""How well recall does: on conversations with known answers, and on questions of one's own."""
