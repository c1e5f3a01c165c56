package main

// How a codec is configured: options under TiCDC's names, taken through TiCDC's own configuration code; and the clock.

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pingcap/tiflow/cdc/model"
	"github.com/pingcap/tiflow/cdc/sink/dmlsink/mq/transformer/columnselector"
	"github.com/pingcap/tiflow/pkg/compression"
	"github.com/pingcap/tiflow/pkg/config"
	"github.com/pingcap/tiflow/pkg/integrity"
	"github.com/pingcap/tiflow/pkg/sink/codec"
	"github.com/pingcap/tiflow/pkg/sink/codec/common"
	"github.com/pingcap/tiflow/pkg/util"
)

// options are codec options under TiCDC's names, each a string, a number or a boolean; column-selectors is a list of objects.
type options map[string]any

// text is an option as text; numbers as they were written.
func (o options) text(name string) (string, bool) {
	v, ok := o[name]
	if !ok || v == nil {
		return "", false
	}
	if f, isFloat := v.(float64); isFloat {
		return strconv.FormatFloat(f, 'f', -1, 64), true
	}
	return fmt.Sprint(v), true
}

func (o options) flag(name string) (bool, error) {
	s, ok := o.text(name)
	if !ok {
		return false, nil
	}
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("option %s: %q is no boolean", name, s)
	}
	return b, nil
}

// Options that TiCDC reads from the sink URI's query.
var uriOptions = map[string]bool{
	"enable-tidb-extension": true, "max-batch-size": true, "max-message-bytes": true, "avro-decimal-handling-mode": true,
	"avro-bigint-unsigned-handling-mode": true, "avro-enable-watermark": true, "schema-registry": true,
	"only-output-updated-columns": true, "content-compatible": true, "debezium-disable-schema": true, "encoding-format": true,
}

// Options that TiCDC reads from the changefeed's configuration, and the oracle's own (see README.md).
var otherOptions = map[string]bool{
	"delete-only-output-handle-key-columns": true, "enable-row-checksum": true, "open-output-old-value": true,
	"debezium-output-old-value": true, "large-message-handle-option": true, "large-message-handle-compression": true,
	"claim-check-storage-uri": true, "claim-check-raw-value": true, "terminator": true, "time-zone": true,
	"encoder": true, "topic": true, "now_ms": true, "float8": true, "patched": true, "column-selectors": true,
}

// stream is a configured codec with what it needs around it.
type stream struct {
	config   *common.Config
	txn      bool   // Canal-JSON's encoder of the storage sink
	topic    string // may hold {schema} and {table}
	nowMs    int64  // what the clock in messages is set to; 0: left alone
	services *services
	selector *columnselector.ColumnSelector // takes columns out of rows, as the sink in front of the encoder does
	builder  codec.RowEventEncoderBuilder
	encoder  codec.RowEventEncoder
}

// newStream configures a codec in the way a changefeed does: sink URI and replica config through Config.Apply, Validate.
func newStream(protocol string, opts options) (*stream, error) {
	parsed, err := config.ParseSinkProtocolFromString(protocol)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for name := range opts {
		value, set := opts.text(name)
		switch {
		case uriOptions[name]:
			if set {
				query.Set(name, value)
			}
		case !otherOptions[name]:
			var known []string
			for k := range uriOptions {
				known = append(known, k)
			}
			for k := range otherOptions {
				known = append(known, k)
			}
			sort.Strings(known)
			return nil, fmt.Errorf("option %s is not known; known are %s", name, strings.Join(known, ", "))
		}
	}
	s := &stream{topic: "{schema}_{table}", services: startServices()}
	if given, ok := opts.text("topic"); ok {
		s.topic = given
	}
	if encoder, ok := opts.text("encoder"); ok {
		s.txn = strings.HasPrefix(encoder, "txn")
	}
	if now, ok := opts.text("now_ms"); ok {
		if s.nowMs, err = strconv.ParseInt(now, 10, 64); err != nil {
			return s, fmt.Errorf("option now_ms: %w", err)
		}
	}
	if parsed == config.ProtocolAvro {
		query.Set("schema-registry", s.services.registry.URL)
	} else {
		query.Del("schema-registry")
	}
	replica, err := s.replicaConfig(opts)
	if err != nil {
		return s, err
	}
	if s.selector, err = columnselector.New(replica); err != nil {
		return s, err
	}
	s.config = common.NewConfig(parsed).WithChangefeedID(model.DefaultChangeFeedID("oracle"))
	if err := s.config.Apply(&url.URL{Scheme: "kafka", Host: "oracle", RawQuery: query.Encode()}, replica); err != nil {
		return s, err
	}
	zone := "UTC"
	if given, ok := opts.text("time-zone"); ok {
		zone = given
	}
	if s.config.TimeZone, err = time.LoadLocation(zone); err != nil {
		return s, err
	}
	return s, s.config.Validate()
}

