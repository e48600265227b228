create table article (id int primary key, author int not null, title text not null);
create function article_shout(a article) returns text language sql stable as $$ select upper(a.title) $$;
