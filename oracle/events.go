package main

// The JSON form of events, and the way from TiCDC's model to it. It is the form of events.jsonl of the recorded messages;
// fields that a hand-made event leaves out are derived (README.md says how).

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	timodel "github.com/pingcap/tidb/pkg/meta/model"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/types"
	"github.com/pingcap/tiflow/cdc/model"
)

// Event is a row change, a DDL, a bootstrap or a watermark.
type Event struct {
	N        int    `json:"n"`
	Kind     string `json:"kind"` // insert, update, delete, ddl, bootstrap, watermark
	SQL      string `json:"sql,omitempty"`
	CommitTs uint64 `json:"commit_ts"`
	StartTs  uint64 `json:"start_ts"`
	TableDef
	TableRef        *int          `json:"table_ref,omitempty"` // index into the request's tables, instead of the TableDef
	PhysicalTableID *int64        `json:"physical_table_id"`
	DDLType         *int          `json:"ddl_type"`
	DDLTypeName     *string       `json:"ddl_type_name"`
	Query           *string       `json:"query"`
	New             []*Value      `json:"new"`
	Old             []*Value      `json:"old"`
	OldColumns      []*Column     `json:"old_columns,omitempty"` // decode only: when the old image has columns of its own
	Checksum        *ChecksumJSON `json:"checksum"`
	RowID           string        `json:"row_id,omitempty"`
	Charset         string        `json:"charset,omitempty"`
	Collate         string        `json:"collate,omitempty"`
	PreTable        *TableDef     `json:"pre_table_info"`
	Message         *int          `json:"message,omitempty"` // decode only: index of the message it came from
	Error           string        `json:"error,omitempty"`   // decode only: kind is "error"
}

// TableDef is a table at one version.
type TableDef struct {
	Schema         string    `json:"schema"`
	Table          string    `json:"table"`
	TableID        int64     `json:"table_id"`
	Version        uint64    `json:"table_info_version"`
	UpdateTs       uint64    `json:"table_update_ts,omitempty"`
	HasTableInfo   *bool     `json:"has_table_info,omitempty"`
	IsPartition    bool      `json:"is_partition"`
	PKIsHandle     *bool     `json:"pk_is_handle,omitempty"`
	IsCommonHandle *bool     `json:"is_common_handle,omitempty"`
	TableCharset   string    `json:"table_charset,omitempty"`
	TableCollation string    `json:"table_collation,omitempty"`
	Columns        []*Column `json:"columns"`
	Indexes        []*Index  `json:"indexes"`
	// Virtual are the virtual columns of a row event's table: they have no values, so that columns does not list them, but
	// Debezium's schemas show them. When it is absent, it is taken from the table's last DDL event in the request.
	Virtual []*VirtualColumn `json:"virtual_columns,omitempty"`
}

// VirtualColumn is a column and its offset in the table.
type VirtualColumn struct {
	Offset int     `json:"offset"`
	Column *Column `json:"column"`
}

// withVirtual lists all columns in table order.
func (d *TableDef) withVirtual() []*Column {
	if len(d.Virtual) == 0 {
		return d.Columns
	}
	all := slices.Clone(d.Columns)
	for _, virtual := range d.Virtual {
		all = slices.Insert(all, min(virtual.Offset, len(all)), virtual.Column)
	}
	return all
}

// Column describes one column. Flags are TiCDC's column flags, MySQLFlags those of TiDB's field type.
type Column struct {
	Name          string   `json:"name"`
	ID            int64    `json:"id"`
	Type          byte     `json:"type"`
	MySQLType     string   `json:"mysql_type,omitempty"`
	Flags         uint64   `json:"flags"`
	MySQLFlags    *uint    `json:"mysql_flags,omitempty"`
	IsHandleKey   bool     `json:"is_handle_key"`
	IsPK          bool     `json:"is_pk"`
	IsUnique      bool     `json:"is_unique"`
	IsMultipleKey bool     `json:"is_multiple_key"`
	IsGenerated   bool     `json:"is_generated"`
	IsVirtual     bool     `json:"is_virtual,omitempty"`
	Nullable      bool     `json:"nullable"`
	Unsigned      bool     `json:"unsigned"`
	Binary        bool     `json:"binary"`
	Zerofill      bool     `json:"zerofill"`
	Charset       *string  `json:"charset"`
	Collation     *string  `json:"collation"`
	Flen          *int     `json:"flen"`
	Decimal       *int     `json:"decimal"`
	Elems         []string `json:"elems"`
	Default       *Value   `json:"default"`
	OriginDefault *Value   `json:"origin_default"`
	Comment       string   `json:"comment,omitempty"`
}

