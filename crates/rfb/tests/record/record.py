#!/usr/bin/env python3
"""Records short RFB sessions of a real QEMU, for tests/recorded.rs and benches/decode.rs.

Needs qemu-system-x86_64, as and objcopy. `./record.py` makes the committed sessions, `./record.py --long FOLDER` longer
ones of the noise for measuring (RFB_RECORDINGS=FOLDER cargo bench -p rfb). Each session is what the server said,
zlib-compressed, named <scene>-<encoding>.z; its line in sessions.txt has the size of the last screen and the FNV-1a
hash of the pixels that QEMU's own `screendump` gave for it.
"""
import json, os, socket, struct, subprocess, sys, tempfile, time, zlib

ENCODINGS = {"raw": [0], "hextile": [5], "zlib": [6], "zrle": [16], "tight": [7, -256 + 9], "gradient": [7, -256 + 9], "jpeg": [7, -32 + 6]}
# QEMU takes smooth pictures for a gradient, and honours a quality, where lossy; JPEG at once where not adaptive.
FLAGS = {"gradient": ",lossy=on", "jpeg": ",lossy=on,non-adaptive=on"}
PSEUDO = [1, -314, -239, -308, -223, -224, -307, -257, -258, -261]
SCENES = {  # scene: (boot sector, updates to take after the first whole picture, encodings)
    "bios": (None, 12, ["raw", "hextile", "zlib", "zrle", "tight"]),
    "noise": ("noise", 0, ["zrle", "tight"]),
    "colours": ("colours", 0, ["hextile", "zrle", "tight", "gradient", "jpeg"]),
}
LONG = {"noise": ("noise", 20, ["raw", "hextile", "zlib", "zrle", "tight"])}


class Viewer:
    """Just enough of a client to know where one update ends: it asks, then listens until QEMU is silent."""

    def __init__(self, path, encodings):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.said = b""
        self.read(12)
        self.socket.sendall(b"RFB 003.008\n")
        self.read(2)
        self.socket.sendall(b"\1")
        self.read(4)
        self.socket.sendall(b"\1")
        head = self.read(24)
        self.read(struct.unpack(">I", head[20:24])[0])
        self.socket.sendall(struct.pack(">BxxxBBBBHHHBBBxxx", 0, 32, 24, 0, 1, 255, 255, 255, 0, 8, 16))
        self.socket.sendall(struct.pack(">BxH", 2, len(encodings)) + struct.pack(f">{len(encodings)}i", *encodings))

    def read(self, count):
        got = b""
        while len(got) < count:
            got += self.socket.recv(count - len(got))
        self.said += got
        return got

    def ask(self, incremental):
        self.socket.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, 4096, 4096))

    def listen(self, silence):
        """Takes what comes until nothing came for a while; whether anything did."""
        self.socket.settimeout(silence)
        before = len(self.said)
        try:
            while piece := self.socket.recv(1 << 20):
                self.said += piece
        except TimeoutError:
            pass
        return len(self.said) > before


def qmp(path):
    for _ in range(100):
        try:
            control = socket.socket(socket.AF_UNIX)
            control.connect(path)
            break
        except OSError:
            time.sleep(0.05)
    lines = control.makefile("rw")
    lines.readline()

    def call(name, **arguments):
        lines.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        lines.flush()
        while "return" not in (answer := json.loads(lines.readline())):
            assert "error" not in answer, answer

    call("qmp_capabilities")
    return call


def pixels(ppm):
    magic, width, height, depth, _ = ppm.split(None, 4)
    start = ppm.index(b"\n255\n") + 5
    assert magic == b"P6" and depth == b"255"
    return int(width), int(height), ppm[start:]


def fnv(data):
    digest = 0xcbf29ce484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return digest


def record(sector, updates, encoding, folder):
    vnc, control = f"{folder}/vnc", f"{folder}/qmp"
    command = ["qemu-system-x86_64", "-M", "pc", "-m", "32", "-display", "none", "-S", "-nic", "none",
               "-vnc", f"unix:{vnc}" + FLAGS.get(encoding, ""), "-qmp", f"unix:{control},server,nowait"]
    if sector:
        command += ["-drive", f"format=raw,file={folder}/{sector}.bin,if=floppy", "-boot", "a"]
    qemu = subprocess.Popen(command)
    try:
        call = qmp(control)
        if sector:
            call("cont")
            time.sleep(3)
            if not updates:
                call("stop")
        viewer = Viewer(vnc, ENCODINGS[encoding] + PSEUDO)
        viewer.ask(0)
        viewer.listen(0.3)
        if updates:
            call("cont")
        for _ in range(updates):
            viewer.ask(1)
            viewer.listen(0.15)
        call("stop")
        time.sleep(0.3)
        viewer.ask(1)
        while viewer.listen(0.8):  # whatever is still on its way
            viewer.ask(1)
        call("screendump", filename=f"{folder}/screen.ppm")
        viewer.listen(0.5)
        width, height, rgb = pixels(open(f"{folder}/screen.ppm", "rb").read())
        return viewer.said, width, height, fnv(rgb)
    finally:
        qemu.kill()
        qemu.wait()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    scenes, data = SCENES, os.path.join(here, "..", "data")
    if sys.argv[1:2] == ["--long"]:
        scenes, data = LONG, sys.argv[2]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for sector in ("noise", "colours"):
            subprocess.check_call(["as", "--32", "-o", f"{folder}/{sector}.o", f"{here}/{sector}.s"])
            subprocess.check_call(["objcopy", "-O", "binary", f"{folder}/{sector}.o", f"{folder}/{sector}.bin"])
        for scene, (sector, updates, encodings) in scenes.items():
            for encoding in encodings:
                said, width, height, digest = record(sector, updates, encoding, folder)
                packed = zlib.compress(said, 9)
                open(f"{data}/{scene}-{encoding}.z", "wb").write(packed)
                lines.append(f"{scene}-{encoding} {width} {height} {digest:016x}")
                print(lines[-1], len(said), len(packed), flush=True)
    open(f"{data}/sessions.txt", "w").write("\n".join(lines) + "\n")


main()
