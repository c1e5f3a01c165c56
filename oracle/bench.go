package main

// Bench mode: what TiCDC's codecs need per event, the best of several runs, for messages and events of the request.

import (
	"context"
	"fmt"
	"time"

	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/pkg/config"
	"github.com/pingcap/tiflow/pkg/sink/codec"
	"github.com/pingcap/tiflow/pkg/sink/codec/craft"
)

// benchRequest names a codec and what to run through it: events are encoded, messages decoded; either may be absent.
type benchRequest struct {
	Protocol string        `json:"protocol"`
	Options  options       `json:"options"`
	Tables   []*TableDef   `json:"tables"`
	Events   []*Event      `json:"events"` // rows only; one Build for all
	Messages []messageIn   `json:"messages"`
	Prepare  []messageIn   `json:"prepare"` // decoded once, before: Simple's decoder wants a table's DDL first
	Registry []schemaEntry `json:"registry"`
	Runs     int           `json:"runs"`    // measurements, of which the least counts; default 5
	Seconds  float64       `json:"seconds"` // length of one measurement; default 0.2
}

// benchResult has ns per event. Encode reuses its encoder: AppendRowChangedEvent for each event, then Build. Decode
// reuses its decoder (Craft: one per message, as TiCDC does) and touches every value. DecodeWire is Craft only: reading
// the wire and converting the values, without the table description that the public decoder builds for every event.
type benchResult struct {
	Events     int      `json:"events"`
	Encode     *float64 `json:"encode_ns,omitempty"`
	Decode     *float64 `json:"decode_ns,omitempty"`
	DecodeWire *float64 `json:"decode_wire_ns,omitempty"`
	Bytes      int      `json:"bytes,omitempty"` // key + value of one Build
	Errors     []string `json:"errors,omitempty"`
}

func bench(req *benchRequest) (any, error) {
	s, err := newStream(req.Protocol, req.Options)
	defer s.close()
	if err != nil {
		return nil, err
	}
	s.services.load(req.Registry, nil)
	runs, span := req.Runs, time.Duration(req.Seconds*float64(time.Second))
	if runs <= 0 {
		runs = 5
	}
	if span <= 0 {
		span = 200 * time.Millisecond
	}
	out := &benchResult{}
	keep := func(into **float64, events int, once func() error) {
		best, err := measure(runs, span, once)
		if err != nil {
			out.Errors = append(out.Errors, err.Error())
			return
		}
		ns := best / float64(max(events, 1))
		*into = &ns
	}
	if len(req.Events) > 0 {
		infos := newTableInfos(req.Tables)
		rows := make([]*model.RowChangedEvent, len(req.Events))
		topics := make([]string, len(req.Events))
		for i, e := range req.Events {
			if rows[i], err = infos.row(e); err != nil {
				return nil, err
			}
			topics[i] = s.topicOf(rows[i])
		}
		if err := s.newEncoder(); err != nil {
			return nil, err
		}
		out.Events = len(rows)
		keep(&out.Encode, len(rows), func() error {
			for i, row := range rows {
				if err := s.encoder.AppendRowChangedEvent(context.Background(), topics[i], row, nil); err != nil {
					return err
				}
			}
			out.Bytes = 0
			for _, m := range s.encoder.Build() {
				out.Bytes += len(m.Key) + len(m.Value)
			}
			return nil
		})
	}
	if len(req.Messages) > 0 {
		decoder, err := s.newDecoder("")
		if err != nil {
			out.Errors = append(out.Errors, err.Error())
			return out, nil
		}
		for _, m := range req.Prepare {
			if _, err := drainAndTouch(decoder, m); err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
		}
		isCraft := s.config.Protocol == config.ProtocolCraft
		events := 0
		once := func() error {
			events = 0
			for _, m := range req.Messages {
				if isCraft {
					decoder = craft.NewBatchDecoderWithAllocator(craft.NewSliceAllocator(64))
				}
				n, err := drainAndTouch(decoder, m)
				if err != nil {
					return err
				}
				events += n
			}
			return nil
		}
		if err := guard(once); err != nil { // counts the events, too
			out.Errors = append(out.Errors, err.Error())
			return out, nil
		}
		out.Events = events
		keep(&out.Decode, events, once)
		if isCraft {
			keep(&out.DecodeWire, events, func() error { return craftWire(req.Messages) })
		}
	}
	return out, nil
}

// measure repeats once for the length of a measurement, runs times, and returns the least ns per call.
func measure(runs int, span time.Duration, once func() error) (best float64, err error) {
	err = guard(func() error {
		for run := 0; run < runs; run++ {
			calls, start := 0, time.Now()
			for step := 1; time.Since(start) < span; step = min(step*2, 1024) {
				for i := 0; i < step; i++ {
					if err := once(); err != nil {
						return err
					}
				}
				calls += step
			}
			if ns := float64(time.Since(start).Nanoseconds()) / float64(calls); run == 0 || ns < best {
				best = ns
			}
		}
		return nil
	})
	return best, err
}

// touched keeps the compiler from dropping the reading of values.
var touched int

func drainAndTouch(decoder codec.RowEventDecoder, m messageIn) (events int, err error) {
	if err := decoder.AddKeyValue(m.Key, m.Value); err != nil {
		return 0, err
	}
	for {
		kind, ok, err := decoder.HasNext()
		if err != nil || !ok {
			return events, err
		}
		switch kind {
		case model.MessageTypeRow:
			row, err := decoder.NextRowChangedEvent()
			if err != nil {
				return events, err
			}
			if row == nil {
				return events, fmt.Errorf("the decoder keeps the row back: it wants the table's DDL message first")
			}
			for _, cells := range [][]*model.ColumnData{row.Columns, row.PreColumns} {
				for _, cell := range cells {
					if cell != nil && cell.Value != nil {
						touched++
					}
				}
			}
		case model.MessageTypeDDL:
			if _, err := decoder.NextDDLEvent(); err != nil {
				return events, err
			}
		default:
			if _, err := decoder.NextResolvedEvent(); err != nil {
				return events, err
			}
		}
		events++
	}
}

// craftWire reads Craft messages of rows down to typed values and stops there.
func craftWire(messages []messageIn) error {
	for _, m := range messages {
		decoder, err := craft.NewMessageDecoder(m.Value, craft.NewSliceAllocator(64))
		if err != nil {
			return err
		}
		headers, err := decoder.Headers()
		if err != nil {
			return err
		}
		for i := 0; i < headers.Count(); i++ {
			old, new, err := decoder.RowChangedEvent(i)
			if err != nil {
				return err
			}
			touched += int(headers.GetTs(i) & 1)
			if old != nil {
				columns, err := old.ToModel()
				if err != nil {
					return err
				}
				touched += touch(columns)
			}
			if new != nil {
				columns, err := new.ToModel()
				if err != nil {
					return err
				}
				touched += touch(columns)
			}
		}
	}
	return nil
}

func touch(columns []*model.Column) (n int) {
	for _, column := range columns {
		if column.Value != nil {
			n++
		}
	}
	return n
}
