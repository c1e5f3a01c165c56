/*!40101 SET NAMES binary*/;
CREATE TABLE `decs` (id bigint unsigned primary key, d1 decimal, d2 decimal(10,2), d3 decimal(65,30), d4 decimal(65,0), d5 decimal(5,5), d6 decimal(20,4) unsigned, f float, fu float unsigned, d double, du double unsigned, f72 float(7,2), d104 double(10,4));
