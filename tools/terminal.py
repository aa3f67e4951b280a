"""What a program shows on a terminal: run under a pseudo terminal of a given width, its output read
as a terminal reads it. Standard library only."""

import fcntl
import os
import pty
import re
import struct
import termios

# Output that vitrain may write: text, control characters, colours, erasing.
# Anything else is an error, because the picture would be wrong.
TOKEN = re.compile(r"\x1b\[([0-9;]*)([mK])|([\r\n])|([^\x1b\r\n]+)")


class Screen:
    """Lines of (character, colour) cells. `watch` is called with each finished live line."""

    def __init__(self, watch=lambda line: None):
        self.lines = [[]]
        self.column = 0
        self.colour = ""
        self.watch = watch

    def feed(self, text):
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if not token:
                raise ValueError(f"unknown sequence {text[at:at + 12]!r}")
            at = token.end()
            code, kind, control, plain = token.groups()
            line = self.lines[-1]
            if kind == "m":
                self.colour = "" if code in ("", "0") else code
            elif kind == "K":
                del line[self.column:]
                if self.column:
                    self.watch(list(line))
            elif control == "\r":
                self.column = 0
            elif control == "\n":
                self.lines.append([])
                self.column = 0
            else:
                for character in plain:
                    cell = (character, self.colour)
                    if self.column < len(line):
                        line[self.column] = cell
                    else:
                        line += [(" ", "")] * (self.column - len(line)) + [cell]
                    self.column += 1


def plain(line):
    return "".join(character for character, _ in line).rstrip()


def record(command, folder, columns, environment=None):
    """Runs a command; its lines, and every state of its live line. Raises when it fails."""
    live = []
    screen = Screen(live.append)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})})
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    received = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        received += part
        # Stops where neither a character nor an escape sequence is cut.
        end = max(received.rfind(b"\n"), received.rfind(b"K"), received.rfind(b"m")) + 1
        screen.feed(received[:end].decode())
        received = received[end:]
    screen.feed(received.decode())
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        raise RuntimeError(f"{command[0]} ended with {status}:\n"
                           + "\n".join(map(plain, screen.lines)))
    return screen.lines, live
