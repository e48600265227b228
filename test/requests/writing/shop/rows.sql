insert into customer (name, agent, mood) values ('Ada', 'bob', 'happy'), ('Ben', 'bob', null), ('Cleo', 'eve', 'sad');
insert into product values ('cup', 'Cup', 10, '{1,2}'), ('pan', 'Pan', 0, null), ('pot', 'Pot', 3, '{3}');
insert into "order" (customer_id, state, placed_by, note) values (1, 'open', 'bob', 'first'), (1, 'paid', 'bob', 'second'), (3, 'open', 'eve', null);
insert into order_line values (1, 'cup', 2), (1, 'pot', 1), (2, 'cup', 1), (3, 'pot', 1);
