package main

// SQL mode: real SQL in TiDB's embedded store, seen through TiCDC's schema storage and mounter. It follows the test helper
// of cdc/entry, with two differences: rows are found by comparing the table before and after a statement (so deletes and
// old values come out right), and every DDL job that a statement made is handled.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	ticonfig "github.com/pingcap/tidb/pkg/config"
	tiddl "github.com/pingcap/tidb/pkg/ddl"
	"github.com/pingcap/tidb/pkg/domain"
	"github.com/pingcap/tidb/pkg/kv"
	timeta "github.com/pingcap/tidb/pkg/meta"
	timodel "github.com/pingcap/tidb/pkg/meta/model"
	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/session"
	"github.com/pingcap/tidb/pkg/sessionctx/vardef"
	"github.com/pingcap/tidb/pkg/store/mockstore"
	"github.com/pingcap/tidb/pkg/tablecodec"
	"github.com/pingcap/tidb/pkg/testkit"
	"github.com/pingcap/tiflow/cdc/entry"
	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/pkg/config"
	"github.com/pingcap/tiflow/pkg/filter"
	"github.com/pingcap/tiflow/pkg/integrity"
	"github.com/pingcap/tiflow/pkg/util"
	"github.com/tikv/client-go/v2/oracle"
)

// sqlRequest is a scenario. A fresh store is made for every request, so table ids start at the same number each time.
type sqlRequest struct {
	TimeZone string    `json:"time_zone"` // of the changefeed; default UTC
	Checksum bool      `json:"checksum"`
	Steps    []sqlStep `json:"steps"`
	// Generate puts steps of a wide table in front: test.wide (c0 int primary key, c1 varchar(20), c2 int, ...), its rows
	// inserted (every second row with NULLs), the first updated, the second deleted, and a watermark.
	Generate *struct {
		Columns int `json:"columns"`
		Rows    int `json:"rows"`
	} `json:"generate"`
}

// sqlStep has one of its fields set (On goes with DML).
type sqlStep struct {
	DDL       string `json:"ddl"`       // emits the DDL event
	Exec      string `json:"exec"`      // emits nothing
	DML       string `json:"dml"`       // emits one row event per changed record of the table On, in key order
	On        string `json:"on"`        // schema.table
	Watermark bool   `json:"watermark"` // emits a watermark
	Bootstrap string `json:"bootstrap"` // schema.table; emits a bootstrap event
}

// cluster is one embedded TiDB with one changefeed on it.
type cluster struct {
	store   kv.Storage
	domain  *domain.Domain
	tk      *testkit.TestKit
	tb      *testReporter
	schema  entry.SchemaStorage
	mounter entry.Mounter
	lastJob int64
}

// runSQL returns the events of a scenario. A step that fails ends it: the events so far and the error are answered.
func runSQL(req *sqlRequest) (events []*Event, err error) {
	events = []*Event{}
	err = guard(func() error {
		zone := req.TimeZone
		if zone == "" {
			zone = "UTC"
		}
		location, err := time.LoadLocation(zone)
		if err != nil {
			return err
		}
		c, err := startCluster(location, req.Checksum)
		if err != nil {
			return err
		}
		defer c.close()
		steps := req.Steps
		if req.Generate != nil {
			steps = append(wideSteps(req.Generate.Columns, req.Generate.Rows), steps...)
		}
		for i, step := range steps {
			made, err := c.step(step)
			if err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
			for _, e := range made {
				e.N = len(events)
				events = append(events, e)
			}
		}
		return nil
	})
	return events, err
}

