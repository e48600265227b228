-- $1 variable id
select row_to_json(ticket)::text
from (select id, subject, status, priority, created_at from ticket where id = $1::integer) as ticket
