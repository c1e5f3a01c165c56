"""The plug-in for protocols whose key and value are runs of JSON objects, each behind its length."""