func wideSteps(columns, rows int) []sqlStep {
	definitions := []string{"c0 int primary key"}
	for c := 1; c < columns; c++ {
		definitions = append(definitions, fmt.Sprintf("c%d %s", c, []string{"int", "varchar(20)"}[c%2]))
	}
	var records []string
	for r := 1; r <= rows; r++ {
		values := []string{fmt.Sprint(r)}
		for c := 1; c < columns; c++ {
			if r%2 == 0 && c%7 == 0 {
				values = append(values, "null")
			} else if c%2 == 1 {
				values = append(values, fmt.Sprintf("'r%dc%d'", r, c))
			} else {
				values = append(values, fmt.Sprint(r*1000+c))
			}
		}
		records = append(records, "("+strings.Join(values, ",")+")")
	}
	const on = "test.wide"
	return []sqlStep{
		{DDL: "create table test.wide (" + strings.Join(definitions, ", ") + ")"},
		{DML: "insert into test.wide values " + strings.Join(records, ","), On: on},
		{DML: fmt.Sprintf("update test.wide set c1='changed', c2=-1, c%d=null where c0=1", columns-1), On: on},
		{DML: "delete from test.wide where c0=2", On: on},
		{Watermark: true},
	}
}

func startCluster(location *time.Location, checksum bool) (*cluster, error) {
	replica := config.GetDefaultReplicaConfig()
	replica.ForceReplicate = true // tables without a key, too
	if checksum {
		replica.Integrity.IntegrityCheckLevel = integrity.CheckLevelCorrectness
	}
	store, err := mockstore.NewMockStore()
	if err != nil {
		return nil, err
	}
	ticonfig.UpdateGlobal(func(conf *ticonfig.Config) { conf.AlterPrimaryKey = true })
	vardef.SetSchemaLease(time.Second)
	session.DisableStats4Test()
	dom, err := session.BootstrapSession(store)
	if err != nil {
		return nil, err
	}
	dom.SetStatsUpdating(true)
	c := &cluster{store: store, domain: dom, tb: &testReporter{}}
	c.tk = testkit.NewTestKit(c.tb, store)
	c.tk.MustExec("use test")
	if checksum {
		c.tk.MustExec("set global tidb_enable_row_level_checksum = 1")
		c.tk.Session().GetSessionVars().EnableRowLevelChecksum = true
	}
	rules, err := filter.NewFilter(replica, "")
	if err != nil {
		return nil, err
	}
	now, err := c.now()
	if err != nil {
		return nil, err
	}
	id := model.DefaultChangeFeedID("oracle")
	if c.schema, err = entry.NewSchemaStorage(store, now, replica.ForceReplicate, id, util.RoleTester, rules); err != nil {
		return nil, err
	}
	c.mounter = entry.NewMounter(c.schema, id, location, rules, replica.Integrity)
	jobs, err := c.newJobs()
	for _, job := range jobs {
		c.lastJob = max(c.lastJob, job.ID)
	}
	return c, err
}

func (c *cluster) close() {
	c.domain.Close()
	_ = c.store.Close()
	c.tb.cleanup()
}

func (c *cluster) now() (uint64, error) {
	version, err := c.store.CurrentVersion(oracle.GlobalTxnScope)
	return version.Ver, err
}

func (c *cluster) exec(sql string) error {
	rs, err := c.tk.Exec(sql)
	if rs != nil {
		_ = rs.Close()
	}
	return err
}

func (c *cluster) step(step sqlStep) ([]*Event, error) {
	switch {
	case step.DDL != "":
		return c.ddl(step.DDL)
	case step.DML != "":
		return c.dml(step.DML, step.On)
	case step.Exec != "":
		return nil, c.exec(step.Exec)
	case step.Bootstrap != "":
		info, err := c.table(step.Bootstrap)
		if err != nil {
			return nil, err
		}
		return []*Event{describeDDL(model.NewBootstrapDDLEvent(info))}, nil
	case step.Watermark:
		now, err := c.now()
		return []*Event{{Kind: "watermark", CommitTs: now, StartTs: now}}, err
	}
	return nil, errors.New("a step is one of ddl, dml (with on), exec, bootstrap, watermark")
}

