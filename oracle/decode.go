package main

// Codec mode, the other way: messages into events with TiCDC's decoders.

import (
	"context"
	"fmt"
	"reflect"

	"github.com/pingcap/errors"
	timodel "github.com/pingcap/tidb/pkg/meta/model"
	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/pkg/compression"
	"github.com/pingcap/tiflow/pkg/config"
	"github.com/pingcap/tiflow/pkg/sink/codec"
	"github.com/pingcap/tiflow/pkg/sink/codec/avro"
	"github.com/pingcap/tiflow/pkg/sink/codec/canal"
	"github.com/pingcap/tiflow/pkg/sink/codec/craft"
	"github.com/pingcap/tiflow/pkg/sink/codec/debezium"
	"github.com/pingcap/tiflow/pkg/sink/codec/open"
	"github.com/pingcap/tiflow/pkg/sink/codec/simple"
)

// decodeRequest asks for the events in messages.
type decodeRequest struct {
	Protocol string        `json:"protocol"`
	Options  options       `json:"options"`
	Messages []messageIn   `json:"messages"`
	Registry []schemaEntry `json:"registry"` // Avro: the schemas that the messages name
	Claims   []claimFile   `json:"claims"`   // claim-check files
	Topic    string        `json:"topic"`    // Avro: the topic
	// Wire (Craft only): stop at the columns on the wire. TiCDC's public decoder builds a table description for every event
	// and panics on flags that no table has; this reads with the same code, up to there.
	Wire bool `json:"wire"`
	// Fresh: a new decoder for every message. Canal-JSON's keeps the columns of the first row that it sees of a table until
	// a DDL of it comes, whatever columns later rows have.
	Fresh bool `json:"fresh"`
}

type messageIn struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

