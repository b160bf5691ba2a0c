-- What was decided about what of a conversation is still sent.

create table compaction (
  session integer primary key references session (seq) on delete cascade,
  version integer not null,
  state text not null
);
