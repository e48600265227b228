-- $1 variable id
-- $2 variable subject
-- $3 session x-engine-tenant-id
update ticket
set subject = $2, updated_at = now()
where id = $1 and tenant_id = $3
  and exists (select from customer where customer.id = ticket.customer_id and customer.tenant_id = $3)
returning json_build_object('id', id, 'subject', subject, 'status', status)::text