// decode runs messages through TiCDC's decoder, one decoder for all. What fails becomes an event of kind "error" and the
// decoder is made anew; Simple's is told the tables again that it had learned.
func decode(req *decodeRequest) ([]*Event, error) {
	s, err := newStream(req.Protocol, req.Options)
	defer s.close()
	if err != nil {
		return nil, err
	}
	if req.Wire {
		return decodeWire(req)
	}
	s.services.load(req.Registry, req.Claims)
	decoder, err := s.newDecoder(req.Topic)
	if err != nil {
		return nil, err
	}
	events := []*Event{}
	var described []messageIn // Simple: the messages so far that describe tables
	for i, message := range req.Messages {
		if (req.Fresh || s.config.Protocol == config.ProtocolCraft) && i > 0 {
			// Craft's AddKeyValue does not start its index anew: TiCDC uses one decoder a message.
			if decoder, err = s.newDecoder(req.Topic); err != nil {
				return nil, err
			}
		}
		failed := guard(func() error {
			return drain(decoder, message, func(e *Event) {
				if e.Kind == "ddl" || e.Kind == "bootstrap" {
					described = append(described, message)
				}
				index := i
				e.N, e.Message = len(events), &index
				events = append(events, e)
			})
		})
		if failed != nil {
			index := i
			events = append(events, &Event{N: len(events), Kind: "error", Message: &index, Error: errors.Cause(failed).Error()})
			if decoder, err = s.newDecoder(req.Topic); err != nil {
				return nil, err
			}
			if _, isSimple := decoder.(*simple.Decoder); isSimple {
				// Without its tables it would keep rows back, and then never return from the next table's DDL.
				for _, earlier := range described {
					if err := guard(func() error { return drain(decoder, earlier, func(*Event) {}) }); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return events, nil
}

// decodeWire reads Craft messages of rows with TiCDC's message decoder: columns as they are on the wire.
func decodeWire(req *decodeRequest) ([]*Event, error) {
	if req.Protocol != "craft" {
		return nil, fmt.Errorf("wire is for craft, not for %s", req.Protocol)
	}
	events := []*Event{}
	for i, message := range req.Messages {
		index := i
		failed := guard(func() error {
			decoder, err := craft.NewMessageDecoder(message.Value, craft.NewSliceAllocator(64))
			if err != nil {
				return err
			}
			headers, err := decoder.Headers()
			if err != nil {
				return err
			}
			for k := 0; k < headers.Count(); k++ {
				e := &Event{N: len(events), CommitTs: headers.GetTs(k), Message: &index}
				e.Schema, e.Table = headers.GetSchema(k), headers.GetTable(k)
				if partition := headers.GetPartition(k); partition >= 0 {
					e.IsPartition, e.PhysicalTableID = true, &partition
				}
				switch headers.GetType(k) {
				case model.MessageTypeRow:
					err = wireRow(decoder, k, e)
				case model.MessageTypeDDL:
					var kind timodel.ActionType
					var query string
					kind, query, err = decoder.DDLEvent(k)
					number := int(kind)
					e.Kind, e.DDLType, e.Query = "ddl", &number, &query
				case model.MessageTypeResolved:
					e.Kind = "watermark"
				default:
					err = fmt.Errorf("event type %d", headers.GetType(k))
				}
				if err != nil {
					return err
				}
				events = append(events, e)
			}
			return nil
		})
		if failed != nil {
			events = append(events, &Event{N: len(events), Kind: "error", Message: &index, Error: errors.Cause(failed).Error()})
		}
	}
	return events, nil
}

func wireRow(decoder *craft.MessageDecoder, k int, e *Event) error {
	old, new, err := decoder.RowChangedEvent(k)
	if err != nil {
		return err
	}
	side := func(columns []*model.Column, err error) ([]*Column, []*Value, error) {
		described, values := []*Column{}, []*Value{}
		for _, column := range columns {
			described = append(described, &Column{Name: column.Name, Type: column.Type, Flags: uint64(column.Flag)})
			values = append(values, valueOf(column.Value))
		}
		return described, values, err
	}
	e.Kind = "update"
	if old == nil {
		e.Kind = "insert"
	} else if e.OldColumns, e.Old, err = side(old.ToModel()); err != nil {
		return err
	}
	if new == nil {
		e.Kind, e.Columns, e.OldColumns = "delete", e.OldColumns, nil
		return nil
	}
	e.Columns, e.New, err = side(new.ToModel())
	return err
}

func (s *stream) newDecoder(topic string) (codec.RowEventDecoder, error) {
	ctx := context.Background()
	switch s.config.Protocol {
	case config.ProtocolCraft:
		return craft.NewBatchDecoderWithAllocator(craft.NewSliceAllocator(64)), nil
	case config.ProtocolOpen, config.ProtocolDefault:
		return open.NewBatchDecoder(ctx, s.config, nil)
	case config.ProtocolCanalJSON:
		if s.txn {
			return canal.NewCanalJSONTxnEventDecoder(s.config), nil
		}
		return canal.NewBatchDecoder(ctx, s.config, nil)
	case config.ProtocolDebezium:
		return debezium.NewDecoder(s.config, nil), nil
	case config.ProtocolSimple:
		return simple.NewDecoder(ctx, s.config, nil)
	case config.ProtocolAvro:
		schemas, err := avro.NewConfluentSchemaManager(ctx, s.services.registry.URL, nil)
		if err != nil {
			return nil, err
		}
		return avro.NewDecoder(s.config, schemas, topic, nil), nil
	}
	return nil, fmt.Errorf("protocol %s has no decoder in TiCDC", s.config.Protocol)
}

// drain feeds one message and emits all events that come out of it.
func drain(decoder codec.RowEventDecoder, message messageIn, emit func(*Event)) error {
	if err := decoder.AddKeyValue(message.Key, message.Value); err != nil {
		return err
	}
	for {
		kind, ok, err := decoder.HasNext()
		if err != nil || !ok {
			return err
		}
		switch kind {
		case model.MessageTypeRow:
			row, err := decoder.NextRowChangedEvent()
			if err != nil {
				return err
			}
			if !isNil(row) { // Simple keeps a row whose table it does not know yet
				emit(describeRow(row))
			}
		case model.MessageTypeDDL:
			ddl, err := decoder.NextDDLEvent()
			if err != nil {
				return err
			}
			if !isNil(ddl) {
				emit(describeDDL(ddl))
			}
			if s, isSimple := decoder.(*simple.Decoder); isSimple {
				for _, row := range s.GetCachedEvents() {
					emit(describeRow(row))
				}
			}
		case model.MessageTypeResolved:
			ts, err := decoder.NextResolvedEvent()
			if err != nil {
				return err
			}
			emit(&Event{Kind: "watermark", CommitTs: ts, StartTs: ts})
		default:
			return fmt.Errorf("the decoder announced an event of kind %d", kind)
		}
	}
}

func isNil(v any) bool { return v == nil || reflect.ValueOf(v).IsNil() }

// inflateRequest asks for values without their compression (snappy or lz4, as TiCDC applies them).
type inflateRequest struct {
	Codec  string   `json:"codec"`
	Values [][]byte `json:"values"`
}

func inflate(req *inflateRequest) ([][]byte, error) {
	out := make([][]byte, len(req.Values))
	for i, value := range req.Values {
		plain, err := compression.Decode(req.Codec, value)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i, err)
		}
		out[i] = plain
	}
	return out, nil
}
