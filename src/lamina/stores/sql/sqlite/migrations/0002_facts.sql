-- Facts: what they are about, when they happen, what was decided, and what is still to be read.

alter table memory add column topic text not null default '';
alter table memory add column happens_from integer;
alter table memory add column happens_to integer;
alter table memory add column confirmed integer;
create index memory_topic on memory (partition, topic) where topic <> '';
create index memory_happens on memory (partition, happens_from) where happens_from is not null;

create table decision (
  seq integer primary key autoincrement,
  partition integer not null references partition (id),
  at integer not null,
  action text not null,
  reason text not null,
  text text not null,
  memory text,
  target text,
  message text,
  detail text,
  waiting integer not null
);
create index decision_partition on decision (partition, seq);
create index decision_memory on decision (partition, memory);
create index decision_target on decision (partition, target) where target is not null;
create index decision_message on decision (partition, message);

create table unread (
  partition integer not null references partition (id),
  message integer not null,
  primary key (partition, message)
) without rowid;
create index unread_message on unread (message);
