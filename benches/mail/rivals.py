"""What the daemon is measured against: as little as does the same work with the server."""

import os
import resource
import smtplib
import socket
import subprocess
import time

from house import DOMAIN, LIVE, PASSWORD, trust

MBSYNC = """
FSync {fsync}

IMAPAccount far
Host localhost
Port {port}
User {mailbox}
Pass {password}
SSLType IMAPS
CertificateFile {server}/tls/ca.pem

IMAPStore far
Account far

MaildirStore near
Path {folder}/
Inbox {folder}/inbox

Channel all
Far :far:
Near :near:
Patterns INBOX
Sync Pull
Create Near
SyncState *
"""


def in_a_child(work):
    """Wall and CPU seconds of some work, without the start of an interpreter."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            begun = time.monotonic()
            work()
            wall = time.monotonic() - begun
            used = resource.getrusage(resource.RUSAGE_SELF)
            os.write(writing, f"{wall} {used.ru_utime + used.ru_stime}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 100).decode()
    os.close(reading)
    os.waitpid(child, 0)
    if not said:
        raise SystemExit("a rival failed")
    return tuple(map(float, said.split()))


class BareImap:
    """A TLS socket that knows how an answer to its own command begins, and nothing else."""

    def __init__(self, server, mailbox):
        plain = socket.create_connection(("localhost", int(os.environ["IMAPS_PORT"])))
        self.socket = trust(server).wrap_socket(plain, server_hostname="localhost")
        self.socket.recv(4096)
        self.ask("b1", f"LOGIN {mailbox} {PASSWORD}")
        self.ask("b2", "SELECT INBOX")

    def ask(self, tag, words):
        self.socket.sendall(f"{tag} {words}\r\n".encode())
        sign, tail, count = f"\r\n{tag} OK".encode(), b"\r\n", 0
        while sign not in tail:
            piece = self.socket.recv(262144)
            if not piece:
                raise SystemExit("the server hung up")
            count += len(piece)
            tail = tail[-200:] + piece
        return count

    def until_notice(self):
        """In IDLE: the moment at which the server tells of a new letter."""
        while b"EXISTS" not in self.socket.recv(4096):
            pass
        return time.monotonic()


def bare_intake(server, mailbox):
    return in_a_child(lambda: BareImap(server, mailbox).ask("b3", "UID FETCH 1:* (UID RFC822.SIZE INTERNALDATE BODY.PEEK[])"))


def mbsync(server, mailbox, folder, fsync, letters):
    folder.mkdir()
    words = MBSYNC.format(port=os.environ["IMAPS_PORT"], mailbox=mailbox, password=PASSWORD, server=server, folder=folder,
                          fsync="yes" if fsync else "no")
    (folder / "mbsyncrc").write_text(words)
    begun = time.monotonic()
    child = subprocess.Popen(["mbsync", "-q", "-c", folder / "mbsyncrc", "all"], stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - begun
    got = sum(len(os.listdir(folder / "inbox" / part)) for part in ("new", "cur"))
    if status or got != letters:
        raise SystemExit(f"mbsync: status {status}, {got} letters")
    return wall, used.ru_utime + used.ru_stime


def smtplib_send(server, letters):
    def send():
        with smtplib.SMTP_SSL("localhost", int(os.environ["SMTPS_PORT"]), context=trust(server)) as client:
            client.login(LIVE, PASSWORD)
            for address, words in letters:
                client.sendmail(f"{LIVE}@{DOMAIN}", [address], words)
    return in_a_child(send)