// Index describes one index; a column's length is -1 when it is no prefix.
type Index struct {
	ID      int64         `json:"id"`
	Name    string        `json:"name"`
	Primary bool          `json:"primary"`
	Unique  bool          `json:"unique"`
	Columns []IndexColumn `json:"columns"`
}

// IndexColumn names one column of an index. The offset is that of the table with its virtual columns.
type IndexColumn struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

// ChecksumJSON is TiCDC's row checksum.
type ChecksumJSON struct {
	Current   uint32 `json:"current"`
	Previous  uint32 `json:"previous"`
	Corrupted bool   `json:"corrupted"`
	Version   int    `json:"version"`
}

// Value has one field set: the Go type that TiCDC's mounter gives. Numbers are text so that nothing rounds them.
type Value struct {
	Int    *string `json:"int,omitempty"`    // int64
	Uint   *string `json:"uint,omitempty"`   // uint64
	F32    *string `json:"f32,omitempty"`    // float32
	F64    *string `json:"f64,omitempty"`    // float64
	Text   *string `json:"text,omitempty"`   // string
	Bytes  *[]byte `json:"bytes,omitempty"`  // []byte, base64
	Vector *string `json:"vector,omitempty"` // types.VectorFloat32
	Other  *string `json:"other,omitempty"`  // decode only: a Go type not listed above, printed
}

// native is the Go value of v, nil for SQL NULL.
func (v *Value) native() (any, error) {
	switch {
	case v == nil:
		return nil, nil
	case v.Int != nil:
		return strconv.ParseInt(*v.Int, 10, 64)
	case v.Uint != nil:
		return strconv.ParseUint(*v.Uint, 10, 64)
	case v.F32 != nil:
		f, err := strconv.ParseFloat(*v.F32, 32)
		return float32(f), err
	case v.F64 != nil:
		return strconv.ParseFloat(*v.F64, 64)
	case v.Text != nil:
		return *v.Text, nil
	case v.Bytes != nil:
		if *v.Bytes == nil {
			return []byte{}, nil
		}
		return *v.Bytes, nil
	case v.Vector != nil:
		return parseVector(*v.Vector)
	}
	return nil, fmt.Errorf(`a value is null or has one of int, uint, f32, f64, text, bytes, vector`)
}

// parseVector reads [1,2.5]. TiDB's own parser compares in float64 and so refuses the largest float32.
func parseVector(text string) (any, error) {
	var elements []json.Number
	if err := json.Unmarshal([]byte(text), &elements); err != nil {
		return nil, fmt.Errorf("vector %q: %w", text, err)
	}
	floats := make([]float32, len(elements))
	for i, element := range elements {
		f, err := strconv.ParseFloat(element.String(), 32)
		if err != nil {
			return nil, err
		}
		floats[i] = float32(f)
	}
	return types.CreateVectorFloat32(floats)
}

// valueOf is the JSON form of a Go value of a TiCDC event.
func valueOf(native any) *Value {
	text := func(s string) *string { return &s }
	switch v := native.(type) {
	case nil:
		return nil
	case int64:
		return &Value{Int: text(strconv.FormatInt(v, 10))}
	case int:
		return &Value{Int: text(strconv.Itoa(v))}
	case uint64:
		return &Value{Uint: text(strconv.FormatUint(v, 10))}
	case float32:
		return &Value{F32: text(strconv.FormatFloat(float64(v), 'g', -1, 32))}
	case float64:
		return &Value{F64: text(strconv.FormatFloat(v, 'g', -1, 64))}
	case string:
		if !utf8.ValidString(v) { // Canal-JSON's decoder gives binary values as strings
			raw := []byte(v)
			return &Value{Bytes: &raw}
		}
		return &Value{Text: &v}
	case []byte:
		return &Value{Bytes: &v}
	case types.VectorFloat32:
		return &Value{Vector: text(v.String())}
	}
	return &Value{Other: text(fmt.Sprintf("%T %v", native, native))}
}

// describeTable is the JSON form of a table; with virtual columns for a DDL, without for rows.
func describeTable(info *model.TableInfo, virtual bool) TableDef {
	def := TableDef{
		Schema: info.TableName.Schema, Table: info.TableName.Table, TableID: info.TableName.TableID,
		Version: info.Version, IsPartition: info.TableName.IsPartition,
	}
	has := info.TableInfo != nil
	def.HasTableInfo = &has
	if !has {
		return def
	}
	def.UpdateTs = info.UpdateTS
	def.PKIsHandle, def.IsCommonHandle = &info.PKIsHandle, &info.IsCommonHandle
	def.TableCharset, def.TableCollation = info.Charset, info.Collate
	def.Columns = []*Column{}
	for _, column := range info.Columns {
		if described := describeColumn(info, column); virtual || model.IsColCDCVisible(column) {
			def.Columns = append(def.Columns, described)
		} else {
			def.Virtual = append(def.Virtual, &VirtualColumn{Offset: column.Offset, Column: described})
		}
	}
	def.Indexes = []*Index{}
	for _, index := range info.Indices {
		out := &Index{ID: index.ID, Name: index.Name.O, Primary: index.Primary, Unique: index.Unique}
		for _, column := range index.Columns {
			out.Columns = append(out.Columns, IndexColumn{Name: column.Name.O, Offset: column.Offset, Length: column.Length})
		}
		def.Indexes = append(def.Indexes, out)
	}
	return def
}

