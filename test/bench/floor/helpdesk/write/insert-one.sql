-- $1 variable subject
-- $2 variable customer
-- $3 session x-engine-tenant-id
insert into ticket (subject, customer_id, tenant_id)
select $1, id, $3
from customer
where id = $2 and tenant_id = $3
returning json_build_object('subject', subject, 'status', status, 'channel', channel)::text
