-- $1 session x-engine-user-id
select coalesce(json_agg(customer), '[]')::text
from (
  select "Email" from "Customer" where "SupportRepId" = $1::integer
) as customer