// ddl runs a statement and tells the events of all jobs that it made.
func (c *cluster) ddl(sql string) (events []*Event, err error) {
	if err := c.exec(sql); err != nil {
		return nil, err
	}
	jobs, err := c.newJobs()
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		c.lastJob = max(c.lastJob, job.ID)
		// TiDB puts a job into its history after it has gone from done to synced; TiCDC reads it before that.
		job.State = timodel.JobStateDone
		if job.Type == timodel.ActionRenameTables {
			if job, err = c.withRenameArgs(job); err != nil {
				return nil, err
			}
		}
		if err := c.schema.HandleDDLJob(job); err != nil {
			return nil, err
		}
		now, err := c.now()
		if err != nil {
			return nil, err
		}
		c.schema.AdvanceResolvedTs(now)
		made, err := c.schema.BuildDDLEvents(context.Background(), job)
		if err != nil {
			return nil, err
		}
		for _, ddl := range made {
			e := describeDDL(ddl)
			e.SQL = sql
			events = append(events, e)
		}
	}
	return events, nil
}

// withRenameArgs gives a RENAME TABLES job its arguments back, which TiDB clears in its history: the old names are read
// from the statement.
func (c *cluster) withRenameArgs(job *timodel.Job) (*timodel.Job, error) {
	statement, err := parser.New().ParseOneStmt(job.Query, "", "")
	if err != nil {
		return nil, err
	}
	rename, ok := statement.(*ast.RenameTableStmt)
	if !ok || len(rename.TableToTables) != len(job.BinlogInfo.MultipleTableInfos) {
		return nil, fmt.Errorf("rename job %d: cannot tell the old names from %q", job.ID, job.Query)
	}
	snapshot, args := c.schema.GetLastSnapshot(), &timodel.RenameTablesArgs{}
	for i, pair := range rename.TableToTables {
		ids := [2]int64{}
		for side, name := range []*ast.TableName{pair.OldTable, pair.NewTable} {
			if name.Schema.O == "" {
				name.Schema = ast.NewCIStr("test")
			}
			id, ok := snapshot.SchemaIDByName(name.Schema.O)
			if !ok {
				return nil, fmt.Errorf("rename job %d: no schema %s", job.ID, name.Schema.O)
			}
			ids[side] = id
		}
		info := job.BinlogInfo.MultipleTableInfos[i]
		args.RenameTableInfos = append(args.RenameTableInfos, &timodel.RenameTableArgs{
			OldSchemaID: ids[0], NewSchemaID: ids[1], TableID: info.ID, NewTableName: info.Name,
			OldSchemaName: pair.OldTable.Schema, OldTableName: pair.OldTable.Name,
		})
	}
	return entry.GetNewJobWithArgs(job, args)
}

// newJobs are the finished jobs since lastJob, oldest first.
func (c *cluster) newJobs() ([]*timodel.Job, error) {
	version, err := c.store.CurrentVersion(oracle.GlobalTxnScope)
	if err != nil {
		return nil, err
	}
	jobs, err := tiddl.GetLastNHistoryDDLJobs(timeta.NewReader(c.store.GetSnapshot(version)), 32)
	if err != nil {
		return nil, err
	}
	fresh := jobs[:0]
	for _, job := range jobs {
		if job.ID > c.lastJob {
			fresh = append(fresh, job)
		}
	}
	sort.Slice(fresh, func(i, j int) bool { return fresh[i].ID < fresh[j].ID })
	return fresh, nil
}

// table finds a table by schema.table; the first dot parts them.
func (c *cluster) table(name string) (*model.TableInfo, error) {
	schema, table, ok := strings.Cut(name, ".")
	if !ok {
		return nil, fmt.Errorf("%q is not schema.table", name)
	}
	info, ok := c.schema.GetLastSnapshot().TableByName(schema, table)
	if !ok {
		return nil, fmt.Errorf("no table %s", name)
	}
	return info, nil
}

