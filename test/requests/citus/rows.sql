insert into plan values ('free', 'Costs nothing'), ('team', 'Per agent');
insert into ticket_status values ('open', 'Nobody has answered'), ('pending', 'The customer is asked'), ('solved', 'Done');
insert into setting values ('theme', 'dark');
insert into tenant (name, plan) values ('Orbit', 'team'), ('Dune', 'free'), ('Reef', 'free');
insert into team (tenant_id, name) values (1, 'Orders'), (1, 'Repairs'), (2, 'Sand'), (3, 'Fish');
insert into agent (tenant_id, name, email) values
  (1, 'Ada', 'ada@orbit'), (1, 'Bob', 'bob@orbit'), (2, 'Cleo', 'cleo@dune'), (3, 'Dee', 'dee@reef');
insert into team_member values (1, 1, 1, true), (1, 2, 1, false), (1, 2, 2, true), (2, 3, 3, true);
insert into customer (tenant_id, name, email) values
  (1, 'Eve', 'eve@example'), (1, 'Finn', 'finn@example'), (2, 'Gus', 'gus@example'), (3, 'Hal', 'hal@example');
insert into ticket (tenant_id, customer_id, team_id, assignee_id, subject, status, votes, solved_at) values
  (1, 1, 1, 1, 'Broken lamp', 'open', 3, null),
  (1, 1, 2, 2, 'Lost parcel', 'solved', 1, '2026-01-02 12:00+00'),
  (1, 2, null, null, 'Wrong invoice', 'pending', 7, null),
  (2, 3, 3, 3, 'Too much sand', 'open', 2, null),
  (3, 4, 4, 4, 'No fish', 'solved', 5, '2026-01-01 15:30+00');
insert into message (tenant_id, ticket_id, agent_id, body, is_internal) values
  (1, 1, null, 'It flickers', false), (1, 1, 1, 'Which model?', false), (1, 1, 1, 'Third one this week', true),
  (1, 2, 2, 'Found it', false), (2, 4, null, 'Everywhere', false), (2, 4, 3, 'Sorry', false), (3, 5, 4, 'Sea', false);
insert into tag (tenant_id, name) values (1, 'urgent'), (1, 'billing'), (2, 'urgent');
insert into ticket_tag values (1, 1, 1), (1, 3, 2), (1, 3, 1), (2, 4, 3);
insert into article (tenant_id, author_id, title, published_at) values
  (1, 1, 'Changing a lamp', '2026-01-01 12:00+00'), (1, 2, 'Parcels', null), (2, 3, 'Living with sand', '2026-01-03 12:00+00');
insert into login (email) values ('ada@orbit'), ('cleo@dune');
refresh materialized view team_size;
