insert into plain values (1, 1, 'old'), (1, 2, 'old'), (2, 2, 'locked');
insert into parted values (1, 1, 'old'), (1, 2, 'old'), (2, 2, 'locked');
