"""Runs all queries of the dashboard and of the alert rules against the metrics of a running server.

    python3 deploy/test/monitoring.py BINARY

A server with SQLite and one with PostgreSQL get requests of all kinds, and a Prometheus server reads their metrics and
evaluates the alert rules. Each metric that the dashboard or a rule names must exist, and each query of the dashboard must
have a result.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DEPLOY = pathlib.Path(__file__).parent.parent
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
RULES = DEPLOY / "prometheus-rules.yaml"
# The seconds until all queries must have a result. Rates need several scrapes.
TIMEOUT = 60


def fail(message):
    sys.exit(f"monitoring: {message}")


def request(url, method="GET", body=None, headers=None):
    """Returns the body of the response, whatever its status."""
    call = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(call, timeout=10) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


@contextlib.contextmanager
def process(*command, **options):
    with subprocess.Popen(command, **options) as child:
        try:
            yield child
        finally:
            child.terminate()


@contextlib.contextmanager
def database():
    """Starts a private PostgreSQL server."""
    script = DEPLOY.parent / "scripts/postgres"
    start = subprocess.run(
        [script, "start", "--until-exit-of", str(os.getpid())], check=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True)
    url, directory = start.stdout.split()
    try:
        yield url
    finally:
        subprocess.run([script, "stop", directory], check=True, stdin=subprocess.DEVNULL)


def address_of(server):
    """Returns the address from the log of a server."""
    for line in server.stderr:
        if match := re.search(r"serves (http://[0-9.:]+)/", line):
            return match[1]
    fail("the server did not start")


def exercise(address):
    """Sends requests with results of all kinds."""
    state = address + "/state"
    request(state)
    request(state + "/nothing")
    for time_of_day in ["tonight", "tomorrow", "tomorrow"]:
        request(state + "/time", "PATCH", json.dumps(time_of_day).encode(), {"Content-Type": "application/json"})
    request(state, headers={"Prefer": "read=newest"})
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        connection.recv(4096)


def metric_names(text):
    return set(re.findall(r"\b(?:bindery|process)_[a-z_]+\b", re.sub(r'"[^"]*"', "", text)))


def check_names(metrics):
    for text in metrics:
        check = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        if check.returncode:
            fail("promtool finds mistakes in the metrics:\n" + check.stderr)
    names = set(re.findall(r"^([a-z_]+)", "\n".join(metrics), re.MULTILINE))
    expressions = " ".join(re.findall(r"expr: (.*?)\n *(?:for|labels):", RULES.read_text(), re.DOTALL))
    expressions += " ".join(queries())
    if missing := metric_names(expressions) - names:
        fail("these metrics do not exist: " + ", ".join(sorted(missing)))
    return len(metric_names(expressions))


def queries():
    """Returns the queries of all panels, with values for their variables."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"]
            for variable, value in {"$job": "bindery", "$instance": ".+", "$__rate_interval": "30s"}.items():
                query = query.replace(variable, value)
            yield query


def ask(prometheus, query):
    """Returns the result of a query."""
    text = request(f"{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query}))
    answer = json.loads(text)
    if answer["status"] != "success":
        fail(f"{answer['error']}: {query}")
    return answer["data"]["result"]


def wait_until_ready(prometheus):
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if "Ready" in request(prometheus + "/-/ready"):
                return
        time.sleep(0.05)
    fail("Prometheus did not start")


def check_queries(addresses, prometheus):
    end = time.monotonic() + TIMEOUT
    remaining = list(queries())
    total = len(remaining)
    while remaining:
        for address in addresses:
            exercise(address)
        remaining = [query for query in remaining if not ask(prometheus, query)]
        if time.monotonic() > end:
            fail("these queries have no result:\n  " + "\n  ".join(remaining))
        time.sleep(0.2)
    return total


def check_rules(prometheus):
    groups = json.loads(request(prometheus + "/api/v1/rules"))["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    for rule in rules:
        if rule["health"] == "err":
            fail(f"{rule['name']}: {rule['lastError']}")
    return len(rules)


def check_layout():
    """Checks what Grafana requires but does not report: unique ids, and panels that do not overlap."""
    panels = DASHBOARD["panels"]
    cells = [
        (x, y)
        for position in (panel["gridPos"] for panel in panels)
        for x in range(position["x"], position["x"] + position["w"])
        for y in range(position["y"], position["y"] + position["h"])
    ]
    if len({panel["id"] for panel in panels}) < len(panels) or len(set(cells)) < len(cells) or max(cells)[0] > 23:
        fail("panels of the dashboard have the same id or overlap")


def main(binary):
    check_layout()
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as reserved:
        prometheus = "127.0.0.1:%d" % reserved.getsockname()[1]
        reserved.close()
        serve = [binary, "serve", "--listen", "127.0.0.1:0", "--store"]
        options = {"stderr": subprocess.PIPE, "text": True}
        with (
            database() as url, process(*serve, folder + "/bindery.db", **options) as server,
            process(*serve, url, **options) as replica,
        ):
            addresses = [address_of(server), address_of(replica)]
            for address in addresses:
                exercise(address)
            names = check_names([request(address + "/metrics") for address in addresses])
            configuration = {
                "global": {"scrape_interval": "250ms", "scrape_timeout": "250ms", "evaluation_interval": "250ms"},
                "rule_files": [str(RULES.resolve())],
                "scrape_configs": [
                    {
                        "job_name": "bindery",
                        "static_configs": [{"targets": [address.removeprefix("http://") for address in addresses]}],
                    }
                ],
            }
            file = pathlib.Path(folder, "prometheus.yml")
            file.write_text(json.dumps(configuration))
            with process(
                "prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address={prometheus}", "--log.level=error", stdin=subprocess.DEVNULL,
            ):
                wait_until_ready("http://" + prometheus)
                total = check_queries(addresses, "http://" + prometheus)
                rules = check_rules("http://" + prometheus)
    print(f"monitoring: {names} metrics exist, {total} queries have a result, {rules} alert rules are valid")


main(sys.argv[1])
