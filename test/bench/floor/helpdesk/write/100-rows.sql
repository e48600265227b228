-- $1 variable objects
-- $2 session x-engine-tenant-id
with written as (
  insert into ticket (subject, customer_id, priority, tenant_id)
  select given.subject, customer.id, given.priority, $2
  from json_to_recordset($1) as given (subject text, customer_id integer, priority text)
  join customer on customer.id = given.customer_id and customer.tenant_id = $2
  returning 1
)
select json_build_object('affected_rows', count(*))::text from written
