"""The plug-in for protocols whose key and value are Avro records with schemas in a registry."""