func (s *stream) replicaConfig(opts options) (*config.ReplicaConfig, error) {
	replica := config.GetDefaultReplicaConfig()
	sink := replica.Sink
	for name, set := range map[string]func(bool){
		"delete-only-output-handle-key-columns": func(b bool) { sink.DeleteOnlyOutputHandleKeyColumns = util.AddressOf(b) },
		"enable-row-checksum": func(b bool) {
			if b {
				replica.Integrity.IntegrityCheckLevel = integrity.CheckLevelCorrectness
			}
		},
		"open-output-old-value":     func(b bool) { sink.OpenProtocol = &config.OpenProtocolConfig{OutputOldValue: b} },
		"debezium-output-old-value": func(b bool) { sink.Debezium = &config.DebeziumConfig{OutputOldValue: b} },
	} {
		if _, given := opts.text(name); given {
			b, err := opts.flag(name)
			if err != nil {
				return nil, err
			}
			set(b)
		}
	}
	if selectors, given := opts["column-selectors"]; given {
		text, err := json.Marshal(selectors)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &sink.ColumnSelectors); err != nil {
			return nil, fmt.Errorf("option column-selectors: %w", err)
		}
	}
	if terminator, ok := opts.text("terminator"); ok {
		sink.Terminator = &terminator
	}
	large := config.NewDefaultLargeMessageHandleConfig()
	if v, ok := opts.text("large-message-handle-option"); ok {
		large.LargeMessageHandleOption = v
	}
	if v, ok := opts.text("large-message-handle-compression"); ok {
		large.LargeMessageHandleCompression = v
	}
	if v, ok := opts.text("claim-check-storage-uri"); ok {
		large.ClaimCheckStorageURI = s.services.claimURI(v)
	}
	raw, err := opts.flag("claim-check-raw-value")
	if err != nil {
		return nil, err
	}
	large.ClaimCheckRawValue = raw
	sink.KafkaConfig = &config.KafkaConfig{LargeMessageHandle: large}
	return replica, nil
}

func (s *stream) close() {
	if s != nil && s.services != nil {
		s.services.close()
	}
}

// setClock replaces the time of encoding inside a message (ts, buildTs, ts_ms) by now_ms. TiCDC offers no way to set its
// clock, but we know between which milliseconds it looked at it: the text (JSON) or zigzag varint (Avro) of those few
// numbers is replaced. Both forms keep their length as long as now_ms has as many digits as the present.
func (s *stream) setClock(value []byte, start time.Time) []byte {
	codecName := s.config.LargeMessageHandle.LargeMessageHandleCompression
	plain := value
	if codecName != compression.None && codecName != "" && s.config.Protocol != config.ProtocolAvro {
		var err error
		if plain, err = compression.Decode(codecName, value); err != nil {
			return value
		}
	}
	text := string(plain)
	for ms := start.UnixMilli(); ms <= time.Now().UnixMilli(); ms++ {
		if s.config.Protocol == config.ProtocolSimple && s.config.EncodingFormat == common.EncodingFormatAvro {
			text = strings.ReplaceAll(text, string(binary.AppendVarint(nil, ms)), string(binary.AppendVarint(nil, s.nowMs)))
		} else {
			text = strings.ReplaceAll(text, strconv.FormatInt(ms, 10), strconv.FormatInt(s.nowMs, 10))
		}
	}
	if text == string(plain) {
		return value
	}
	if len(plain) > 0 && &plain[0] != &value[0] {
		if packed, err := compression.Encode(codecName, []byte(text)); err == nil {
			return packed
		}
		return value
	}
	return []byte(text)
}
