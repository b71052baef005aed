#!/usr/bin/env python3
"""Opens a page in Chromium and checks what people can do with it.

usage: browse.py BROWSER PAGE WIDTH HEIGHT [--picture FILE] CHECK...

A check is a name from CHECKS, or NAME=VALUE with an expression in JavaScript that must have this value. Talks to the browser
over pipes, in the DevTools protocol, so that it needs no package.
"""
import json, os, subprocess, sys, tempfile, base64, shutil


class Browser:
    def __init__(self, program, profile):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def connect():
            # The browser reads commands from descriptor 3 and writes answers to 4; neither may be overwritten first.
            reading, writing = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=" + profile],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reading, self.writing, self.buffer, self.number, self.session = ours_in, ours_out, b"", 0, None
        self.complaints = []

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.reading, 1 << 16)
            if not piece:
                raise SystemExit("the browser went away")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(message["params"])[:600])
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] in ("error", "warning"):
            self.complaints.append(message["params"]["entry"]["text"])
        return message

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(method + ": " + answer["error"]["message"])
                return answer["result"]

    def wait(self, method):
        while self.receive().get("method") != method:
            pass

    def open(self, page, width, height):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.send("Page.navigate", url="file://" + os.path.abspath(page))
        self.wait("Page.loadEventFired")

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(expression + ": " + json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def wheel(self, keys):
        box = self.value("(() => { const b = document.querySelector('.chart svg').getBoundingClientRect(); return [b.x + b.width / 2, b.y + 60]; })()")
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=box[0], y=box[1], deltaX=0, deltaY=-120 if keys else 120, modifiers=keys)

    def key(self, key, code=0):
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)


def scrolls(browser):
    before = browser.value("view.join()")
    start = browser.value("document.querySelector('.chart svg').scrollIntoView({ block: 'end' }), scrollY")
    browser.wheel(0)
    moved = browser.value("new Promise(done => { const look = n => scrollY > START || n === 0 ? done(scrollY > START) : setTimeout(look, 20, n - 1); look(500); })".replace("START", repr(start)))
    return moved and browser.value("view.join()") == before or "the wheel does not scroll the page"


def zooms(browser):
    span = "view[1] - view[0]"
    browser.value("document.querySelector('.chart svg').scrollIntoView({ block: 'center' })")
    before = browser.value(span)
    browser.wheel(2)
    closer = browser.value("new Promise(done => { const look = n => view[1] - view[0] < %r || n === 0 ? done(view[1] - view[0]) : setTimeout(look, 20, n - 1); look(500); })" % before)
    if not closer < before:
        return "Ctrl and the wheel do not look closer"
    browser.value("document.getElementById('all').click()")
    return browser.value(span) == before or "the button does not show everything"


def keys(browser):
    span = "view[1] - view[0]"
    browser.value("document.querySelector('.chart svg').focus()")
    whole = browser.value("view.join()")
    before = browser.value(span)
    browser.key("+")
    if not browser.value(span) < before * .6:
        return "the key + does not look closer"
    start = browser.value("view[0]")
    browser.key("ArrowRight", 39)
    if not browser.value("view[0]") > start:
        return "an arrow does not move"
    browser.key("0")
    if browser.value("view.join()") != whole:
        return "the key 0 does not show everything"
    if browser.value("charts[0].chart.marks.length") > 0:
        browser.key("n")
        if browser.value("picked") is None:
            return "the key n does not pick a mark"
    if browser.value("rows.length") > 0:
        browser.value("rows[0].element.focus()")
        browser.key("Enter", 13)
        if browser.value("document.querySelectorAll('#matches pre').length") != 1:
            return "Enter does not show the fields of a match"
    return True


def closed(browser):
    """Neither a script that an event brought nor anything from outside runs."""
    browser.value("""(() => { const made = document.createElement('script'); made.textContent = 'window.wasHacked = 1';
        document.body.appendChild(made); document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.wasHacked = 1">'); })()""")
    fetched = browser.value("fetch('data:text/plain,x').then(() => 1, () => 0)")
    if browser.value("window.wasHacked") is not None or fetched:
        return "the content security policy lets something in"
    # These complaints are the ones that were wanted.
    browser.complaints = []
    return True


def wide(browser):
    """Nothing is wider than the screen but what scrolls by itself, and an axis has labels enough to read it."""
    if browser.value("document.documentElement.scrollWidth > innerWidth"):
        return "the page is wider than the screen"
    least = browser.value("Math.min(...charts.map(chart => [...chart.svg.querySelectorAll('text')].filter(text => +text.getAttribute('y') === +chart.svg.getAttribute('height') - 4).length))")
    return least >= 2 or "an axis has %d labels" % least


def apart(browser):
    """Kinds of marks differ in colour and shape."""
    looks = browser.value("[...kinds.values()].map(kind => kind.color + kind.shape)")
    return len(set(looks)) == len(looks) and len(looks) > 1 or "kinds look the same: %r" % looks


CHECKS = {"scrolls": scrolls, "zooms": zooms, "keys": keys, "closed": closed, "wide": wide, "apart": apart}


def main(arguments):
    program, page, width, height = arguments[:4]
    checks = arguments[4:]
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile)
    try:
        browser.open(page, int(width), int(height))
        if checks[:1] == ["--picture"]:
            size = browser.value("document.documentElement.scrollHeight")
            picture = browser.send("Page.captureScreenshot", captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": int(width), "height": min(size, int(height)), "scale": 1})
            with open(checks[1], "wb") as file:
                file.write(base64.b64decode(picture["data"]))
            checks = checks[2:]
        wrong = []
        for check in checks:
            if check in CHECKS:
                found = CHECKS[check](browser)
                if found is not True:
                    wrong.append(found)
            else:
                expression, expected = check.rsplit("=", 1)
                found = browser.value(expression)
                if str(found) != expected:
                    wrong.append("%s is %r, not %s" % (expression, found, expected))
        wrong += browser.complaints
        for line in wrong:
            print("%s at %s x %s: %s" % (os.path.basename(page), width, height, line))
        return 1 if wrong else 0
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(profile, ignore_errors=True)


sys.exit(main(sys.argv[1:]))
