"""The real nginx with the configuration of deploy/, in front of a server under test.

Only addresses and folders are replaced; a configuration in which one of them is not found is a failure.
"""

from __future__ import annotations

import http.client
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from serve import processes
from tests.machinery import debian
from tests.machinery.ports import free_port, wait_until_open
from tests.machinery.site import ROOT

NAME = "localhost"
MAIN = """
user root;
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    include {folder}/site.conf;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
}}
"""


@dataclass(frozen=True, kw_only=True)
class Proxy:
    port: int
    plain_port: int
    certificate: Path
    log: Path

    def connect(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection(NAME, self.port, timeout=30, context=context)


@contextmanager
def running(folder: Path, upstream: str) -> Iterator[Proxy]:
    """`upstream` is host and port of the site; `folder` gets everything that nginx writes."""
    program = debian.find_or_install(["nginx"], package="nginx", variable="NGINX")
    folder.mkdir()
    make_certificate(folder)
    proxy = Proxy(
        port=free_port(),
        plain_port=free_port(),
        certificate=folder / "fullchain.pem",
        log=folder / "access.log",
    )
    (folder / "site.conf").write_text(configuration(proxy, folder, upstream))
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    with (folder / "output").open("w") as output:
        process = processes.start([str(program), "-c", str(folder / "nginx.conf")], output=output)
    try:
        wait_until_open(proxy.port, process, folder / "output")
        yield proxy
    finally:
        processes.stop([process], grace_seconds=5)


def configuration(proxy: Proxy, folder: Path, upstream: str) -> str:
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for there, here in {
        "web:8000": upstream,
        "uploads:8000": upstream,
        "listen 80;": f"listen 127.0.0.1:{proxy.plain_port};",
        "listen 443 ": f"listen 127.0.0.1:{proxy.port} ",
        "/etc/nginx/tls/": f"{folder}/",
        "/etc/nginx/pages": str(ROOT / "deploy" / "pages"),
        "/var/log/nginx/access.log": str(proxy.log),
    }.items():
        assert there in text, there
        text = text.replace(there, here)
    return text


def make_certificate(folder: Path) -> None:
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt"]
    command += [
        "ec_paramgen_curve:prime256v1",
        "-days",
        "2",
        "-subj",
        f"/CN={NAME}",
        "-addext",
        f"subjectAltName=DNS:{NAME}",
    ]
    command += ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(command, check=True, capture_output=True)
