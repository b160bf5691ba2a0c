-- What was done, for the log; changes of memories by their time; notes of conversations.

create table event (
  seq integer primary key autoincrement,
  partition integer not null references partition (id),
  at integer not null,
  name text not null,
  payload text
);
create index event_partition on event (partition, at);
create index history_at on history (partition, at);
create index memory_notes on memory (partition) where layer = 'session';
