-- $1 session x-engine-tenant-id
-- $2 session x-engine-user-id
-- Messages hang on tickets of the agent, so their own rule is fulfilled already.
select coalesce(json_agg(entry), '[]')::text
from (
  select
    ticket.subject,
    case when customer.id is not null then json_build_object('name', customer.name) end as customer,
    messages.messages
  from (
    select id, subject, customer_id
    from ticket
    where tenant_id = $1::integer
      and (
        assignee_id = $2::integer
        or team_id is null
        or exists (
          select 1
          from team
          join team_member on team_member.team_id = team.id
          where team.tenant_id = ticket.tenant_id and team.id = ticket.team_id and team_member.agent_id = $2::integer
        )
      )
    order by id
    limit 10
  ) as ticket
  left join customer on customer.id = ticket.customer_id and customer.tenant_id = $1::integer
  cross join lateral (
    select coalesce(json_agg(message), '[]') as messages
    from (select body from message where ticket_id = ticket.id order by id) as message
  ) as messages
  order by ticket.id
) as entry