func describeColumn(info *model.TableInfo, column *timodel.ColumnInfo) *Column {
	flags := *info.ColumnsFlag[column.ID]
	mysqlFlag, flen, decimal := column.GetFlag(), column.GetFlen(), column.GetDecimal()
	charset, collation := column.GetCharset(), column.GetCollate()
	out := &Column{
		Name: column.Name.O, ID: column.ID, Type: column.GetType(), MySQLType: column.FieldType.InfoSchemaStr(),
		Flags: uint64(flags), MySQLFlags: &mysqlFlag,
		IsHandleKey: flags.IsHandleKey(), IsPK: flags.IsPrimaryKey(), IsUnique: flags.IsUniqueKey(),
		IsMultipleKey: flags.IsMultipleKey(), IsGenerated: flags.IsGeneratedColumn(),
		IsVirtual: column.IsGenerated() && !column.GeneratedStored,
		Nullable:  flags.IsNullable(), Unsigned: flags.IsUnsigned(), Binary: flags.IsBinary(),
		Zerofill: mysql.HasZerofillFlag(mysqlFlag), Charset: &charset, Collation: &collation,
		Flen: &flen, Decimal: &decimal, Elems: column.GetElems(), Comment: column.Comment,
		Default: defaultOf(column, column.GetDefaultValue()), OriginDefault: defaultOf(column, column.GetOriginDefaultValue()),
	}
	return out
}

func defaultOf(column *timodel.ColumnInfo, native any) *Value {
	if text, ok := native.(string); ok && column.GetType() == mysql.TypeBit {
		return valueOf([]byte(text))
	}
	return valueOf(native)
}

// describeRow is the JSON form of a row event.
func describeRow(row *model.RowChangedEvent) *Event {
	e := &Event{CommitTs: row.CommitTs, StartTs: row.StartTs}
	e.TableDef = describeTable(row.TableInfo, false)
	e.HasTableInfo = nil
	physical := row.PhysicalTableID
	e.PhysicalTableID = &physical
	e.RowID = strconv.FormatInt(row.RowID, 10)
	if row.Checksum != nil {
		e.Checksum = &ChecksumJSON{row.Checksum.Current, row.Checksum.Previous, row.Checksum.Corrupted, row.Checksum.Version}
	}
	newColumns, newValues := describeImage(row.Columns, row.TableInfo)
	oldColumns, oldValues := describeImage(row.PreColumns, row.TableInfo)
	e.New, e.Old = newValues, oldValues
	switch {
	case oldValues == nil:
		e.Kind, e.Columns = "insert", newColumns
	case newValues == nil:
		e.Kind, e.Columns = "delete", oldColumns
	default:
		e.Kind, e.Columns = "update", newColumns
		if !sameColumns(newColumns, oldColumns) {
			e.OldColumns = oldColumns
		}
	}
	return e
}

// describeImage lists one side of a row: the columns it has and their values.
func describeImage(cells []*model.ColumnData, info *model.TableInfo) (columns []*Column, values []*Value) {
	if len(cells) == 0 {
		return nil, nil
	}
	values = []*Value{}
	for _, cell := range cells {
		if cell == nil {
			continue
		}
		columns = append(columns, describeColumn(info, info.ForceGetColumnInfo(cell.ColumnID)))
		values = append(values, valueOf(cell.Value))
	}
	return columns, values
}

func sameColumns(a, b []*Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}

// describeDDL is the JSON form of a DDL or bootstrap event.
func describeDDL(ddl *model.DDLEvent) *Event {
	e := &Event{Kind: "ddl", CommitTs: ddl.CommitTs, StartTs: ddl.StartTs, Charset: ddl.Charset, Collate: ddl.Collate}
	if ddl.IsBootstrap {
		e.Kind = "bootstrap"
	}
	kind, name := int(ddl.Type), ddl.Type.String()
	e.DDLType, e.DDLTypeName, e.Query = &kind, &name, &ddl.Query
	if ddl.TableInfo != nil {
		e.TableDef = describeTable(ddl.TableInfo, true)
	}
	if ddl.PreTableInfo != nil {
		pre := describeTable(ddl.PreTableInfo, true)
		pre.HasTableInfo = nil
		e.PreTable = &pre
	}
	return e
}
