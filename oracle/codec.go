package main

// Codec mode, one way: events into messages with TiCDC's encoders.

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pingcap/errors"
	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/cdc/sink/dmlsink/mq/dispatcher/topic"
	"github.com/pingcap/tiflow/pkg/config"
	"github.com/pingcap/tiflow/pkg/sink/codec/builder"
	"github.com/pingcap/tiflow/pkg/sink/codec/common"
)

// encodeRequest asks for the messages of a stream of events.
type encodeRequest struct {
	Protocol string      `json:"protocol"`
	Options  options     `json:"options"`
	Tables   []*TableDef `json:"tables"` // what the table_ref of events counts in
	Events   []*Event    `json:"events"`
	// Flush says when Build is called: "commit-ts" (the default: whenever the commit ts changes, and before anything that
	// is no row), "run" (only before what is no row), "event" (after every event). max-batch-size holds besides.
	Flush string `json:"flush"`
	// ClaimNames are the file names (uuids) of claim-check files, in order; random when they run out.
	ClaimNames []string `json:"claim_names"`
}

// messageOut is one Kafka message, or what the encoder said instead of giving one.
type messageOut struct {
	Kind   string  `json:"kind"`
	Key    *[]byte `json:"key"`
	Value  *[]byte `json:"value"`
	Ts     uint64  `json:"ts,omitempty"`
	Schema *string `json:"schema"`
	Table  *string `json:"table"`
	Rows   int     `json:"rows"`
	Events []int   `json:"events"` // the n of the events in it
	Error  string  `json:"error,omitempty"`
}

// MarshalJSON leaves key and value out of an error.
func (m messageOut) MarshalJSON() ([]byte, error) {
	type whole messageOut
	if m.Error == "" {
		return json.Marshal(whole(m))
	}
	return json.Marshal(map[string]any{"kind": m.Kind, "events": m.Events, "error": m.Error})
}

// newEncoder gives the stream an encoder without history. Builders live as long as the stream: Avro's holds the schema
// cache, Craft's encoder its byte pool.
func (s *stream) newEncoder() (err error) {
	if s.builder == nil {
		if s.builder, err = builder.NewRowEventEncoderBuilder(context.Background(), s.config); err != nil {
			return err
		}
	}
	s.encoder = s.builder.Build()
	return nil
}

// encode runs a stream of events through TiCDC's encoder.
func encode(req *encodeRequest, out *answer) error {
	s, err := newStream(req.Protocol, req.Options)
	defer s.close()
	if err != nil {
		return err
	}
	if len(req.ClaimNames) > 0 {
		uuid.SetRand(&uuidSource{names: req.ClaimNames})
		defer uuid.SetRand(nil)
	}
	if err := s.newEncoder(); err != nil {
		return err
	}
	if mended, _ := req.Options.flag("float8"); mended {
		out.Notes = append(out.Notes, "float8 changes nothing here: TiCDC as it is reserves 4 bytes for a FLOAT of 8 (Craft's known defect)")
	}
	infos := newTableInfos(req.Tables)
	out.Messages = []messageOut{}
	for i := 0; i < len(req.Events); {
		e := req.Events[i]
		switch e.Kind {
		case "insert", "update", "delete":
			j := i + 1
			for j < len(req.Events) && sameBatch(req.Flush, e, req.Events[j]) && !(s.txn && !infos.sameTable(e, req.Events[j])) {
				j++
			}
			rows := make([]*model.RowChangedEvent, 0, j-i)
			numbers := make([]int, 0, j-i)
			for _, event := range req.Events[i:j] {
				row, err := infos.row(event)
				if err != nil {
					return err
				}
				if err := s.selector.Apply(row); err != nil {
					out.Messages = append(out.Messages, messageOut{Kind: "row", Events: []int{event.N}, Error: errors.Cause(err).Error()})
					continue
				}
				rows, numbers = append(rows, row), append(numbers, event.N)
			}
			if len(rows) > 0 {
				out.Messages = append(out.Messages, s.encodeRows(rows, numbers)...)
			}
			i = j
			continue
		case "ddl", "bootstrap":
			if e.Kind == "bootstrap" && s.config.Protocol != config.ProtocolSimple {
				break // TiCDC sends bootstrap events to Simple only; other encoders would write an empty DDL
			}
			ddl, err := infos.ddl(e)
			if err != nil {
				return err
			}
			out.Messages = append(out.Messages, s.encodeOne(e, func() (*common.Message, error) { return s.encoder.EncodeDDLEvent(ddl) })...)
		case "watermark":
			out.Messages = append(out.Messages, s.encodeOne(e, func() (*common.Message, error) { return s.encoder.EncodeCheckpointEvent(e.CommitTs) })...)
		default:
			return fmt.Errorf("event %d: kind %q is none of insert, update, delete, ddl, bootstrap, watermark", e.N, e.Kind)
		}
		i++
	}
	out.Registry, out.Claims = s.services.schemas(), s.services.claims(s)
	return nil
}

// sameBatch tells whether b may share a Build with the row event a that starts it.
func sameBatch(flush string, a, b *Event) bool {
	isRow := b.Kind == "insert" || b.Kind == "update" || b.Kind == "delete"
	switch flush {
	case "event":
		return false
	case "run":
		return isRow
	default:
		return isRow && a.CommitTs == b.CommitTs
	}
}

