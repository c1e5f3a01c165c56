/*!40101 SET NAMES binary*/;
CREATE TABLE `ints` (id int primary key, t tinyint, tu tinyint unsigned, s smallint, su smallint unsigned, m mediumint, mu mediumint unsigned, i int, iu int unsigned, b bigint, bu bigint unsigned, bo bool, y year, bt bit(1), b8 bit(8), b64 bit(64), tz tinyint(3) zerofill, iz int(8) unsigned zerofill);
