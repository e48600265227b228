-- Rows to play with: three tenants, 51 customers, 180 tickets. The same rows every time: the dice are loaded, and the
-- calendar ends in mid-March 2025.

-- A number from 0 to sides - 1 that looks like chance and is the same every time.
create function pg_temp.dice(what text, n integer, sides integer) returns integer
language sql immutable as $$
  select ('x' || left(md5(what || n), 7))::bit(28)::integer % sides
$$;

insert into plan values
  ('free', 'One team, no guarantees'),
  ('team', 'Up to ten agents'),
  ('business', 'Any number of agents, answers within a day');

insert into ticket_status values
  ('open', 'Waits for an agent'),
  ('pending', 'Waits for the customer'),
  ('solved', 'Answered; the customer may reopen it'),
  ('closed', 'Done for good');

insert into ticket_priority values
  ('low', 'Whenever there is time'),
  ('normal', 'In turn'),
  ('high', 'Before the others'),
  ('urgent', 'Now');

insert into tenant (id, name, subdomain, plan, billing_email, created_at) values
  (1, 'Alpenglow Outfitters', 'alpenglow', 'business', 'accounts@alpenglow.example', '2023-05-02 08:00+00'),
  (2, 'Brightline Energy', 'brightline', 'team', 'finance@brightline.example', '2023-11-20 09:30+00'),
  (3, 'Paperboat Studio', 'paperboat', 'free', 'hello@paperboat.example', '2024-08-12 14:15+00');

insert into team (id, tenant_id, name) values
  (1, 1, 'Orders'), (2, 1, 'Repairs'), (3, 1, 'Returns'),
  (4, 2, 'Billing'), (5, 2, 'Outages'),
  (6, 3, 'Studio');

insert into agent (id, tenant_id, name, email, signature, is_active, hourly_cost, password_hash, created_at)
select id, tenant_id, name, lower(split_part(name, ' ', 1)) || '@' || subdomain || '.example', signature, is_active,
  hourly_cost, 'scrypt$' || md5('password of agent ' || id), tenant.created_at + id * interval '9 days'
from (values
  (1, 1, 'Mara Lindqvist', 'Warm regards from the mountains, Mara', true, 34.00),
  (2, 1, 'Jonas Weber', 'Jonas, Alpenglow Orders', true, 29.50),
  (3, 1, 'Priya Raman', 'Priya, Alpenglow Repairs', true, 31.00),
  (4, 1, 'Tomás Herrera', null, true, 27.00),
  (5, 1, 'Elin Haugen', null, false, 27.00),
  (6, 2, 'Grace Okafor', 'Grace Okafor, Brightline Billing', true, 36.00),
  (7, 2, 'Viktor Havel', 'Keeping the lights on, Viktor', true, 33.00),
  (8, 2, 'Aiko Tanaka', null, true, 30.00),
  (9, 2, 'Samuel Adler', null, true, 30.00),
  (10, 3, 'Noor de Vries', 'xo Noor', true, null),
  (11, 3, 'Ben Carver', null, true, null)
) as agent (id, tenant_id, name, signature, is_active, hourly_cost)
join (select id as tenant_id, subdomain, created_at from tenant) as tenant using (tenant_id);

insert into team_member (team_id, agent_id, is_lead, joined_at) values
  (1, 1, true, '2023-05-15'), (1, 2, false, '2023-06-01'), (1, 4, false, '2024-01-08'),
  (2, 3, true, '2023-06-01'), (2, 4, false, '2024-03-18'),
  (3, 1, false, '2023-09-04'), (3, 5, true, '2023-07-03'),
  (4, 6, true, '2024-01-15'), (4, 8, false, '2024-02-01'),
  (5, 7, true, '2024-01-15'), (5, 9, false, '2024-05-02'), (5, 8, false, '2024-06-10'),
  (6, 10, true, '2024-11-11'), (6, 11, false, '2024-11-18');

