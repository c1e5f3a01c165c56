/*!40101 SET NAMES binary*/;
CREATE TABLE `ph` (id bigint, v int, primary key(id) nonclustered) partition by hash (id) partitions 3;
