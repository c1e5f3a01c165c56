"""What is done with messages around a protocol's codec: options and facts of protocols, detection, transcoding, claim
checks and compression, checksums of rows, and schema registries.

The decoders, encoders and dissectors that are printed call none of it; the packages of protocols do.
"""
