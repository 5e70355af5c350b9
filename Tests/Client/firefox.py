"""The menu board and the browser client in Firefox, controlled by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)."""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import websocket

program, files = sys.argv[1:3]
LIMIT = 30


def fail(message):
    sys.exit(f"firefox: {message}")


def start(arguments, pattern):
    """Starts a program and waits until its standard error matches a pattern."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = ""
    for line in process.stderr:
        text += line
        if match := re.search(pattern, text):
            return process, match[1]
    fail(f"{arguments[0]} ended: {text}")


def serve(address):
    return start([program, "serve", "--store", "memory", "--listen", address, "--www", files], r"http://(127\.0\.0\.1:\d+)")


class Firefox:
    """A headless Firefox with a profile of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        arguments = ["firefox-esr", "--headless", "--no-remote", "--profile", self.folder.name, "--remote-debugging-port", "0"]
        self.process, address = start(arguments, r"WebDriver BiDi listening on (ws://\S+)")
        self.socket = websocket.create_connection(f"{address}/session", timeout=LIMIT, suppress_origin=True)
        self.count = 0
        self.send("session.new", capabilities={})
        self.tabs = [self.send("browsingContext.getTree")["contexts"][0]["context"]]

    def send(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count:
                return message["result"] if message["type"] == "success" else fail(f"{method}: {message}")

    def open(self, url):
        self.tabs.append(self.send("browsingContext.create", type="tab")["context"])
        self.navigate(self.tabs[-1], url)

    def navigate(self, tab, url):
        self.send("browsingContext.navigate", context=tab, url=url, wait="complete")

    def value(self, tab, script):
        target = {"context": tab}
        result = self.send("script.evaluate", expression=script, target=target, awaitPromise=True)
        return result["result"].get("value") if result["type"] == "success" else fail(f"{script}: {result}")

    def wait(self, tab, script):
        end = time.monotonic() + LIMIT
        while not self.value(tab, script):
            if time.monotonic() > end:
                fail(f"no {script}: {self.value(tab, 'document.body.innerText')}")

    def quit(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


def main():
    server, address = serve("127.0.0.1:0")
    browser = Firefox()
    dish = "/state/pinnedDish/name"

    def request(method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json"}
        return urllib.request.urlopen(urllib.request.Request(f"http://{address}{path}", data, fields, method=method)).read()

    def shows(name):
        return f"document.getElementById('dishes').innerText.includes('{name}')"

    try:
        url = f"http://{address}/"
        browser.navigate(browser.tabs[0], url)
        for _ in range(4):
            browser.open(url)
        for tab in browser.tabs:
            browser.wait(tab, "document.querySelectorAll('#dishes li').length > 0")
        request("PUT", dish, "Stew")
        for tab in browser.tabs:
            browser.wait(tab, shows("Stew"))
        streams = re.search(rb"^bindery_streams_open (\d+)", request("GET", "/metrics"), re.M)[1]
        if streams != b"1":
            fail(f"{streams.decode()} streams for {len(browser.tabs)} tabs")

        # A page writes, and the first tab, which leads, is closed.
        set_name = "import('/client.js').then(({ connect }) => connect().at('/pinnedDish/name').set('Soup')).then(({ ok }) => ok)"
        if browser.value(browser.tabs[1], set_name) != "Soup":
            fail("the write was refused")
        browser.send("browsingContext.close", context=browser.tabs.pop(0))
        request("PUT", dish, "Bread")
        for tab in browser.tabs:
            browser.wait(tab, shows("Bread"))

        # The server goes away and comes back with another menu.
        server.kill()
        server.wait()
        browser.wait(browser.tabs[0], "document.getElementById('status').textContent.startsWith('Not up to date')")
        server, _ = serve(address)
        request("PUT", dish, "Rice")
        for tab in browser.tabs:
            browser.wait(tab, f"{shows('Rice')} && document.getElementById('status').textContent === ''")
    finally:
        browser.quit()
        server.kill()
        server.wait()
    print("firefox: passed")


main()