// dml runs a statement and tells what it changed in one table: one event per record, in key order, physical tables by id.
func (c *cluster) dml(sql, on string) (events []*Event, err error) {
	info, err := c.table(on)
	if err != nil {
		return nil, err
	}
	ids := []int64{info.ID}
	if partitions := info.GetPartitionInfo(); partitions != nil {
		ids = ids[:0]
		for _, definition := range partitions.Definitions {
			ids = append(ids, definition.ID)
		}
		sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	}
	before, err := c.records(ids)
	if err != nil {
		return nil, err
	}
	if err := c.exec(sql); err != nil {
		return nil, err
	}
	startTs, commitTs, err := c.lastTxn()
	if err != nil {
		return nil, err
	}
	after, err := c.records(ids)
	if err != nil {
		return nil, err
	}
	c.schema.AdvanceResolvedTs(commitTs)
	keys := map[string]bool{}
	for key := range before {
		keys[key] = true
	}
	for key := range after {
		keys[key] = true
	}
	for _, key := range sortedNames(keys) {
		old, new := before[key], after[key]
		if bytes.Equal(old, new) {
			continue
		}
		raw := &model.RawKVEntry{
			OpType: model.OpTypePut, Key: []byte(key), Value: new, OldValue: old, StartTs: startTs, CRTs: commitTs,
		}
		if new == nil {
			raw.OpType = model.OpTypeDelete
		}
		polymorphic := model.NewPolymorphicEvent(raw)
		if err := c.mounter.DecodeEvent(context.Background(), polymorphic); err != nil {
			return nil, err
		}
		if polymorphic.Row == nil {
			return nil, fmt.Errorf("the mounter ignored a row of %s", on)
		}
		e := describeRow(polymorphic.Row)
		e.SQL = sql
		events = append(events, e)
	}
	return events, nil
}

// records reads all records (not the index entries) of some physical tables.
func (c *cluster) records(tables []int64) (map[string][]byte, error) {
	version, err := c.store.CurrentVersion(oracle.GlobalTxnScope)
	if err != nil {
		return nil, err
	}
	snapshot := c.store.GetSnapshot(version)
	out := map[string][]byte{}
	for _, id := range tables {
		prefix := tablecodec.GenTableRecordPrefix(id)
		iter, err := snapshot.Iter(prefix, prefix.PrefixNext())
		if err != nil {
			return nil, err
		}
		for iter.Valid() {
			out[string(iter.Key())] = bytes.Clone(iter.Value())
			if err := iter.Next(); err != nil {
				iter.Close()
				return nil, err
			}
		}
		iter.Close()
	}
	return out, nil
}

// lastTxn is when the session's last transaction started and was committed.
func (c *cluster) lastTxn() (start, commit uint64, err error) {
	rows := c.tk.MustQuery("select @@tidb_last_txn_info").Rows()
	var info struct {
		StartTs  uint64 `json:"start_ts"`
		CommitTs uint64 `json:"commit_ts"`
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return 0, 0, errors.New("no transaction info")
	}
	err = json.Unmarshal([]byte(fmt.Sprint(rows[0][0])), &info)
	if info.CommitTs == 0 && err == nil {
		info.CommitTs, err = c.now()
	}
	return info.StartTs, info.CommitTs, err
}

// testReporter stands in for *testing.T, which TiDB's test kit wants: a failure becomes a panic, which runSQL reports.
type testReporter struct {
	testing.TB // nil: everything not below would crash, loudly
	cleanups   []func()
}

func (r *testReporter) Helper()                           {}
func (r *testReporter) Name() string                      { return "oracle" }
func (r *testReporter) Log(...any)                        {}
func (r *testReporter) Logf(string, ...any)               {}
func (r *testReporter) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }
func (r *testReporter) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (r *testReporter) Error(args ...any)                 { panic(fmt.Sprint(args...)) }
func (r *testReporter) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (r *testReporter) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (r *testReporter) FailNow()                          { panic("a check of the test kit failed") }
func (r *testReporter) Fail()                             { panic("a check of the test kit failed") }
func (r *testReporter) Failed() bool                      { return false }

func (r *testReporter) cleanup() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}
