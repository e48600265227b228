insert into team (name) values ('first');
