-- name: partition
-- The number and counters of a partition.
select id, counter, cut from partition where user = ? and agent = ?;

-- name: add_partition
-- A partition comes to be with its first write. Its counter begins behind that of any that was
-- dropped, so that no index takes the new one for the old.
insert into partition (user, agent, counter, cut)
select ?, ?, f.floor, f.floor
from (select coalesce((select value from meta where name = 'floor'), 0) as floor) f;

-- name: delete_partition
-- Erase a partition; its rows went before.
delete from partition where id = ?;

-- name: drop_vector
-- Of a partition that goes: its vectors.
delete from vector where partition = ?;

-- name: drop_pending
-- Of a partition that goes: what waits for vectors.
delete from pending where partition = ?;

-- name: drop_gone
-- Of a partition that goes: its log of deletions.
delete from gone where partition = ?;

-- name: drop_passage
-- Of a partition that goes: its passages.
delete from passage where partition = ?;

-- name: drop_history
-- Of a partition that goes: its memories' histories.
delete from history where partition = ?;

-- name: drop_event
-- Of a partition that goes: its events.
delete from event where partition = ?;

-- name: drop_decision
-- Of a partition that goes: its decisions.
delete from decision where partition = ?;

-- name: drop_unread
-- Of a partition that goes: what waits to be read.
delete from unread where partition = ?;

-- name: drop_tombstone
-- Of a partition that goes: its tombstones.
delete from tombstone where partition = ?;

-- name: drop_memory
-- Of a partition that goes: its memories.
delete from memory where partition = ?;

-- name: drop_message
-- Of a partition that goes: its messages.
delete from message where partition = ?;

-- name: drop_session
-- Of a partition that goes: its sessions.
delete from session where partition = ?;

-- name: partitions
-- All partitions, in order.
select user, agent from partition order by user, agent;

-- name: partitions_of
-- The partitions of one user.
select user, agent from partition where user = ? order by agent;

-- name: tick
-- Raise a partition's counter.
update partition set counter = counter + 1 where id = ? returning counter;

-- name: sequences
-- The last numbers given in the tables whose numbers are never used twice.
select name, seq from sqlite_sequence;

-- name: session_seq
-- The number of a session.
select seq from session where partition = ? and id = ?;

-- name: add_session
-- A session comes to be with its first message.
insert into session (partition, id, created) values (?, ?, ?) returning seq;

-- name: put_session
-- Set what is known of a session as a whole.
insert into session (partition, id, title, project, state, created) values (?, ?, ?, ?, ?, ?)
on conflict (partition, id) do update set
  title = excluded.title, project = excluded.project, state = excluded.state;

-- name: sessions
-- The sessions of a partition, with the time of the newest message and their number.
select s.id, s.created, s.title, s.project, s.state,
  (select at from message m where m.session = s.seq order by m.seq desc limit 1),
  (select count(*) from message m where m.session = s.seq)
from session s where s.partition = ?;

-- name: one_session
-- One session in the same form.
select s.id, s.created, s.title, s.project, s.state,
  (select at from message m where m.session = s.seq order by m.seq desc limit 1),
  (select count(*) from message m where m.session = s.seq)
from session s where s.partition = ? and s.id = ?;

-- name: known_messages
-- Those of the ids in a JSON list that messages have.
select m.id from json_each(?) given cross join message m where m.partition = ? and m.id = given.value;

-- name: add_message
-- Append a message.
insert into message (seq, partition, session, id, role, name, content, blocks, extra, metadata, at,
  zone, passage, passages, heard) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_large
-- A content that would swell the message's row.
insert into large (message, content) values (?, ?);

-- name: messages
-- A session's messages in order, between two numbers.
select m.id, s.id, m.role, coalesce(m.content, l.content), m.blocks, m.at, m.name, m.extra,
  m.metadata, m.zone, m.seq
from message m join session s on s.seq = m.session left join large l on l.message = m.seq
where m.session = ? and m.seq > ? and m.seq < ? order by m.seq limit ?;

-- name: newest_messages
-- The last of them, newest first.
select m.id, s.id, m.role, coalesce(m.content, l.content), m.blocks, m.at, m.name, m.extra,
  m.metadata, m.zone, m.seq
from message m join session s on s.seq = m.session left join large l on l.message = m.seq
where m.session = ? and m.seq > ? and m.seq < ? order by m.seq desc limit ?;

-- name: one_message
-- One message by its id.
select m.id, s.id, m.role, coalesce(m.content, l.content), m.blocks, m.at, m.name, m.extra,
  m.metadata, m.zone, m.seq
