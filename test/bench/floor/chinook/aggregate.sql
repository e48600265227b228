-- $1 variable customer
select json_build_object(
  'aggregate', json_build_object(
    'count', count(*),
    'sum', json_build_object('Total', sum("Total")),
    'avg', json_build_object('Total', avg("Total")),
    'max', json_build_object('InvoiceDate', max("InvoiceDate"), 'Total', max("Total"))
  ),
  'nodes', coalesce(json_agg(json_build_object('InvoiceId', "InvoiceId", 'Total', "Total")), '[]')
)::text
from "Invoice"
where "CustomerId" = $1::integer