// sameTable tells whether two rows belong to one physical table, as the rows of a storage sink's transaction do.
func (t *tableInfos) sameTable(a, b *Event) bool {
	if (a.PhysicalTableID == nil) != (b.PhysicalTableID == nil) {
		return false
	}
	return t.names(a) == t.names(b) && (a.PhysicalTableID == nil || *a.PhysicalTableID == *b.PhysicalTableID)
}

// encodeRows appends rows and builds. When the encoder panics, it is thrown away and every row gets an attempt of its own,
// so that one bad row does not take its neighbours along.
func (s *stream) encodeRows(rows []*model.RowChangedEvent, numbers []int) (out []messageOut) {
	start := time.Now()
	var built []*common.Message
	accepted := make([]int, 0, len(rows))
	var refused []messageOut
	panicked := guard(func() error {
		if s.txn {
			messages, err := s.encodeTxn(rows)
			if err != nil {
				refused = append(refused, messageOut{Kind: "row", Events: numbers, Error: errors.Cause(err).Error()})
				return nil
			}
			built, accepted = messages, numbers
			return nil
		}
		for i, row := range rows {
			if err := s.encoder.AppendRowChangedEvent(context.Background(), s.topicOf(row), row, nil); err != nil {
				refused = append(refused, messageOut{Kind: "row", Events: numbers[i : i+1], Error: errors.Cause(err).Error()})
				continue
			}
			accepted = append(accepted, numbers[i])
		}
		built = s.encoder.Build()
		return nil
	})
	if panicked != nil {
		_ = s.newEncoder()
		if len(rows) == 1 {
			return []messageOut{{Kind: "panic", Events: numbers, Error: panicked.Error()}}
		}
		for i := range rows {
			out = append(out, s.encodeRows(rows[i:i+1], numbers[i:i+1])...)
		}
		return out
	}
	next := 0
	for _, message := range built {
		count := min(message.GetRowsCount(), len(accepted)-next)
		out = append(out, s.messageOut("row", message, accepted[next:next+count], start))
		next += count
	}
	out = append(out, refused...)
	sort.SliceStable(out, func(i, j int) bool { return firstEvent(out[i]) < firstEvent(out[j]) })
	return out
}

// topicOf fills the topic expression in with TiCDC's own code, which replaces what no topic may contain.
func (s *stream) topicOf(row *model.RowChangedEvent) string {
	return topic.Expression(s.topic).Substitute(row.TableInfo.GetSchemaName(), row.TableInfo.GetTableName())
}

func firstEvent(m messageOut) int {
	if len(m.Events) == 0 {
		return -1
	}
	return m.Events[0]
}

// encodeTxn is the storage sink's way: one message holds the rows of one table's transaction.
func (s *stream) encodeTxn(rows []*model.RowChangedEvent) ([]*common.Message, error) {
	txnBuilder, err := builder.NewTxnEventEncoderBuilder(s.config)
	if err != nil {
		return nil, err
	}
	encoder := txnBuilder.Build()
	err = encoder.AppendTxnEvent(&model.SingleTableTxn{
		TableInfo: rows[0].TableInfo, PhysicalTableID: rows[0].PhysicalTableID, TableInfoVersion: rows[0].TableInfo.Version,
		StartTs: rows[0].StartTs, CommitTs: rows[0].CommitTs, Rows: rows,
	}, nil)
	if err != nil {
		return nil, err
	}
	return encoder.Build(), nil
}

func (s *stream) encodeOne(e *Event, call func() (*common.Message, error)) []messageOut {
	if s.txn {
		return nil // the storage sink writes DDLs and watermarks to files of its own, with no codec
	}
	start := time.Now()
	var message *common.Message
	kind := e.Kind
	var failed error
	if panicked := guard(func() error { message, failed = call(); return nil }); panicked != nil {
		failed, kind = panicked, "panic"
		_ = s.newEncoder()
	}
	if failed != nil {
		return []messageOut{{Kind: kind, Events: []int{e.N}, Error: errors.Cause(failed).Error()}}
	}
	if message == nil {
		return nil // the protocol has no message for it
	}
	return []messageOut{s.messageOut(e.Kind, message, []int{e.N}, start)}
}

func (s *stream) messageOut(kind string, m *common.Message, events []int, start time.Time) messageOut {
	key, value := m.Key, m.Value
	if s.nowMs != 0 {
		value = s.setClock(value, start)
	}
	return messageOut{
		Kind: kind, Key: bytesOrNull(key), Value: bytesOrNull(value), Ts: m.Ts, Schema: m.Schema, Table: m.Table,
		Rows: m.GetRowsCount(), Events: events,
	}
}

func bytesOrNull(b []byte) *[]byte {
	if b == nil {
		return nil
	}
	return &b
}

// guard runs f and turns a panic into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
			lastStack = string(debug.Stack())
		}
	}()
	return f()
}

// lastStack is where the last caught panic came from, for a look in a debugger.
var lastStack string

// uuidSource makes the uuid package give the names that were asked for.
type uuidSource struct {
	names []string
}

func (u *uuidSource) Read(p []byte) (int, error) {
	if len(u.names) == 0 {
		fresh := time.Now().UnixNano()
		for i := range p {
			p[i] = byte(fresh >> (8 * (i % 8)))
		}
		return len(p), nil
	}
	parsed, err := uuid.Parse(strings.TrimSuffix(u.names[0], ".json"))
	if err != nil {
		return 0, err
	}
	u.names = u.names[1:]
	return copy(p, parsed[:]), nil
}