from message m join session s on s.seq = m.session left join large l on l.message = m.seq
where m.partition = ? and m.id = ?;

-- name: messages_by_seq
-- The messages of a JSON list of numbers.
select m.id, s.id, m.role, coalesce(m.content, l.content), m.blocks, m.at, m.name, m.extra,
  m.metadata, m.zone, m.seq
from json_each(?) given cross join message m on m.seq = given.value
  join session s on s.seq = m.session left join large l on l.message = m.seq;

-- name: unheard
-- A session's messages that no model has read: all from 0, those that wait for it from 1.
select m.id, s.id, m.role, coalesce(m.content, l.content), m.blocks, m.at, m.name, m.extra,
  m.metadata, m.zone, m.seq
from message m join session s on s.seq = m.session left join large l on l.message = m.seq
where m.session = ? and m.heard between ? and 1 order by m.seq;

-- name: to_hear
-- Sessions with at least so many user messages that wait for a model.
select p.user, p.agent, s.id from message m join session s on s.seq = m.session
  join partition p on p.id = m.partition
where m.heard = 1 and m.role = 'user' group by m.session having count(*) >= ? order by min(m.seq);

-- name: hear
-- A model has read a message that none had read.
update message set heard = 2 where partition = ? and id = ? and heard < 2;

-- name: message_ids
-- The ids of all messages of a session.
select m.id from message m join session s on s.seq = m.session where s.partition = ? and s.id = ?;

-- name: delete_session
-- Erase a session; its messages went before.
delete from session where partition = ? and id = ?;

-- name: compaction
-- What was decided about a session.
select c.version, c.state from compaction c join session s on s.seq = c.session
where s.partition = ? and s.id = ?;

-- name: put_compaction
-- Decide about a session anew.
insert into compaction (session, version, state) values (?, ?, ?)
on conflict (session) do update set version = excluded.version, state = excluded.state;

-- name: message_place
-- Where a message stands: its number, its session, its passages.
select seq, session, passage, passages from message where partition = ? and id = ?;

-- name: next_message
-- The passages of the message that follows in a session.
select passage, passages from message where session = ? and seq > ? order by seq limit 1;

-- name: delete_message
-- Erase a message; a large content goes with it.
delete from message where seq = ?;

-- name: one_memory
-- One memory by its id.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and id = ?;

-- name: memories_by_seq
-- The memories of a JSON list of numbers.
select y.id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed, y.seq
from json_each(?) given cross join memory y on y.seq = given.value;

-- name: memories
-- The first page of a partition's memories, newest first.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? order by id desc limit ?;

-- name: memories_behind
-- The page behind an id.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and id < ? order by id desc limit ?;

-- name: twins
-- Memories whose content hashes alike.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and content_hash = ? order by seq;

-- name: standing
-- Memories that are pinned or of the profile.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and (pinned = 1 or category = 'profile');

-- name: notes
-- Memories of the session layer.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and layer = 'session';

-- name: about
-- The memories with a topic. To ask for their order would keep SQLite from the topics' index.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and topic = ? and topic <> '';

-- name: happening
-- Memories of events between two times.
select id, content, created, layer, category, abstract, overview, importance, pinned, origin,
  sources, metadata, session, project, valid_from, valid_to, expires, updated, version,
  topic, happens_from, happens_to, confirmed
from memory where partition = ? and happens_from < ? and (happens_to > ? or happens_from >= ?)
order by happens_from, id;

-- name: memory_place
-- Where a memory stands: its number, version and passages.
select seq, version, passage, passages from memory where partition = ? and id = ?;

-- name: put_memory
-- Write a memory's row, the old one's number kept.
insert into memory (seq, partition, id, content, created, layer, category, abstract, overview,
  importance, pinned, origin, sources, metadata, session, project, valid_from, valid_to, expires,
  updated, version, topic, happens_from, happens_to, confirmed, passage, passages, content_hash)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (seq) do update set
  content = excluded.content, created = excluded.created, layer = excluded.layer,
  category = excluded.category, abstract = excluded.abstract, overview = excluded.overview,
  importance = excluded.importance, pinned = excluded.pinned, origin = excluded.origin,
  sources = excluded.sources, metadata = excluded.metadata, session = excluded.session,
  project = excluded.project, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
  expires = excluded.expires, updated = excluded.updated, version = excluded.version,
  topic = excluded.topic, happens_from = excluded.happens_from, happens_to = excluded.happens_to,
  confirmed = excluded.confirmed,
  passage = excluded.passage, passages = excluded.passages, content_hash = excluded.content_hash;

