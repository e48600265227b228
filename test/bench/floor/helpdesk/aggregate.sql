-- $1 variable customer
-- $2 session x-engine-tenant-id
select json_build_object('aggregate', json_build_object(
  'count', count(*),
  'max', json_build_object('created_at', max(created_at)),
  'min', json_build_object('created_at', min(created_at))
))::text
from ticket
where tenant_id = $2::integer and customer_id = $1::integer
