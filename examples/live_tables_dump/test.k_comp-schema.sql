/*!40101 SET NAMES binary*/;
CREATE TABLE `k_comp` (a int, b varchar(10), c datetime, v int, primary key (b,a) clustered, unique key (c), key (v));
