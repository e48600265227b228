insert into account values (1, 'ada', 10, ('High "St"', 5), '{a,"b c",null}', '{"a": null}'), (2, 'ben', 20, null, null, 'null'), (3, 'ada', 30, (null, null), '[2:3]={x,y}', null);