-- Customers 1–24 belong to Alpenglow, 25–42 to Brightline, 43–51 to Paperboat.
insert into customer (id, tenant_id, name, email, phone, is_verified, internal_notes, created_at)
select
  id,
  case when id <= 24 then 1 when id <= 42 then 2 else 3 end,
  first_name || ' ' || last_name,
  lower(first_name || '.' || last_name || id) || '@mail.example',
  case when id % 3 = 0 then '+49 30 555 ' || lpad((id * 37 % 1000)::text, 4, '0') end,
  pg_temp.dice('verified', id, 4) > 0,
  case id % 9
    when 1 then 'Prefers to be called in the morning.'
    when 5 then 'Has threatened with a lawyer twice; stay factual.'
    when 8 then 'Long-standing customer, be generous.'
  end,
  timestamptz '2024-09-01 10:00+00' + id * interval '67 hours'
from generate_series(1, 51) as id
cross join lateral (select
  (array['Hannah', 'Luis', 'Amara', 'Felix', 'Ingrid', 'Omar', 'Chloe', 'Mateusz', 'Sofia', 'Dylan', 'Yuki', 'Nadia',
    'Peter', 'Leila', 'Marco', 'Astrid', 'Kwame'])[1 + pg_temp.dice('first', id, 17)] as first_name,
  (array['Brandt', 'Moreau', 'Silva', 'Novak', 'Lindgren', 'Haddad', 'Keller', 'O''Brien', 'Rossi', 'Yilmaz', 'Mensah',
    'Fischer', 'Kowalska'])[1 + pg_temp.dice('last', id, 13)] as last_name) as name;

insert into tag (id, tenant_id, name, color) values
  (1, 1, 'delivery', '#2f7ed8'), (2, 1, 'damaged', '#c0392b'), (3, 1, 'refund', '#8e44ad'),
  (4, 1, 'sizing', '#16a085'), (5, 1, 'spam', '#7f8c8d'),
  (6, 2, 'invoice', '#2f7ed8'), (7, 2, 'meter', '#d68910'), (8, 2, 'outage', '#c0392b'), (9, 2, 'spam', '#7f8c8d'),
  (10, 3, 'custom work', '#8e44ad'), (11, 3, 'shipping', '#2f7ed8');

-- What people ask, per tenant, and what they are told. {n} becomes an order or contract number.
create temporary table topic (
  tenant_id integer, number integer, team_id integer, tag_id integer, subject text, question text, answer text
) on commit drop;
insert into topic values
  (1, 0, 1, 1, 'Order {n} has not arrived', 'The tracking page has shown the same depot for six days. Is my parcel lost?', 'The carrier lost the trace. A new parcel leaves our warehouse today, at no cost to you.'),
  (1, 1, 2, 2, 'Tent pole snapped, order {n}', 'The middle pole of the Ridge 2 broke on its second night, in hardly any wind.', 'That should not happen. A reinforced pole is on its way; keep the old one.'),
  (1, 2, 3, 3, 'Refund for returned boots, {n}', 'I sent the boots back two weeks ago and have not seen the money yet.', 'The refund was booked this morning and reaches your account within three days.'),
  (1, 3, 1, 4, 'Which size for the Glacier jacket?', 'I am between M and L and wear a fleece underneath. What would you advise?', 'Take the L: the Glacier is cut close, and the fleece wants room.'),
  (1, 4, 2, 2, 'Zip of sleeping bag stuck ({n})', 'The zip catches the lining every few centimetres.', 'Please send it in with the label attached here; we replace the slider.'),
  (1, 5, 1, 1, 'Change of address for order {n}', 'I have moved. Can the parcel still go to the new address?', 'Done: the parcel goes to the new address.'),
  (1, 6, 3, 3, 'Wrong colour delivered, {n}', 'I ordered moss green and got orange. Very orange.', 'Our mistake. The green one is on its way; give the orange one to the same driver.'),
  (1, 7, null, 5, 'Grow your web shop traffic now', 'Dear Sir, we offer 10,000 quality visitors a month.', 'Closed as spam.'),
  (2, 0, 4, 6, 'Invoice {n} is twice as high as usual', 'Nothing has changed in my flat. How can it be 214 euros?', 'The reading was estimated. With the figure you sent it comes to 101.30 euros; a new invoice follows.'),
  (2, 1, 5, 8, 'No power since this morning', 'The whole street is dark since 6:40. When will it be back?', 'A cable was cut at a building site. Power is back since 9:15; we are sorry for the cold coffee.'),
  (2, 2, 4, 7, 'Meter reading for contract {n}', 'Here is my reading: 48,211. The web form refuses it.', 'Thank you, it is entered. The form expected five digits without a comma.'),
  (2, 3, 4, 6, 'Change of bank account, contract {n}', 'Please use my new account from next month on.', 'The new account is used from the first of next month.'),
  (2, 4, 5, 8, 'Lights flicker in the evening', 'Between seven and nine the lights flicker, in all rooms.', 'Our technician tightened a loose clamp in the junction box. Tell us if it comes back.'),
  (2, 5, null, 7, 'Moving out, contract {n}', 'I move out at the end of the month. What do you need from me?', 'The reading of the last day and your new address; the final invoice goes there.'),
  (3, 0, 6, 10, 'Wedding cards, 80 pieces', 'Could you print our cards on the rough paper, with a deckle edge?', 'Yes, and we would love to. A proof is attached.'),
  (3, 1, 6, 11, 'Parcel {n} got wet', 'The box was soaked and the notebooks are wavy.', 'Oh no. New ones leave today, this time in a waxed wrapper.'),
  (3, 2, null, 10, 'Logo stamp possible?', 'Can you make a rubber stamp from this drawing?', 'We can, up to 6 cm wide. The price is 28 euros.');

