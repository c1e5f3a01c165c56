"""The plug-in for protocols whose key and value are records of Avro, whose schemas a registry has."""
