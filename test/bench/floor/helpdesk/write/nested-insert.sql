-- $1 variable subject
-- $2 variable customer
-- $3 session x-engine-tenant-id
insert into ticket (subject, customer_id, tenant_id)
select $1, id, $3
from customer
where id = $2 and tenant_id = $3
returning id
-- then
-- $1 result
-- $2 variable first
-- $3 variable second
-- $4 session x-engine-user-id
insert into message (ticket_id, author_agent_id, body)
values ($1, $4, $2), ($1, $4, $3)
-- then
-- $1 result
select json_build_object('subject', subject, 'messages', (
  select json_agg(json_build_object('body', body) order by message.id)
  from message
  where ticket_id = ticket.id
))::text
from ticket
where id = $1