-- Tickets 1–90 belong to Alpenglow, 91–150 to Brightline, 151–180 to Paperboat.
insert into ticket (id, tenant_id, customer_id, team_id, assignee_id, subject, status, priority, channel, created_at,
  updated_at, solved_at)
select
  id, tenant_id,
  case tenant_id
    when 1 then 1 + pg_temp.dice('customer', id, 24)
    when 2 then 25 + pg_temp.dice('customer', id, 18)
    else 43 + pg_temp.dice('customer', id, 9)
  end,
  team_id,
  case when team_id is not null and pg_temp.dice('assigned', id, 7) > 0 then
    (select agent_id
     from team_member join agent on agent.id = agent_id
     where team_member.team_id = topic.team_id and agent.is_active
     order by pg_temp.dice('agent', ticket_id + agent_id, 100), agent_id
     limit 1)
  end,
  replace(topic.subject, '{n}', 'A' || (20000 + id * 37)),
  status,
  (array['normal', 'normal', 'low', 'high', 'normal', 'normal', 'urgent'])[1 + pg_temp.dice('priority', id, 7)],
  (array['web', 'email', 'web', 'phone'])[1 + pg_temp.dice('channel', id, 4)],
  created_at,
  created_at + interval '5 hours' * (1 + id % 6),
  case when status in ('solved', 'closed') then created_at + interval '5 hours' * (1 + id % 6) end
from generate_series(1, 180) as id
cross join lateral (select id as ticket_id, case when id <= 90 then 1 when id <= 150 then 2 else 3 end as tenant_id) as owner
cross join lateral (select count(*)::integer as topics from topic where topic.tenant_id = owner.tenant_id) as known
join topic using (tenant_id)
cross join lateral (select
  timestamptz '2025-03-14 16:00+00' - ((id * 53) % 180) * interval '11 hours' as created_at,
  case
    when topic.subject like 'Grow your%' then 'closed'
    when (id * 53) % 180 < 20 then 'open'
    else (array['solved', 'closed', 'pending', 'closed', 'open', 'solved'])[1 + pg_temp.dice('status', id, 6)]
  end as status) as state
where topic.number = pg_temp.dice('topic', id, topics)
order by id;

-- The question, an internal note now and then, the answer, and a thank-you.
insert into message (ticket_id, author_customer_id, author_agent_id, body, is_internal, created_at)
select ticket.id, message.author_customer_id, message.author_agent_id, message.body, message.is_internal,
  ticket.created_at + message.after
from ticket
join topic on topic.tenant_id = ticket.tenant_id
  and split_part(ticket.subject, 'A2', 1) = split_part(topic.subject, '{n}', 1)
