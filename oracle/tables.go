package main

// The way from JSON to TiCDC's model: table descriptions, rows, DDLs.

import (
	"encoding/json"
	"fmt"
	"strconv"

	timodel "github.com/pingcap/tidb/pkg/meta/model"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/types"
	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/pkg/integrity"
)

// tableInfos builds TiCDC's table descriptions, once per distinct definition: the real mounter shares them too, and codecs
// cache by them.
type tableInfos struct {
	byText map[string]*model.TableInfo
	byRef  map[int]*model.TableInfo
	tables []*TableDef
	// virtual remembers the virtual columns of tables, by schema and name, from their last DDL event.
	virtual map[[2]string][]*VirtualColumn
}

func newTableInfos(tables []*TableDef) *tableInfos {
	return &tableInfos{
		byText: map[string]*model.TableInfo{}, byRef: map[int]*model.TableInfo{}, tables: tables,
		virtual: map[[2]string][]*VirtualColumn{},
	}
}

// names are schema and table of an event, also of one that refers to a table of the request.
func (t *tableInfos) names(e *Event) [2]string {
	if e.TableRef != nil && *e.TableRef >= 0 && *e.TableRef < len(t.tables) {
		return [2]string{t.tables[*e.TableRef].Schema, t.tables[*e.TableRef].Table}
	}
	return [2]string{e.Schema, e.Table}
}

// of is the table of an event.
func (t *tableInfos) of(e *Event) (*model.TableInfo, error) {
	if e.TableRef == nil {
		return t.get(&e.TableDef)
	}
	ref := *e.TableRef
	if info, ok := t.byRef[ref]; ok {
		return info, nil
	}
	if ref < 0 || ref >= len(t.tables) {
		return nil, fmt.Errorf("event %d: table_ref %d, but the request has %d tables", e.N, ref, len(t.tables))
	}
	info, err := t.get(t.tables[ref])
	t.byRef[ref] = info
	return info, err
}

func (t *tableInfos) get(def *TableDef) (*model.TableInfo, error) {
	if def.HasTableInfo != nil && !*def.HasTableInfo {
		return &model.TableInfo{
			TableName: model.TableName{Schema: def.Schema, Table: def.Table, TableID: def.TableID},
			Version:   def.Version,
		}, nil
	}
	key, err := json.Marshal(def)
	if err != nil {
		return nil, err
	}
	if info, ok := t.byText[string(key)]; ok {
		return info, nil
	}
	info, err := buildTableInfo(def)
	if err == nil {
		t.byText[string(key)] = info
	}
	return info, err
}

// buildTableInfo makes a table description out of its JSON form and then sets the column flags to those that were given,
// so that a test may ask for any flags, also such as no table has.
func buildTableInfo(def *TableDef) (*model.TableInfo, error) {
	info := &timodel.TableInfo{
		ID: def.TableID, Name: ast.NewCIStr(def.Table), Charset: def.TableCharset, Collate: def.TableCollation,
		UpdateTS: def.UpdateTs, State: timodel.StatePublic,
	}
	for i, column := range def.withVirtual() {
		if column.ID == 0 {
			column.ID = int64(i + 1)
		}
		made, err := buildColumn(column, i)
		if err != nil {
			return nil, err
		}
		info.Columns = append(info.Columns, made)
	}
	buildIndexes(def, info)
	wrapped := model.WrapTableInfo(1, def.Schema, def.Version, info)
	wrapped.TableName.IsPartition = def.IsPartition
	for _, column := range def.withVirtual() {
		flags := model.ColumnFlagType(column.Flags)
		wrapped.ColumnsFlag[column.ID] = &flags
	}
	return wrapped, nil
}

