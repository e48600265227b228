-- $1 variable tenant
select row_to_json(answer)::text
from (
  select tenant.name, teams.teams
  from tenant
  cross join lateral (
    select coalesce(json_agg(entry), '[]') as teams
    from (
      select team.name, tickets.tickets
      from team
      cross join lateral (
        select coalesce(json_agg(entry), '[]') as tickets
        from (
          select
            ticket.subject,
            json_build_object('name', customer.name) as customer,
            case when assignee.id is not null then json_build_object('name', assignee.name) end as assignee
          from (
            select id, subject, customer_id, assignee_id
            from ticket
            where (tenant_id, team_id) = (team.tenant_id, team.id)
            order by id
            limit 10
          ) as ticket
          join customer on customer.id = ticket.customer_id
          left join agent as assignee on assignee.id = ticket.assignee_id
          order by ticket.id
        ) as entry
      ) as tickets
      where team.tenant_id = tenant.id
      order by team.id
    ) as entry
  ) as teams
  where tenant.id = $1::integer
) as answer
