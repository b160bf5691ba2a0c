"""Other people's APIs on top of `Memory`: one file each."""
