-- $1 session x-engine-tenant-id
-- $2 session x-engine-user-id
select coalesce(json_agg(ticket), '[]')::text
from (
  select id, subject, status, priority, created_at
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
  limit 20
) as ticket
