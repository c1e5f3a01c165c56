"""TiDB's row checksums: a CRC-32 over the values of a row's columns, which producers send with the row.

The algorithm is in pingcap/tidb pkg/util/rowcodec/common.go, which both producers call (pingcap/tiflow
cdc/entry/mounter.go, pingcap/ticdc pkg/common/event/checksum.go). `rows.py` lists the bytes per column type.
"""
