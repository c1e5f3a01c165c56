"""TiDB's row checksums: a CRC-32 over the values of a row's columns, which producers send with the row.

The facts are those of pingcap/tidb pkg/util/rowcodec/common.go, whose function both producers call (pingcap/tiflow
cdc/entry/mounter.go, pingcap/ticdc pkg/common/event/checksum.go). `rows.py` lists them by type of column.
"""
