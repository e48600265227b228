-- $1 session x-engine-user-id
select coalesce(json_agg(customer), '[]')::text
from (
  select "CustomerId", "FirstName", "LastName", "Email", "City"
  from "Customer"
  where "SupportRepId" = $1::integer
  order by "CustomerId"
) as customer
