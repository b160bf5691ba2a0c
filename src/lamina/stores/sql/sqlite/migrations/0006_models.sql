-- What a model has read of what was said, and the tokens that it took.

alter table message add column heard integer not null default 0;
create index message_waiting on message (session) where heard = 1;

create table spent (
  day text primary key,
  tokens integer not null
) without rowid;
