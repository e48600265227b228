insert into board values (1, '{{1,2},{3,4}}', 'sad', null), (2, null, null, null);
