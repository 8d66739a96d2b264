"""One player's thousands of letters wait, and behind them all lies one of another: when has that one a receipt?"""

import os
import re
import shutil
import statistics
import time

import house
from house import DOMAIN, FLOODED, Machine

FLOOD = 5_000
WRITER, OTHER = "p01", "p02"


def config(server, calm=False):
    """Letters leave into Maildir folders: no pace, and their arrival can be seen at once."""
    text = house.config(server, FLOODED, 0, "1/h")
    head, inbox, rest = text[:text.index("[inbox]")], text[text.index("[inbox]"):text.index("[outbox]")], text[text.index("[game]"):]
    if calm:
        inbox = '[inbox]\nkind = "maildir"\npath = "in"\n'
    return head + inbox + f'[outbox]\nkind = "maildir"\npath = "out"\nfrom = "Омерта <{house.LIVE}@{DOMAIN}>"\n' + rest


def flood(server, letters):
    """All of one player but the last; nobody has read them, and Dovecot has no index."""
    folder = server / "mail" / FLOODED
    shutil.rmtree(folder, ignore_errors=True)
    house.fill(server, FLOODED, letters + 1, False)
    for number, path in enumerate(sorted((folder / "cur").iterdir())):
        who = OTHER if number == letters else WRITER
        words = re.sub(rb"From: <[^>]*>", f"From: <{who}@{DOMAIN}>".encode(), path.read_bytes())
        words = re.sub(rb"\[bench\d+\]", f"[{house.tag(0)}]".encode(), words)
        times = path.stat()
        path.write_bytes(words)
        size = len(words)
        path = path.rename(path.with_name(re.sub(r"S=\d+,W=\d+", f"S={size},W={size}", path.name)))
        os.utime(path, (times.st_atime, times.st_mtime))


def receipts(machine):
    return sum(1 for path in (machine.folder / "out" / f"{OTHER}@{DOMAIN}").rglob("*") if path.is_file())


def one_round(omerta, server, folder, ready):
    machine = Machine(omerta, folder, config(server), copy_of=ready)
    before = receipts(machine)
    begun = time.monotonic()
    machine.run()
    try:
        while receipts(machine) == before:
            if machine.daemon.poll() is not None or time.monotonic() - begun > house.PATIENCE:
                raise SystemExit(f"no receipt: {(machine.folder / 'daemon.log').read_text()[-2000:]}")
            time.sleep(0.005)
        waited = time.monotonic() - begun
        machine.until("SELECT count(*) FROM letters", FLOOD + 1)
        return waited, time.monotonic() - begun
    finally:
        machine.kill()


def measure(omerta, server, scratch, rounds):
    """From the start of the process; `scratch` makes way for a folder of that name."""
    ready = Machine(omerta, scratch("calm"), config(server, calm=True))
    ready.begin_games()
    ready.run()
    try:
        ready.until("SELECT count(*) FROM outbox WHERE state <> 'sent'", 0)
    finally:
        ready.kill()
    waits, whole = [], []
    for _ in range(rounds):
        flood(server, FLOOD)
        waited, all_read = one_round(omerta, server, scratch("flooded"), ready)
        waits.append(waited)
        whole.append(all_read)
    middle = statistics.median(waits)
    print(f"\nBehind {FLOOD} letters of one player, from the start of the process\n\n| | median | spread | aim |\n|---|---|---|---|")
    print(f"| another's receipt | {middle:.2f} s | {min(waits):.2f}–{max(waits):.2f} | ≤ 1 s {'PASS' if middle <= 1 else 'over'} |")
    print(f"| all letters are committed | {statistics.median(whole):.2f} s | {min(whole):.2f}–{max(whole):.2f} | |")