-- name: delete_memory
-- Erase a memory.
delete from memory where seq = ?;

-- name: add_history
-- One change of a memory.
insert into history (partition, memory, action, actor, at, before, after)
values (?, ?, ?, ?, ?, ?, ?);

-- name: history
-- All changes of a memory, oldest first.
select memory, action, actor, at, before, after from history
where partition = ? and memory = ? order by seq;

-- name: delete_history
-- Erase a memory's history.
delete from history where partition = ? and memory = ?;

-- name: changed
-- Changes of memories between two times.
select memory, action, actor, at, before, after from history
where partition = ? and at >= ? and at < ? order by at, seq;

-- name: add_event
-- Something was done.
insert into event (partition, at, name, payload) values (?, ?, ?, ?);

-- name: trim_events
-- Forget the oldest.
delete from event where seq <= (select max(seq) from event) - ?;

-- name: events
-- What was done between two times.
select at, name, payload from event where partition = ? and at >= ? and at < ? order by at, seq;

-- name: add_decision
-- Note a decision.
insert into decision
  (partition, at, action, reason, text, memory, target, message, detail, waiting)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: change_decision
-- Another decision in place of an older one.
update decision set at = ?, action = ?, reason = ?, text = ?, memory = ?, target = ?, message = ?,
  detail = ?, waiting = ? where seq = ? and partition = ?;

-- name: decisions
-- Decisions behind a number, in order.
select at, action, reason, text, memory, target, message, detail, waiting, seq
from decision where partition = ? and seq > ? and waiting >= ? order by seq limit ?;

-- name: decisions_of
-- Those of them that name a memory or message, each by its index.
select at, action, reason, text, memory, target, message, detail, waiting, seq
from decision where seq > ?2 and waiting >= ?3 and ((partition = ?1 and memory = ?5)
  or (partition = ?1 and target = ?5) or (partition = ?1 and message = ?5)) order by +seq limit ?4;

-- name: delete_decisions_of_memory
-- Erase what was decided about a memory. An `or` would read all decisions; each half has an index.
delete from decision where seq in (select seq from decision where partition = ?1 and memory = ?2
  union all select seq from decision where partition = ?1 and target = ?2);

-- name: delete_decisions_of_message
-- Erase what was decided about a message's words.
delete from decision where partition = ? and message = ?;

-- name: add_unread
-- A message waits to be read.
insert or ignore into unread (partition, message) values (?, ?);

-- name: delete_unread
-- A message no longer waits to be read.
delete from unread where partition = ? and message = ?;

-- name: unread
-- Messages of a partition that wait to be read, oldest first.
select message from unread where partition = ? order by message limit ?;

-- name: all_unread
-- Messages that wait to be read, of all partitions.
select p.user, p.agent, u.message from unread u join partition p on p.id = u.partition
order by u.message limit ?;

-- name: add_tombstone
-- Remember that a claim was deleted.
insert or ignore into tombstone (partition, claim) values (?, ?);

-- name: has_tombstone
-- Whether a claim was deleted.
select 1 from tombstone where partition = ? and claim = ?;

-- name: add_passage
-- A passage of a message or a memory.
insert into passage (seq, partition, message, memory, start, stop, embed, redactor, script, terms)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: delete_passages
-- Erase passages by their numbers.
delete from passage where seq >= ? and seq < ?;

-- name: add_pending
-- A passage waits for its vectors.
insert or ignore into pending (partition, passage) values (?, ?);

-- name: wait_anew
-- A passage waits for its vectors again, if it is to have any.
insert or ignore into pending (partition, passage)
select partition, seq from passage where seq = ? and embed = 1;

-- name: add_gone
-- A passage is gone.
insert into gone (partition, counter, passage) values (?, ?, ?);

-- name: trim_gone
-- Forget old deletions; who has not seen them starts anew.
delete from gone where partition = ? and counter < ?;

-- name: set_cut
-- From where on the log of deletions is whole.
update partition set cut = max(cut, ?) where id = ?;

-- name: rows
-- Passages newer than a number, with what an index wants to know of them.
select p.seq, coalesce(p.message, p.memory),
  case when p.message is null then 'memory' else 'message' end,
  coalesce(y.layer, 'session'), coalesce(m.role, y.origin), m.name,
  coalesce(s.id, y.session), coalesce(m.at, y.valid_from, y.created), coalesce(y.importance, 0.5), p.script,
  coalesce(y.category, ''), p.terms
