-- What is pinned, and the profile, found without reading all memories.

create index memory_standing on memory (partition) where pinned = 1 or category = 'profile';
