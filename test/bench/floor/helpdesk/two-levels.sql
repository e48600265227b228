-- $1 variable offset
select coalesce(json_agg(entry), '[]')::text
from (
  select ticket.subject, json_build_object('name', customer.name) as customer, messages.messages
  from (select id, subject, customer_id from ticket order by id limit 10 offset $1::bigint) as ticket
  join customer on customer.id = ticket.customer_id
  cross join lateral (
    select coalesce(json_agg(message), '[]') as messages
    from (select body, created_at from message where ticket_id = ticket.id order by id) as message
  ) as messages
  order by ticket.id
) as entry