from passage p left join message m on m.seq = p.message left join session s on s.seq = m.session
  left join memory y on y.seq = p.memory
where p.partition = ? and p.seq > ? order by p.seq limit ?;

-- name: vectors
-- Vectors newer than a number, of one space.
select v.id, v.passage, v.data from vector v
where v.partition = ? and v.id > ? and v.space = (select id from space where name = ?)
order by v.id limit ?;

-- name: last_vector
-- The newest vector of a partition, of any space.
select max(id) from vector where partition = ?;

-- name: gone_since
-- Deletions since a counter.
select passage from gone where partition = ? and counter > ?;

-- name: passages
-- The passages of a JSON list of numbers, within their partition, in its order.
select p.seq, message, memory, start, stop, embed, redactor
from json_each(?) given cross join passage p on p.seq = given.value where partition = ?;

-- name: pending
-- Passages of a partition that wait, newest first.
select passage from pending where partition = ? order by passage desc limit ?;

-- name: all_pending
-- Passages that wait, of all partitions.
select p.user, p.agent, q.passage from pending q join partition p on p.id = q.partition
order by q.passage desc limit ?;

-- name: delete_pending
-- A passage no longer waits.
delete from pending where partition = ? and passage = ?;

-- name: delete_pending_range
-- Passages no longer wait, by their numbers.
delete from pending where partition = ? and passage >= ? and passage < ?;

-- name: add_space
-- A space by its name.
insert or ignore into space (name) values (?);

-- name: space
-- The number of a space.
select id from space where name = ?;

-- name: wait_for_space
-- All embeddable passages without a vector of this space wait for one.
insert or ignore into pending (partition, passage)
select partition, seq from passage p where embed = 1
  and not exists (select 1 from vector v where v.passage = p.seq and v.space = ?);

-- name: wait_no_more
-- Passages that have a vector of this space do not wait.
delete from pending where exists
  (select 1 from vector v where v.passage = pending.passage and v.space = ?);

-- name: tick_all
-- Every partition changed.
update partition set counter = counter + 1;

-- name: add_vector
-- The vectors of a passage; newer ones get a newer number, so that readers see them.
insert or replace into vector (partition, passage, space, data)
select ?, ?, ?, ? where exists (select 1 from passage where seq = ? and partition = ?);

-- name: delete_vectors
-- Erase the vectors of passages by their numbers.
delete from vector where passage >= ? and passage < ?;

-- name: delete_other_spaces
-- Erase the vectors of every other space.
delete from vector where space not in (select id from space where name = ?);

-- name: meta
-- A value about the store itself.
select value from meta where name = ?;

-- name: set_meta
-- Set a value about the store itself.
insert or replace into meta (name, value) values (?, ?);

-- name: add_job
-- A job, once.
insert or ignore into job (kind, key, payload) values (?, ?, ?);

-- name: due_jobs
-- Jobs that are due and not held, oldest first.
select id, kind, key, payload, attempts, error from job
where due <= ? and leased <= ? order by id;

-- name: lease_job
-- Hold a job until a time.
update job set owner = ?, leased = ?, attempts = attempts + 1 where id = ?;

-- name: finish_job
-- A job is done, if it is still held by its owner.
delete from job where id = ? and owner = ? and leased > 0;

-- name: retry_job
-- Give a job back.
update job set owner = null, leased = 0, due = ?, error = ? where id = ? and owner = ?;

-- name: jobs
-- All jobs that are not done.
select id, kind, key, payload, attempts, error from job order by id;

-- name: hold_job
-- Hold a job longer, if it is still held.
update job set leased = ? where id = ? and owner = ? and leased > 0;

-- name: named_job
-- A job by its kind and key, if it is not held.
select id, kind, key, payload, attempts, error from job where kind = ? and key = ? and leased <= ?;

-- name: spend
-- Count tokens of a day.
insert into spent (day, tokens) values (?, ?)
on conflict (day) do update set tokens = tokens + excluded.tokens;

-- name: spent
-- The tokens of a day.
select tokens from spent where day = ?;

-- name: counts
-- How much a partition holds.
select
  (select count(*) from session where partition = ?1),
  (select count(*) from message where partition = ?1),
  (select count(*) from memory where partition = ?1),
  (select count(*) from passage where partition = ?1),
  (select count(*) from vector v where v.partition = ?1
    and v.space = (select id from space where name = (select value from meta where name = 'space'))),
  (select count(*) from pending where partition = ?1);
