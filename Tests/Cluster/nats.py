"""A small client of NATS for the tests of the cluster: requests, streams, and all messages of a stream.

It waits: one thread at a time has a client. Servers come and go, so requests are made again until their time is over.
"""
import json, random, socket, time


class Failure(Exception):
    pass


class Message:
    def __init__(self, subject, headers, payload):
        self.subject, self.payload = subject, payload
        self.status, self.headers = None, {}
        if headers:
            lines = headers.decode().split("\r\n")
            words = lines[0].split(" ", 2)
            if len(words) > 1 and words[1]:
                self.status = int(words[1])
            for line in lines[1:]:
                name, _, value = line.partition(":")
                self.headers[name] = value.strip()


class Client:
    def __init__(self, ports, name="test"):
        self.ports, self.name, self.socket = list(ports), name, None
        self.number, self.turn = 0, random.randrange(3)
        self.inbox = "_INBOX.%016x" % random.getrandbits(64)

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def connect(self, limit):
        while self.socket is None:
            port = self.ports[self.turn % len(self.ports)]
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=1)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.buffer, self.start = bytearray(), 0
                self.line(time.monotonic() + 1)
                self.send(b'CONNECT {"verbose":false,"headers":true,"no_responders":true,"name":"%s"}\r\n'
                          b'SUB %s.* 1\r\nPING\r\n' % (self.name.encode(), self.inbox.encode()))
                while self.line(time.monotonic() + 1) != b"PONG":
                    pass
            except (OSError, Failure) as error:
                self.close()
                self.turn += 1
                if time.monotonic() > limit:
                    raise Failure("no server can be reached: %s" % error)
                time.sleep(0.05)

    def send(self, data):
        self.socket.settimeout(5)
        self.socket.sendall(data)

    def receive(self, limit):
        left = limit - time.monotonic()
        if left <= 0:
            raise Failure("there is no answer in time")
        self.socket.settimeout(left)
        try:
            piece = self.socket.recv(1 << 18)
        except socket.timeout:
            raise Failure("there is no answer in time")
        if not piece:
            raise OSError("the server has closed the connection")
        if self.start > 1 << 20:
            del self.buffer[:self.start]
            self.start = 0
        self.buffer += piece

    def line(self, limit):
        while True:
            end = self.buffer.find(b"\r\n", self.start)
            if end >= 0:
                line = bytes(self.buffer[self.start:end])
                self.start = end + 2
                return line
            self.receive(limit)

    def message(self, limit):
        """The next message; answers pings."""
        while True:
            line = self.line(limit)
            words = line.split()
            if not words:
                continue
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                total = int(words[-1])
                head = int(words[-2]) if words[0] == b"HMSG" else 0
                while len(self.buffer) - self.start < total + 2:
                    self.receive(limit)
                body = bytes(self.buffer[self.start:self.start + total])
                self.start += total + 2
                return Message(words[1].decode(), body[:head], body[head:])
            elif words[0] == b"-ERR":
                raise OSError(line.decode())

    def words(self, subject, reply, payload, headers=None):
        if not headers:
            return b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), reply.encode(), len(payload), payload)
        head = b"NATS/1.0\r\n" + b"".join(b"%s: %s\r\n" % (k.encode(), v.encode()) for k, v in headers.items()) + b"\r\n"
        return b"HPUB %s %s %d %d\r\n%s%s\r\n" % (
            subject.encode(), reply.encode(), len(head), len(head) + len(payload), head, payload)

    def request(self, subject, payload=b"", timeout=10, whole=lambda message: True, patience=2):
        """Asks again and again until there is an answer, or for several messages up to the one that is the last."""
        limit = time.monotonic() + timeout
        while True:
            try:
                self.connect(limit)
                self.number += 1
                inbox = "%s.%d" % (self.inbox, self.number)
                self.send(self.words(subject, inbox, payload))
                found, end = [], min(limit, time.monotonic() + patience)
                while True:
                    message = self.message(end)
                    if message.subject != inbox:
                        continue
                    if message.status == 503:
                        raise Failure("nobody answers %s" % subject)
                    found.append(message)
                    if whole(message):
                        return found
            except (OSError, Failure) as error:
                if not isinstance(error, Failure) or "in time" in str(error):
                    self.close()
                    self.turn += 1
                if time.monotonic() > limit:
                    raise Failure("%s: %s" % (subject, error))
                time.sleep(0.05)

    def api(self, subject, question=None, timeout=10):
        answer = self.request("$JS.API." + subject, json.dumps(question).encode() if question else b"", timeout)[0]
        answer = json.loads(answer.payload)
        if "error" in answer:
            raise Failure("%s: %s" % (subject, answer["error"].get("description")))
        return answer

    def create(self, name, subjects, replicas, timeout=30, **more):
        """Makes a stream; the servers may not have found each other yet."""
        limit = time.monotonic() + timeout
        settings = dict(name=name, subjects=subjects, num_replicas=replicas, storage="file", discard="new",
                        allow_direct=True, retention="limits", **more)
        while True:
            try:
                return self.api("STREAM.CREATE." + name, settings)
            except Failure:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.2)

    def get(self, stream, question, timeout=10):
        """Messages of a stream, without the one that says that these are all."""
        answers = self.request("$JS.API.DIRECT.GET." + stream, json.dumps(question).encode(), timeout,
                               whole=lambda message: message.status is not None)
        last = answers.pop()
        if last.status not in (204, 404):
            raise Failure("%s: %s" % (stream, last.status))
        return answers

    def last(self, stream, subjects, timeout=10):
        """The last message of each subject, by what stands behind its last dot."""
        found = {}
        for message in self.get(stream, {"multi_last": [subjects]}, timeout):
            found[int(message.headers["Nats-Subject"].rsplit(".", 1)[1])] = message
        return found

    def all(self, stream, subjects, timeout=60):
        """All messages with some subjects, in their order: numbers, subjects and what they say."""
        first, found = 1, []
        while True:
            messages = self.get(stream, {"seq": first, "batch": 1000, "next_by_subj": subjects}, timeout)
            for message in messages:
                number = int(message.headers["Nats-Sequence"])
                if number < first:
                    raise Failure("message %d of %s comes after %d" % (number, stream, first - 1))
                first = number + 1
                found.append((number, message.headers["Nats-Subject"], message.payload))
            if not messages:
                return found

    def publish(self, messages, window=256, timeout=300):
        """Publishes messages, each a subject and what it says, that a stream confirms; fails with the first that it refuses."""
        limit = time.monotonic() + timeout
        self.connect(limit)
        inbox, sent, confirmed, pieces = "%s.p" % self.inbox, 0, 0, []
        for subject, payload in messages:
            pieces.append(self.words(subject, inbox, payload))
            sent += 1
            if len(pieces) >= 64:
                self.send(b"".join(pieces))
                pieces = []
                while sent - confirmed >= window:
                    confirmed += self.confirmed(limit)
        self.send(b"".join(pieces))
        while confirmed < sent:
            confirmed += self.confirmed(limit)
        return sent

    def confirmed(self, limit):
        message = self.message(limit)
        if message.status == 503 or b'"error"' in message.payload:
            raise Failure("a message is refused: %s" % (message.payload or message.status))
        return 1
