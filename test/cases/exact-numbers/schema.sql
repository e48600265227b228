create table item (id bigint primary key, amount numeric, weight float8, data jsonb);
