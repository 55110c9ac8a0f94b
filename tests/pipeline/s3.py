"""An S3-compatible server with access control on: two buckets, and other rights for web and workers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from serve import processes
from tests.machinery.ports import free_port, wait_until_open

FILES, SEALED = "trees", "trees-sealed"
WEB_POLICY = [
    {"Effect": "Allow", "Action": ["s3:*"], "Resource": [f"arn:aws:s3:::{FILES}", f"arn:aws:s3:::{FILES}/*"]},
    {"Effect": "Allow", "Action": ["s3:PutObject"], "Resource": [f"arn:aws:s3:::{SEALED}/gold/*"]},
]
WORKER_POLICY = [
    {
        "Effect": "Allow",
        "Action": ["s3:*"],
        "Resource": [f"arn:aws:s3:::{name}{rest}" for name in (FILES, SEALED) for rest in ("", "/*")],
    }
]
AIRLOCK_POLICY = [
    {
        "Effect": "Allow",
        "Action": ["s3:GetObject"],
        "Resource": [f"arn:aws:s3:::{FILES}/{kind}/*" for kind in ("inputs", "images")],
    },
    {"Effect": "Allow", "Action": ["s3:PutObject"], "Resource": [f"arn:aws:s3:::{FILES}/software/*"]},
]
POLICIES = {"web": WEB_POLICY, "worker": WORKER_POLICY, "airlock": AIRLOCK_POLICY}
"""As in deploy/storage.sh."""


@dataclass(frozen=True, kw_only=True)
class Credentials:
    key: str
    secret: str


@dataclass(frozen=True, kw_only=True)
class Store:
    url: str
    web: Credentials
    worker: Credentials
    airlock: Credentials

    def environment(self, who: Credentials) -> dict[str, str]:
        return {
            "STORAGE": "s3",
            "S3_ENDPOINT_URL": self.url,
            "S3_BUCKET": FILES,
            "S3_SEALED_BUCKET": SEALED,
            "S3_ACCESS_KEY_ID": who.key,
            "S3_SECRET_ACCESS_KEY": who.secret,
        }

    def client(self, who: Credentials) -> Any:
        return client("s3", self.url, who)


def client(service: str, url: str, who: Credentials) -> Any:
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=who.key,
        aws_secret_access_key=who.secret,
    )


# Creating two buckets, users with a policy and a key each; afterwards every request needs its rights.
FREE_ACTIONS = 2 + 3 * len(POLICIES)


@contextmanager
def serving(folder: Path) -> Iterator[Store]:
    port = free_port()
    with (folder / "s3.log").open("w") as log:
        process = processes.start(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            environment={"INITIAL_NO_AUTH_ACTION_COUNT": str(FREE_ACTIONS), "PATH": "/usr/bin:/bin"},
            output=log,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_open(port, process, folder / "s3.log")
        root = Credentials(key="root", secret="root")
        store = client("s3", url, root)
        people = client("iam", url, root)
        for name in (FILES, SEALED):
            store.create_bucket(Bucket=name)
        values = {}
        for name, policy in POLICIES.items():
            people.create_user(UserName=name)
            document = json.dumps({"Version": "2012-10-17", "Statement": policy})
            people.put_user_policy(UserName=name, PolicyName="files", PolicyDocument=document)
            key = people.create_access_key(UserName=name)["AccessKey"]
            values[name] = Credentials(key=key["AccessKeyId"], secret=key["SecretAccessKey"])
        yield Store(url=url, **values)
    finally:
        processes.stop([process], grace_seconds=5)