join customer on customer.id = ticket.customer_id
cross join lateral (values
  (1, true, customer.id, null, topic.question, false, interval '0'),
  (2, pg_temp.dice('note', ticket.id, 3) = 0 and ticket.assignee_id is not null, null, ticket.assignee_id,
    (array['Third case this week, see the supplier''s bulletin.', 'Looked at the history: was right last time, too.',
      'I take this one.'])[1 + pg_temp.dice('which note', ticket.id, 3)], true, interval '40 minutes'),
  (3, ticket.status <> 'open' and ticket.assignee_id is not null, null, ticket.assignee_id, topic.answer, false, interval '2 hours'),
  (4, ticket.status in ('solved', 'closed') and pg_temp.dice('thanks', ticket.id, 2) = 0 and ticket.assignee_id is not null, customer.id, null,
    (array['That was quick, thank you!', 'Thanks, that solves it.', 'Perfect.'])[1 + ticket.id % 3], false, interval '3 hours')
) as message (position, is_sent, author_customer_id, author_agent_id, body, is_internal, after)
where message.is_sent
order by ticket.id, message.position;

insert into attachment (id, message_id, file_name, content_type, byte_size, storage_key, created_at)
select md5('attachment ' || message.id)::uuid, message.id,
  (array['photo.jpg', 'invoice.pdf', 'screenshot.png'])[1 + message.id % 3],
  (array['image/jpeg', 'application/pdf', 'image/png'])[1 + message.id % 3],
  40000 + message.id * 7919 % 900000,
  'uploads/' || md5('key ' || message.id),
  message.created_at
from message
where author_customer_id is not null and id % 4 = 0;

insert into ticket_tag (ticket_id, tag_id)
select ticket.id, topic.tag_id
from ticket
join topic on topic.tenant_id = ticket.tenant_id
  and split_part(ticket.subject, 'A2', 1) = split_part(topic.subject, '{n}', 1);

insert into ticket_event (ticket_id, agent_id, kind, details, created_at)
select ticket.id, event.agent_id, event.kind, event.details, event.created_at
from ticket
cross join lateral (values
  (1, true, null::integer, 'created', jsonb_build_object('channel', channel), created_at),
  (2, assignee_id is not null, assignee_id, 'assigned', jsonb_build_object('to', assignee_id), created_at + interval '25 minutes'),
  (3, priority = 'urgent', null, 'priority_changed', '{"from": "normal", "to": "urgent"}', created_at + interval '30 minutes'),
  (4, solved_at is not null, assignee_id, 'status_changed', jsonb_build_object('from', 'open', 'to', status), solved_at)
) as event (position, happened, agent_id, kind, details, created_at)
where event.happened
order by ticket.id, event.position;

insert into rating (ticket_id, score, comment, created_at)
select id, score,
  case score when 5 then 'Friendly and fast.' when 2 then 'Took too long.' when 1 then 'I had to ask three times.' end,
  solved_at + interval '1 day'
from ticket
cross join lateral (select (array[5, 4, 5, 3, 5, 2, 4, 1])[1 + pg_temp.dice('score', id, 8)] as score) as given
where solved_at is not null and pg_temp.dice('rated', id, 3) > 0 and subject not like 'Grow your%';

insert into saved_reply (id, tenant_id, team_id, title, body) values
  (1, 1, null, 'Greeting', 'Thank you for writing to Alpenglow. We answer within one working day.'),
  (2, 1, 1, 'Parcel traced', 'We asked the carrier to trace your parcel and come back to you within two days.'),
  (3, 1, 2, 'Send it in', 'Please send the piece to our workshop; the label is attached.'),
  (4, 1, 3, 'Refund booked', 'Your refund is booked and reaches you within three working days.'),
  (5, 2, null, 'Greeting', 'Thank you for your message to Brightline.'),
  (6, 2, 4, 'Reading wanted', 'Please send us a photo of your meter so that we can correct the invoice.'),
  (7, 2, 5, 'Known outage', 'We know of the outage in your street; a crew is on its way.'),
  (8, 3, null, 'Proof attached', 'Your proof is attached. Tell us what to change, or that you like it.');

insert into category (id, tenant_id, parent_id, name, position) values
  (1, 1, null, 'Orders and delivery', 1), (2, 1, 1, 'Returns', 1), (3, 1, null, 'Care and repair', 2),
  (4, 2, null, 'Invoices', 1), (5, 2, 4, 'Meter readings', 1), (6, 2, null, 'Outages', 2),
  (7, 3, null, 'Ordering', 1);

insert into article (id, tenant_id, category_id, author_id, title, slug, audience, published_at, updated_at, body)
select id, tenant_id, category_id, author_id, title, trim(both '-' from regexp_replace(lower(title), '[^a-z0-9]+', '-', 'g')),
  audience, published_at, coalesce(published_at, timestamptz '2025-03-10 12:00+00') + id * interval '3 hours', body
