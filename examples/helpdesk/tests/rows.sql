-- Rows beside those of the example, so that every part of a rule has a row that only it holds back: --seed of engine test.
insert into ticket (id, tenant_id, customer_id, team_id, assignee_id, subject, status) values
  (80001, 1, 10, null, null, 'Taken by nobody', 'open'),
  (80002, 1, 11, 2, 3, 'Of another team', 'open'),
  (80003, 1, 11, 2, 2, 'Of another team, taken by agent 2', 'solved'),
  (80004, 2, 30, null, null, 'Of another tenant, taken by nobody', 'open'),
  (80005, 2, 30, 4, 2, 'Of another tenant, taken by agent 2', 'solved');
insert into message (id, ticket_id, author_agent_id, author_customer_id, body, is_internal)
select ticket.id, ticket.id, null, ticket.customer_id, 'Hello', false from ticket where ticket.id > 80000
union all select 10000 + ticket.id, ticket.id, 2, null, 'A note of agent 2', true from ticket where ticket.id > 80000
union all select 20000 + ticket.id, ticket.id, 3, null, 'A note of agent 3', true from ticket where ticket.id > 80000
union all select 30000 + ticket.id, ticket.id, 2, null, 'An answer of agent 2', false from ticket where ticket.id > 80000;
insert into attachment (message_id, file_name, content_type, byte_size, storage_key)
select id, 'file.pdf', 'application/pdf', 1, 'tests/' || id from message where id > 80000;
insert into ticket_event (ticket_id, kind)
select ticket.id, kind from ticket cross join (values ('created'), ('status_changed')) as event (kind) where ticket.id > 80000;
insert into rating (ticket_id, score) select id, 3 from ticket where id > 80000 and status = 'solved';
insert into ticket_tag (ticket_id, tag_id)
select id, case tenant_id when 1 then 5 else 9 end from ticket where id in (80001, 80004);
insert into article (id, tenant_id, category_id, author_id, title, slug, body, audience, published_at) values
  (80001, 1, 1, 2, 'A draft of agent 2', 'draft', '', 'everyone', null),
  (80002, 1, 1, 2, 'Published by agent 2', 'published', '', 'agents', timestamptz '2025-01-01 00:00Z'),
  (80003, 2, null, 2, 'A draft of agent 2 elsewhere', 'draft', '', 'everyone', null);
insert into article_feedback (article_id, customer_id, is_helpful) values (80002, 10, true), (80002, 30, false);
insert into saved_reply (id, tenant_id, team_id, title, body) values (80001, 2, 1, 'Of another tenant, for team 1', 'Hello');
