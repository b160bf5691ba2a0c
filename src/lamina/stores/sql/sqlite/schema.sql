-- The schema of a fresh store. Migrations lead to the same one, and a test compares them.
-- Times are microseconds since 1970 in UTC. An empty JSON mapping is kept as null.

create table meta (
  name text primary key,
  value blob not null
) without rowid;

create table partition (
  id integer primary key,
  user text not null,
  agent text not null,
  counter integer not null default 0, -- raised by every write
  cut integer not null default 0,     -- the log `gone` reaches back to here
  unique (user, agent)
);

create table session (
  seq integer primary key,
  partition integer not null references partition (id),
  id text not null,
  title text not null default '',
  project text,
  state text,
  created integer not null,
  unique (partition, id)
);

create table compaction (
  session integer primary key references session (seq) on delete cascade,
  version integer not null,
  state text not null
);

create table message (
  seq integer primary key autoincrement,
  partition integer not null references partition (id),
  session integer not null references session (seq),
  id text not null,
  role text not null,
  name text,
  content text,            -- null: it stands in `large`
  blocks integer not null, -- 1: the content is JSON, a list of blocks
  extra text,
  metadata text,
  at integer not null,
  zone text not null,
  passage integer not null,  -- its passages are numbered from here
  passages integer not null, -- and are so many
  heard integer not null default 0, -- 1: waits for a model to read it, 2: one has
  unique (partition, id)
);
create index message_session on message (session, seq);
create index message_waiting on message (session) where heard = 1;

create table large (
  message integer primary key references message (seq) on delete cascade,
  content text not null
);

create table memory (
  seq integer primary key autoincrement,
  partition integer not null references partition (id),
  id text not null,
  layer text not null,
  category text not null,
  origin text not null,
  importance real not null,
  pinned integer not null,
  content text not null,
  abstract text not null,
  overview text not null,
  sources text,
  metadata text,
  session text,
  project text,
  created integer not null,
  updated integer,
  valid_from integer,
  valid_to integer,
  expires integer,
  version integer not null,
  passage integer not null,
  passages integer not null,
  content_hash integer not null, -- finds exact twins
  topic text not null default '',
  happens_from integer,
  happens_to integer,
  confirmed integer,
  unique (partition, id)
);
create index memory_twin on memory (partition, content_hash);
create index memory_topic on memory (partition, topic) where topic <> '';
create index memory_happens on memory (partition, happens_from) where happens_from is not null;
create index memory_standing on memory (partition) where pinned = 1 or category = 'profile';
create index memory_notes on memory (partition) where layer = 'session';

create table decision (
  seq integer primary key autoincrement, -- never used twice: readers ask for what is newer
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

create table history (
  seq integer primary key,
  partition integer not null references partition (id),
  memory text not null,
  action text not null,
  actor text not null,
  at integer not null,
  before text,
  after text
);
create index history_memory on history (partition, memory);
create index history_at on history (partition, at);

create table event (
  seq integer primary key autoincrement,
  partition integer not null references partition (id),
  at integer not null,
  name text not null,
  payload text
);
create index event_partition on event (partition, at);

create table tombstone (
  partition integer not null references partition (id),
  claim blob not null,
  primary key (partition, claim)
) without rowid;

create table passage (
  seq integer primary key autoincrement, -- never used twice: readers ask for what is newer
  partition integer not null references partition (id),
  message integer, -- one of the two is set
  memory integer,
  start integer not null,
  stop integer not null,
  embed integer not null,
  redactor integer not null,
  script text not null,
  terms blob not null
);
create index passage_partition on passage (partition);

create table vector (
  id integer primary key autoincrement,
  partition integer not null references partition (id),
  passage integer not null,
  space integer not null references space (id),
  data blob not null
);
create index vector_partition on vector (partition);
create unique index vector_passage on vector (passage, space);

create table space (
  id integer primary key,
  name text not null unique
);

create table pending (
  partition integer not null references partition (id),
  passage integer not null,
  primary key (partition, passage)
) without rowid;

create table gone (
  partition integer not null references partition (id),
  counter integer not null,
  passage integer not null,
  primary key (partition, counter, passage)
) without rowid;

create table job (
  id integer primary key autoincrement,
  kind text not null,
  key text not null,
  payload text,
  attempts integer not null default 0,
  error text not null default '',
  due integer not null default 0,
  owner text,
  leased integer not null default 0, -- until when the owner holds it
  unique (kind, key)
);

create table spent (
  day text primary key,
  tokens integer not null
) without rowid;
