"""How Spark and Iceberg reach S3, or a store with its interface, such as MinIO.

Address and credentials are those that AWS's own clients find: environment variables (`AWS_ACCESS_KEY_ID`,
`AWS_ENDPOINT_URL`, `AWS_REGION`, ...), the user's files in `~/.aws`, or the machine's role. Python's clients (s3fs,
delta-rs) find them by themselves.
"""

from __future__ import annotations

import os

_SCHEMES = ("s3://", "s3a://")
_CREDENTIALS = (
    "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",  # fs.s3a.access.key, where a session has it
    "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider",
)


def is_s3(place: str) -> bool:
    """Whether an address is one of S3."""
    return place.startswith(_SCHEMES)


def s3_settings() -> dict[str, str]:
    """The settings of a session with the jars `s3`, in which `s3://` and `s3a://` are the same."""
    hadoop = {
        "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "fs.AbstractFileSystem.s3.impl": "org.apache.hadoop.fs.s3a.S3A",
        "fs.s3a.aws.credentials.provider": ",".join(_CREDENTIALS),
    }
    if endpoint := _endpoint():
        hadoop |= {"fs.s3a.endpoint": endpoint, "fs.s3a.path.style.access": "true"}
    if region := _region():
        hadoop["fs.s3a.endpoint.region"] = region
    return {f"spark.hadoop.{name}": value for name, value in hadoop.items()}


def s3_files() -> dict[str, str]:
    """The settings of an Iceberg catalog whose tables are in S3, without the catalog's name."""
    files = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
    if endpoint := _endpoint():
        files |= {"s3.endpoint": endpoint, "s3.path-style-access": "true", "client.region": _region()}
    return files


def delta_options(place: str) -> dict[str, str] | None:
    """The options by which delta-rs opens a table; what they do not say, it finds in the environment."""
    endpoint = _endpoint()
    if not is_s3(place) or endpoint is None:
        return None
    plain = str(endpoint.startswith("http://")).lower()
    return {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": plain, "AWS_REGION": _region()}


def _endpoint() -> str | None:
    """The address of a store other than AWS's own."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None


def _region() -> str:
    """The region; empty if AWS's clients find it. A store other than AWS's takes any, but clients ask for one."""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return region or ("us-east-1" if _endpoint() else "")
