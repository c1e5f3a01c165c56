/*!40101 SET NAMES binary*/;
CREATE TABLE `times` (id int primary key, d date, dt datetime, dt1 datetime(1), dt3 datetime(3), dt6 datetime(6), ts timestamp null, ts3 timestamp(3) null, ts6 timestamp(6) null, t time, t2 time(2), t6 time(6), y year);
