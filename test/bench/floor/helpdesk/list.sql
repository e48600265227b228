-- $1 variable customer
select coalesce(json_agg(ticket), '[]')::text
from (
  select id, subject, status, priority, created_at
  from ticket
  where customer_id = $1::integer
  order by id
) as ticket