from (values
  (1, 1, 1, 2, 'Where is my parcel?', 'everyone', timestamptz '2024-02-01 09:00+00', 'Parcels leave our warehouse within one working day. The link in your confirmation shows where yours is.'),
  (2, 1, 1, 2, 'Changing the address of an order', 'everyone', '2024-02-03 09:00+00', 'Until the parcel is handed to the carrier we can change its address. Write to us with the order number.'),
  (3, 1, 2, 1, 'Sending something back', 'everyone', '2024-02-10 09:00+00', 'You have sixty days. Print the label in your account and hand the parcel to any shop of the carrier.'),
  (4, 1, 2, 1, 'When will I get my refund?', 'customers', '2024-03-01 09:00+00', 'Refunds are booked when the parcel reaches us, and arrive within three working days.'),
  (5, 1, 3, 3, 'Washing a down jacket', 'everyone', '2024-04-12 09:00+00', 'Wash it cold with soap for down, rinse twice, and dry it with two tennis balls.'),
  (6, 1, 3, 3, 'Sealing the seams of a tent', 'everyone', '2024-05-20 09:00+00', 'Clean the seam, apply the sealant thinly, and let it dry for a day.'),
  (7, 1, 3, 3, 'Repairs under the lifetime promise', 'customers', '2024-06-02 09:00+00', 'Whatever we made, we mend. Customers pay the postage, we pay the rest.'),
  (8, 1, 3, 4, 'When to replace instead of repair', 'agents', '2024-06-15 09:00+00', 'Replace if the repair takes more than ninety minutes, or for the third repair of the same piece.'),
  (9, 1, 1, 4, 'Delivery to islands', 'everyone', null, 'Draft: ask logistics for the new prices.'),
  (10, 2, 4, 6, 'How to read your invoice', 'everyone', '2024-01-20 10:00+00', 'The first page shows what you pay, the second page what you used, the third page what we estimated.'),
  (11, 2, 5, 6, 'Sending your meter reading', 'everyone', '2024-01-25 10:00+00', 'Send the digits before the comma. A photo is welcome.'),
  (12, 2, 5, 8, 'Why we estimate', 'everyone', '2024-03-11 10:00+00', 'Without a reading we estimate from last year. Send a reading and we correct the invoice.'),
  (13, 2, 4, 8, 'Paying in instalments', 'customers', '2024-04-02 10:00+00', 'Customers can split an invoice above 150 euros into six parts.'),
  (14, 2, 6, 7, 'What to do when the power is out', 'everyone', '2024-05-05 10:00+00', 'Look at your fuses first, then at our outage map. If your street is not on it, call us.'),
  (15, 2, 6, 7, 'Crew on-call list', 'agents', '2024-09-09 10:00+00', 'North: Havel. South: Adler. Ask Tanaka for holidays.'),
  (16, 2, 6, 9, 'Compensation for long outages', 'everyone', null, 'Draft: legal is still reading.'),
  (17, 3, 7, 10, 'Paper and envelopes we use', 'everyone', '2024-12-01 11:00+00', 'Cotton paper from a mill an hour away, envelopes of the same sheet.'),
  (18, 3, 7, 10, 'How long printing takes', 'everyone', '2025-01-07 11:00+00', 'Ten days from the proof you approve. We cannot hurry the drying.')
) as article (id, tenant_id, category_id, author_id, title, audience, published_at, body);

insert into article_feedback (article_id, customer_id, is_helpful, comment, created_at)
select article.id, customer.id, (article.id + customer.id) % 4 <> 0,
  case (article.id + customer.id) % 8 when 0 then 'Did not answer my question.' when 3 then 'Short and clear.' end,
  article.published_at + customer.id * interval '31 hours'
from article
join customer on customer.tenant_id = article.tenant_id and (customer.id + article.id) % 5 < 2
where article.published_at is not null and article.audience <> 'agents';

-- The next rows that are inserted by hand continue the numbering.
select setval(pg_get_serial_sequence(name, 'id'), 1000)
from unnest(array['tenant', 'team', 'agent', 'customer', 'ticket', 'tag', 'saved_reply', 'category', 'article']) as name;
