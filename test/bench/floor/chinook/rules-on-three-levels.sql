-- $1 variable country
-- $2 session x-engine-user-id
-- Invoices and their lines hang on customers of the employee, so their own rules are fulfilled already.
select coalesce(json_agg(entry), '[]')::text
from (
  select customer."LastName", invoices."Invoices"
  from "Customer" as customer
  cross join lateral (
    select coalesce(json_agg(entry), '[]') as "Invoices"
    from (
      select invoice."InvoiceDate", invoice."Total", lines."InvoiceLines"
      from (
        select "InvoiceId", "InvoiceDate", "Total"
        from "Invoice"
        where "CustomerId" = customer."CustomerId"
        order by "InvoiceId"
        limit 5
      ) as invoice
      cross join lateral (
        select coalesce(
          json_agg(
            json_build_object('Quantity', line."Quantity", 'Track', json_build_object('Name', track."Name"))
            order by line."InvoiceLineId"
          ),
          '[]'
        ) as "InvoiceLines"
        from "InvoiceLine" as line
        join "Track" as track using ("TrackId")
        where line."InvoiceId" = invoice."InvoiceId"
      ) as lines
      order by invoice."InvoiceId"
    ) as entry
  ) as invoices
  where customer."SupportRepId" = $2::integer and customer."Country" = $1::text
  order by customer."CustomerId"
) as entry
