"""Processing of messages around a protocol's codec: options and facts of protocols, detection, transcoding, claim
checks and compression, row checksums, and schema registries.

Generated decoders, encoders and dissectors call none of it; the packages of protocols do.
"""
