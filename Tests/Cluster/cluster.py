"""Servers of NATS, members of a group, and the network between them: what the proof starts, breaks and ends.

Every process ends with the program that started it, however that ends.
"""
import asyncio, ctypes, os, shutil, signal, socket, subprocess, tempfile, threading, time
import nats

HERE = os.path.dirname(os.path.abspath(__file__))

try:
    LIBRARY = ctypes.CDLL(None)
    LIBRARY.prctl
except (OSError, AttributeError):
    LIBRARY = None


def ends_with_parent():
    os.setpgid(0, 0)
    if LIBRARY:
        LIBRARY.prctl(1, signal.SIGKILL)


def start(arguments, **more):
    # The thread that starts a process has to stay: the process ends with it.
    assert threading.current_thread() is threading.main_thread()
    return subprocess.Popen(arguments, preexec_fn=ends_with_parent, **more)


def end(process, signals=signal.SIGKILL, patience=10):
    """Ends a process that may have ended, or may be stopped."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(signal.SIGCONT)
    process.send_signal(signals)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def free_ports(count):
    """Ports at which nothing listens, below those that the system gives to connections."""
    found = []
    start_at = 20000 + os.getpid() % 1000 * 10
    for port in range(start_at, 32000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                found.append(port)
            except OSError:
                found = []
        if len(found) == count:
            return found
    raise SystemExit("there are no ports left")


class Server:
    program = None

    def __init__(self, index, folder, port, route, routes, configuration):
        self.index, self.folder, self.port, self.route, self.routes = index, folder, port, route, routes
        self.configuration, self.process, self.starts, self.log = configuration, None, 0, "%s/server-%d.log" % (folder, index)

    def start(self):
        self.starts += 1
        with open(self.log, "ab") as log:
            self.process = start(
                [Server.program or "nats-server", "-c", self.configuration, "--name", "weir-%d" % self.index,
                 "-p", str(self.port), "--store_dir", "%s/store-%d" % (self.folder, self.index),
                 "--cluster", "nats://127.0.0.1:%d" % self.route, "--routes", self.routes],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        end(self.process)

    @property
    def is_up(self):
        return self.process is not None and self.process.poll() is None


class Cluster:
    def __init__(self, folder, count=3, sync="always", room=None):
        self.folder = folder
        configuration = HERE + "/servers.conf"
        if sync != "always" or room:
            with open(configuration) as file:
                text = file.read().replace("always", sync + (", max_file_store: %d" % room if room else ""))
            configuration = folder + "/servers.conf"
            with open(configuration, "w") as file:
                file.write(text)
        ports = free_ports(2 * count)
        routes = ",".join("nats://127.0.0.1:%d" % port for port in ports[count:])
        self.servers = [Server(i, folder, ports[i], ports[count + i], routes, configuration) for i in range(count)]
        self.ports = ports[:count]

    def start(self):
        for server in self.servers:
            server.start()
        client = self.client()
        client.request("$JS.API.INFO", timeout=60)
        client.close()
        try:
            # The program itself, where the one on the path is a script that finds it.
            found = os.readlink("/proc/%d/exe" % self.servers[0].process.pid)
            if "nats-server" in os.path.basename(found):
                Server.program = found
        except OSError:
            pass

    def stop(self):
        for server in self.servers:
            server.kill()

    def client(self, name="test"):
        return nats.Client(self.ports, name)

    def address(self, subject, ports=None):
        return "nats://%s/%s" % (",".join("127.0.0.1:%d" % port for port in ports or self.ports), subject)

    def settle(self, client, streams, timeout=60):
        """Waits until all servers have all messages of some streams."""
        limit = time.monotonic() + timeout
        for name in streams:
            while True:
                try:
                    cluster = client.api("STREAM.INFO." + name)["cluster"]
                    others = cluster.get("replicas") or []
                    if cluster.get("leader") and len(others) == len(self.servers) - 1 \
                            and all(other.get("current") and not other.get("lag") for other in others):
                        break
                except nats.Failure:
                    pass
                if time.monotonic() > limit:
                    raise SystemExit("the servers have not all messages of '%s' after %d s" % (name, timeout))
                time.sleep(0.1)


class Network:
    """What is between members and servers: a port for each pair, whose connections can be cut and held up."""

    def __init__(self, ports, slots):
        self.targets, self.slots = ports, [self.Slot() for _ in range(slots)]
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait(10)

    class Slot:
        def __init__(self):
            self.ports, self.writers, self.is_open, self.refuses = [], set(), None, False

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.listen())
        ready.set()
        self.loop.run_forever()

    async def listen(self):
        for slot in self.slots:
            slot.is_open = asyncio.Event()
            slot.is_open.set()
            for target in self.targets:
                server = await asyncio.start_server(
                    lambda reader, writer, slot=slot, target=target: self.connect(reader, writer, slot, target),
                    "127.0.0.1", 0)
                slot.ports.append(server.sockets[0].getsockname()[1])

    async def connect(self, reader, writer, slot, target):
        slot.writers.add(writer)
        other = None
        try:
            await slot.is_open.wait()
            if slot.refuses:
                return
            other_reader, other = await asyncio.open_connection("127.0.0.1", target)
            slot.writers.add(other)
            await asyncio.gather(self.pump(reader, other, slot), self.pump(other_reader, writer, slot))
        except OSError:
            pass
        finally:
            for one in (writer, other):
                if one is not None:
                    slot.writers.discard(one)
                    one.close()

    async def pump(self, reader, writer, slot):
        try:
            while True:
                piece = await reader.read(1 << 16)
                await slot.is_open.wait()
                if not piece:
                    return
                writer.write(piece)
                await writer.drain()
        finally:
            writer.close()

    def do(self, action):
        self.loop.call_soon_threadsafe(action)

    def hold(self, index):
        """Nothing passes, and nobody is told."""
        self.do(self.slots[index].is_open.clear)

    def cut(self, index):
        """All connections end, and no others are made."""
        slot = self.slots[index]

        def action():
            slot.refuses = True
            for writer in list(slot.writers):
                writer.transport.abort()
        self.do(action)

    def mend(self, index, cuts=False):
        """All passes again; with `cuts` what was held up is lost, and its connections end."""
        slot = self.slots[index]

        def action():
            slot.refuses = False
            if cuts:
                for writer in list(slot.writers):
                    writer.transport.abort()
            slot.is_open.set()
        self.do(action)


class Member:
    """A member of a group in its slot: started, and started again after each end."""

    def __init__(self, index, folder, command):
        self.index, self.command, self.process, self.log = index, command, None, "%s/member-%d.log" % (folder, index)
        self.wanted, self.starts, self.is_paused, self.ended_by_us, self.next_start = False, 0, False, True, 0.0
        self.log_start = 0

    @property
    def is_up(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        self.starts += 1
        self.is_paused, self.ended_by_us = False, False
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = start(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def words(self):
        """What it has said since its last start."""
        return self.words_since(self.log_start)

    def words_since(self, place):
        """What it has said since its log had a length."""
        with open(self.log, "rb") as log:
            log.seek(place)
            return log.read().decode(errors="replace")

    def signal(self, number):
        if self.is_up:
            self.ended_by_us = self.ended_by_us or number in (signal.SIGKILL, signal.SIGTERM)
            self.process.send_signal(number)


def has_server():
    return shutil.which("nats-server") is not None


def folder():
    return tempfile.mkdtemp(prefix="weir-cluster-")