func buildColumn(column *Column, offset int) (*timodel.ColumnInfo, error) {
	flags := model.ColumnFlagType(column.Flags)
	made := &timodel.ColumnInfo{
		ID: column.ID, Name: ast.NewCIStr(column.Name), Offset: offset, State: timodel.StatePublic, Comment: column.Comment,
	}
	made.FieldType = *types.NewFieldType(column.Type)
	if column.MySQLFlags != nil {
		made.SetFlag(*column.MySQLFlags)
	} else {
		made.SetFlag(mysqlFlags(flags))
		if column.Zerofill {
			made.AddFlag(mysql.ZerofillFlag) // TiCDC's own flags do not have it
		}
	}
	switch {
	case column.Charset != nil:
		made.SetCharset(*column.Charset)
	case flags.IsBinary():
		made.SetCharset("binary")
	default:
		made.SetCharset(mysql.UTF8MB4Charset)
	}
	switch {
	case column.Collation != nil:
		made.SetCollate(*column.Collation)
	case made.GetCharset() == "binary":
		made.SetCollate("binary")
	default:
		made.SetCollate(mysql.UTF8MB4DefaultCollation)
	}
	if column.Flen != nil {
		made.SetFlen(*column.Flen)
	}
	if column.Decimal != nil {
		made.SetDecimal(*column.Decimal)
	}
	made.SetElems(column.Elems)
	if flags.IsGeneratedColumn() || column.IsGenerated {
		made.GeneratedExprString = "generated" // any text: only whether there is one matters
		made.GeneratedStored = !column.IsVirtual
	}
	for _, given := range []struct {
		value *Value
		set   func(any) error
	}{{column.Default, made.SetDefaultValue}, {column.OriginDefault, made.SetOriginDefaultValue}} {
		native, err := given.value.native()
		if err != nil {
			return nil, fmt.Errorf("default of column %s: %w", column.Name, err)
		}
		if raw, ok := native.([]byte); ok {
			native = string(raw) // TiDB keeps the default of a BIT as the string of its bytes
		}
		if err := given.set(native); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// mysqlFlags is the inverse of what TiCDC does when it derives its column flags.
func mysqlFlags(flags model.ColumnFlagType) uint {
	var out uint
	if flags.IsPrimaryKey() {
		out |= mysql.PriKeyFlag
	}
	if flags.IsUniqueKey() {
		out |= mysql.UniqueKeyFlag
	}
	if flags.IsMultipleKey() {
		out |= mysql.MultipleKeyFlag
	}
	if !flags.IsNullable() {
		out |= mysql.NotNullFlag
	}
	if flags.IsUnsigned() {
		out |= mysql.UnsignedFlag
	}
	return out
}

// buildIndexes sets the indexes and the kind of handle. An event without them (indexes and pk_is_handle both absent) gets
// those that its column flags imply: the primary key, or else one unique key of the handle columns.
func buildIndexes(def *TableDef, info *timodel.TableInfo) {
	byName := make(map[string]int, len(info.Columns))
	for i, column := range info.Columns {
		byName[column.Name.O] = i
	}
	if def.Indexes == nil && def.PKIsHandle == nil {
		impliedIndexes(def, info)
		return
	}
	info.PKIsHandle = def.PKIsHandle != nil && *def.PKIsHandle
	info.IsCommonHandle = def.IsCommonHandle != nil && *def.IsCommonHandle
	for _, index := range def.Indexes {
		made := &timodel.IndexInfo{
			ID: index.ID, Name: ast.NewCIStr(index.Name), State: timodel.StatePublic, Primary: index.Primary, Unique: index.Unique,
		}
		for _, column := range index.Columns {
			// By name: a row event does not list virtual columns, an index may still have them.
			if offset, ok := byName[column.Name]; ok {
				made.Columns = append(made.Columns, &timodel.IndexColumn{
					Name: info.Columns[offset].Name, Offset: offset, Length: column.Length,
				})
			}
		}
		if len(made.Columns) == len(index.Columns) || len(made.Columns) > 0 && !index.Unique {
			info.Indices = append(info.Indices, made)
		}
	}
}

func impliedIndexes(def *TableDef, info *timodel.TableInfo) {
	index := &timodel.IndexInfo{ID: 1, State: timodel.StatePublic, Unique: true}
	add := func(wanted func(model.ColumnFlagType) bool) {
		for i, column := range def.withVirtual() {
			if wanted(model.ColumnFlagType(column.Flags)) {
				index.Columns = append(index.Columns, &timodel.IndexColumn{
					Name: info.Columns[i].Name, Offset: i, Length: types.UnspecifiedLength,
				})
			}
		}
	}
	add(func(f model.ColumnFlagType) bool { return f.IsPrimaryKey() })
	if len(index.Columns) > 0 {
		if len(index.Columns) == 1 && mysql.IsIntegerType(info.Columns[index.Columns[0].Offset].GetType()) {
			info.PKIsHandle = true
			return
		}
		index.Name, index.Primary, info.IsCommonHandle = ast.NewCIStr("PRIMARY"), true, true
	} else {
		add(func(f model.ColumnFlagType) bool { return f.IsHandleKey() })
		if len(index.Columns) == 0 {
			return
		}
		index.Name = ast.NewCIStr("uk")
	}
	info.Indices = append(info.Indices, index)
}

// row makes TiCDC's row event.
func (t *tableInfos) row(e *Event) (*model.RowChangedEvent, error) {
	if e.Virtual == nil && e.TableRef == nil {
		e.Virtual = t.virtual[[2]string{e.Schema, e.Table}]
	}
	info, err := t.of(e)
	if err != nil {
		return nil, err
	}
	row := &model.RowChangedEvent{StartTs: e.StartTs, CommitTs: e.CommitTs, TableInfo: info, PhysicalTableID: info.TableName.TableID}
	if e.PhysicalTableID != nil {
		row.PhysicalTableID = *e.PhysicalTableID
	}
	if e.RowID != "" {
		// The int handle that Open Protocol carries as rid; of any other handle the mounter keeps nothing.
		if row.RowID, err = strconv.ParseInt(e.RowID, 10, 64); err != nil {
			return nil, fmt.Errorf("event %d: row_id: %w", e.N, err)
		}
	}
	if e.Checksum != nil {
		row.Checksum = &integrity.Checksum{
			Current: e.Checksum.Current, Previous: e.Checksum.Previous,
			Corrupted: e.Checksum.Corrupted, Version: e.Checksum.Version,
		}
	}
	if row.Columns, err = columnData(e, info, e.New); err != nil {
		return nil, err
	}
	if row.PreColumns, err = columnData(e, info, e.Old); err != nil {
		return nil, err
	}
	return row, nil
}

func columnData(e *Event, info *model.TableInfo, values []*Value) ([]*model.ColumnData, error) {
	if values == nil {
		return nil, nil
	}
	visible := make([]*timodel.ColumnInfo, 0, len(info.Columns))
	for _, column := range info.Columns {
		if model.IsColCDCVisible(column) {
			visible = append(visible, column)
		}
	}
	if len(values) != len(visible) {
		return nil, fmt.Errorf("event %d: %d values for %d columns", e.N, len(values), len(visible))
	}
	cells := make([]model.ColumnData, len(values))
	out := make([]*model.ColumnData, len(values))
	for i, value := range values {
		native, err := value.native()
		if err != nil {
			return nil, fmt.Errorf("event %d: column %s: %w", e.N, visible[i].Name.O, err)
		}
		cells[i] = model.ColumnData{ColumnID: visible[i].ID, Value: native}
		out[i] = &cells[i]
	}
	return out, nil
}

// ddl makes TiCDC's DDL event, also of a bootstrap.
func (t *tableInfos) ddl(e *Event) (*model.DDLEvent, error) {
	info, err := t.of(e)
	if err != nil {
		return nil, err
	}
	delete(t.virtual, [2]string{e.Schema, e.Table})
	for i, column := range e.Columns {
		if column.IsVirtual {
			key := [2]string{e.Schema, e.Table}
			t.virtual[key] = append(t.virtual[key], &VirtualColumn{Offset: i, Column: column})
		}
	}
	if e.Kind == "bootstrap" {
		return model.NewBootstrapDDLEvent(info), nil
	}
	out := &model.DDLEvent{StartTs: e.StartTs, CommitTs: e.CommitTs, TableInfo: info, Charset: e.Charset, Collate: e.Collate}
	if e.Query != nil {
		out.Query = *e.Query
	}
	if e.DDLType != nil {
		out.Type = timodel.ActionType(*e.DDLType)
	}
	if e.PreTable != nil {
		if out.PreTableInfo, err = t.get(e.PreTable); err != nil {
			return nil, err
		}
	}
	return out, nil
}
