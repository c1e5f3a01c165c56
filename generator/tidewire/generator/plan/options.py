"""The options that the encoder of messages takes, and their attribute names."""

from __future__ import annotations

from ..model import Option, Protocol

ENCODER_NAMES = frozenset(
    """
    absent action at_event begin_event bind bind_layout bind_tables blocks_of bytes_limit change_words changes
    check_alike check_all_or_none check_class check_event check_image chosen chunk codes column_terms columns
    compress connect connect_messages ddl_type_of describe described description description_writer
    descriptions dictionaries encode events events_limit failed first flags forget_blocks gathered handle_key
    has_changes has_message has_other_decimals has_past has_schema has_table head images images_of index_flags
    key key_block key_block_of_row key_blocks key_part keyed known known_blocks known_texts last last_blocks
    last_fields last_layout last_location last_opening last_spelled layout_rows layouts learn limit located
    made_fields made_ready made_rows measured members message_end most_bytes most_type named nameless names
    no_key no_message no_value now old_fields overhead physical_ms position prepare prepared_rows protocol
    put_connect_message put_digits put_number put_statement put_truth put_unsigned refuse registered renamed
    row_block row_blocks row_part row_zone rows rows_of said_int said_schema said_table said_text said_uint
    schema_positions schema_terms schema_writer schemas schemas_of sending_ms shared spell_tables spelling
    standing_for storages store table table_at table_names table_positions table_terms tables takes_key
    terminated time timed together types_of_tables untold value value_block value_block_of_row value_blocks
    values ways with_blocks write write_block write_event write_key write_key_block write_message
    write_objects young_columns young_fields zone
    """.split()  # noqa: SIM905
)
"""Attributes and methods of the runtime's encoders."""
CONSTRUCTOR_NAMES = frozenset(
    """
    bool bytes declared dict int min object options self spelling str string_bytes super type_text
    """.split()  # noqa: SIM905
)
"""Names that the constructors of printed encoders use, whose parameters are the options."""


def option_attribute(name: str) -> str:
    """The encoder attribute for an option: its name, with an underscore appended if encoders already have that
    attribute, or their constructors use that name.
    """
    attribute = name.replace("-", "_")
    return f"{attribute}_" if attribute in ENCODER_NAMES | CONSTRUCTOR_NAMES else attribute


def options_around(protocol: Protocol) -> set[str]:
    """Options that the encoder of messages does not take: those for compression and storage of messages, and those of
    the decoder.
    """
    names: set[str | None] = {protocol.compression, protocol.registry, *protocol.read_modes}
    if protocol.other_encoding is not None:
        names.add(protocol.other_encoding[0])
    if protocol.large is not None:
        names |= {protocol.large.option, protocol.large.bytes}
        for way in protocol.large.ways.values():
            names |= {way.store, way.raw}
    return {str(name) for name in names if name is not None} - protocol.read_inside


def wire_options(protocol: Protocol) -> tuple[Option, ...]:
    """The options that the encoder of messages takes, in the order of the spec."""
    around = options_around(protocol)
    return tuple(one for one in protocol.options.values() if one.name not in around and not one.ignored)
