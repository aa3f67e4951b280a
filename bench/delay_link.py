#!/usr/bin/env python3
"""A network link with a fixed delay between two network namespaces.

usage: delay_link.py MILLISECONDS NAMESPACE_A ADDRESS_A NAMESPACE_B ADDRESS_B [MBIT]

Makes a TUN device with the address in each namespace, prints `ready`, and
forwards packets between them, each delayed by MILLISECONDS (one way), until it
is terminated, which also removes the devices. Nothing is dropped or reordered.
MBIT limits the rate in each direction in megabits per second (default: no limit
other than the speed of this program). Needs root. Exists because many machines
lack the kernel's netem. Standard library only.
"""

import collections
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
MTU = 65520


def make_device(name, namespace, address, peer):
    """Returns the descriptor on which the device's packets are read and written."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI)
    fcntl.ioctl(descriptor, TUNSETIFF, request)
    for command in (
            f"ip link set {name} netns {namespace}",
            f"ip -n {namespace} link set lo up",
            f"ip -n {namespace} link set {name} mtu {MTU} txqueuelen 100000 up",
            f"ip -n {namespace} addr add {address} peer {peer} dev {name}"):
        subprocess.run(command.split(), check=True)
    return descriptor


def carry(source, target, delay, seconds_per_byte):
    """Copies packets from one device to the other, in order, without end."""
    waiting = collections.deque()  # (due time, packet)
    free = 0.0  # time from which the link can take the next packet
    while True:
        timeout = None
        if waiting:
            timeout = max(0.0, waiting[0][0] - time.monotonic())
        readable, _, _ = select.select([source], [], [], timeout)
        now = time.monotonic()
        if readable:
            try:
                while True:
                    packet = os.read(source, MTU + 64)
                    free = max(free, now) + len(packet) * seconds_per_byte
                    waiting.append((free + delay, packet))
            except BlockingIOError:
                pass
        while waiting and waiting[0][0] <= time.monotonic():
            select.select([], [target], [])
            os.write(target, waiting.popleft()[1])


def main():
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    delay = float(sys.argv[1]) / 1000
    namespace_a, address_a, namespace_b, address_b = sys.argv[2:6]
    seconds_per_byte = 8e-6 / float(sys.argv[6]) if len(sys.argv) > 6 else 0.0
    name = f"vt{os.getpid()}"
    a = make_device(f"{name}a", namespace_a, address_a, address_b)
    b = make_device(f"{name}b", namespace_b, address_b, address_a)
    print("ready", flush=True)
    # One process per direction. Both end when this one does: a signal to the group
    # reaches both, and the child is signalled when its parent ends.
    if os.fork() == 0:
        parent = os.getppid()
        import ctypes
        ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM
        if os.getppid() != parent:
            return
        carry(b, a, delay, seconds_per_byte)
    carry(a, b, delay, seconds_per_byte)


if __name__ == "__main__":
    main()
