"""Measures in interleaved rounds and prints one table. Started by benches/mail/run."""

import argparse
import os
import random
import shutil
import smtplib
import sqlite3
import statistics
import time
from pathlib import Path

import flood
import house
import rivals
from house import AUTOMATIC, DOMAIN, LIVE, PASSWORD, PLAYERS, Machine

arguments = argparse.ArgumentParser()
arguments.add_argument("--rounds", type=int, default=3)
arguments.add_argument("--letters", type=int, default=10_000)
arguments.add_argument("--sending", type=int, default=1_000)
arguments.add_argument("--samples", type=int, default=30)
arguments.add_argument("--only-intake", action="store_true")
arguments.add_argument("--only-flood", action="store_true")
arguments.add_argument("--folder", type=Path, required=True)
arguments.add_argument("--omerta", required=True)
given = arguments.parse_args()
server = given.folder / "server"
# Nobody listens there: receipts are owed and not sent, and one letter an hour tries it.
NOWHERE, HARDLY = 9, "1/h"
FAST = "1000000/m"


class Row:
    def __init__(self, what):
        self.what, self.wall, self.cpu, self.memory = what, [], [], []

    def add(self, wall, cpu, memory=None):
        self.wall.append(wall)
        self.cpu.append(cpu)
        if memory is not None:
            self.memory.append(memory)

    def median(self):
        return statistics.median(self.wall)

    def show(self, of=None, aim=None):
        wall = f"{self.median():.2f} s | {min(self.wall):.2f}–{max(self.wall):.2f}"
        memory = f"{max(self.memory):.0f} MB" if self.memory else ""
        ratio = f"{self.median() / of.median():.2f}" if of else ""
        word = f"≤ {aim} {'PASS' if self.median() <= aim * of.median() else 'over'}" if aim else ""
        print(f"| {self.what} | {wall} | {statistics.median(self.cpu):.2f} s | {memory} | {ratio} | {word} |")


def head(title):
    print(f"\n{title}\n\n| | median | spread | CPU | memory | ratio | aim |\n|---|---|---|---|---|---|---|")


def scratch(name):
    folder = given.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def intake(ready, mailbox):
    """From the start of the process until the last letter is committed."""
    machine = Machine(given.omerta, scratch("intake"), house.config(server, mailbox, NOWHERE, HARDLY), copy_of=ready)
    begun = time.monotonic()
    machine.run()
    try:
        machine.until("SELECT max(id) FROM letters", given.letters)
        wall = time.monotonic() - begun
        spent = machine.spent()
        owed = machine.ask("SELECT count(DISTINCT letter) FROM outbox WHERE kind = 'receipt'")
        if owed != (given.letters if mailbox == PLAYERS else 0):
            raise SystemExit(f"{given.letters} letters, {owed} receipts")
        return wall, *spent
    finally:
        machine.kill()


def measure_intake(ready, mailbox, what, with_mbsync):
    ours, bare = Row("omerta"), Row("bare TLS socket, no parser, nothing kept")
    fast, safe = Row("mbsync, FSync no"), Row("mbsync, FSync yes, once")
    for number in range(given.rounds):
        house.as_new(server, mailbox)
        ours.add(*intake(ready, mailbox))
        house.as_new(server, mailbox)
        bare.add(*rivals.bare_intake(server, mailbox))
        if with_mbsync:
            fast.add(*rivals.mbsync(server, mailbox, scratch("mbsync"), False, given.letters))
        # It takes minutes where others use the disk: once is enough for a row that is no aim.
        if with_mbsync and number == 0:
            safe.add(*rivals.mbsync(server, mailbox, scratch("mbsync"), True, given.letters))
    head(f"Intake of {given.letters} letters: {what}")
    ours.show(bare, 1.3)
    bare.show()
    if with_mbsync:
        fast.show()
        safe.show()
        print(f"\nomerta against mbsync: {ours.median() / fast.median():.2f} of FSync no (aim < 1), "
              f"{ours.median() / safe.median():.2f} of FSync yes.")
    return ours


def owing(ready):
    """A database whose queue holds receipts."""
    owed = Machine(given.omerta, scratch("owing"), house.config(server, LIVE, NOWHERE, HARDLY), copy_of=ready)
    house.fill(server, LIVE, given.sending + 1, False)
    owed.run()
    try:
        owed.until("SELECT count(*) FROM outbox WHERE kind = 'receipt'", given.sending + 1)
    finally:
        owed.kill()
    shutil.rmtree(server / "mail" / LIVE)
    # What else waits (roles, letters to the host) is no part of this.
    with sqlite3.connect(owed.folder / "omerta.db") as database:
        database.execute("UPDATE outbox SET state = 'cancelled', next_attempt = NULL WHERE next_attempt IS NOT NULL "
                         "AND id NOT IN (SELECT id FROM outbox WHERE kind = 'receipt' AND attempts = 0 LIMIT ?)", (given.sending,))
    return owed


def measure_sending(owed):
    with sqlite3.connect(owed.folder / "omerta.db") as database:
        letters = database.execute("SELECT address, bytes FROM outbox JOIN outbox_bytes ON out = id "
                                   "WHERE next_attempt IS NOT NULL").fetchall()
    letters = [(address, bytes(words)) for address, words in letters]
    ours, smtp = Row("omerta, each attempt and each 250 durable"), Row("Python smtplib, nothing kept")
    for _ in range(given.rounds):
        text = house.config(server, LIVE, int(os.environ["SMTPS_PORT"]), FAST)
        machine = Machine(given.omerta, scratch("sending"), text, copy_of=owed)
        begun = time.monotonic()
        machine.run()
        try:
            machine.until("SELECT count(*) FROM outbox WHERE next_attempt IS NOT NULL", 0)
            wall = time.monotonic() - begun
            ours.add(wall, *machine.spent())
        finally:
            machine.kill()
        house.until_delivered(server)
        smtp.add(*rivals.smtplib_send(server, letters))
        house.until_delivered(server)
    head(f"Sending {len(letters)} queued receipts on one connection")
    ours.show(smtp, 1.2)
    smtp.show()
    return ours


def measure_receipts(ready):
    """From the 250 for a request to its receipt in the player's mailbox, the daemon idle."""
    text = house.config(server, LIVE, int(os.environ["SMTPS_PORT"]), FAST)
    machine = Machine(given.omerta, scratch("live"), text, copy_of=ready)
    player = house.player(0)
    box = server / "mail" / player / "new"
    machine.run()
    notices, receipts, over = [], [], []
    try:
        # The letters about roles leave, and the daemon comes to rest.
        machine.until("SELECT count(*) FROM outbox WHERE next_attempt IS NOT NULL", 0)
        house.until_delivered(server)
        time.sleep(2)
        watcher = rivals.BareImap(server, LIVE)
        watcher.socket.settimeout(house.PATIENCE)
        watcher.socket.sendall(b"b4 IDLE\r\n")
        watcher.socket.recv(4096)
        with smtplib.SMTP_SSL("localhost", int(os.environ["SMTPS_PORT"]), context=house.trust(server)) as client:
            client.login(player, PASSWORD)
            for sample in range(given.samples):
                known = len(os.listdir(box)) if box.exists() else 0
                words = house.letter(240 * (50_000 + sample))
                client.sendmail(f"{player}@{DOMAIN}", [f"{LIVE}@{DOMAIN}"], words)
                taken = time.monotonic()
                notice = watcher.until_notice() - taken
                while not box.exists() or len(os.listdir(box)) <= known:
                    if time.monotonic() - taken > house.PATIENCE:
                        raise SystemExit("a receipt never came")
                    time.sleep(0.002)
                receipt = time.monotonic() - taken
                notices.append(notice)
                receipts.append(receipt)
                over.append(receipt - notice)
                time.sleep(0.6 + random.random())
    finally:
        machine.kill()
    print(f"\nFrom the 250 for a request to its receipt in the mailbox, the daemon idle, {len(over)} samples\n")
    print("| | median | spread | aim |\n|---|---|---|---|")
    for what, row in (("the server's own notice to a bare IDLE", notices), ("the receipt", receipts)):
        print(f"| {what} | {statistics.median(row) * 1000:.0f} ms | {min(row) * 1000:.0f}–{max(row) * 1000:.0f} | |")
    middle = statistics.median(over) * 1000
    word = "PASS" if middle <= 100 else "over"
    print(f"| over the notice | {middle:.0f} ms | {min(over) * 1000:.0f}–{max(over) * 1000:.0f} | ≤ 100 ms {word} |")


def main():
    if given.only_flood:
        flood.measure(given.omerta, server, scratch, given.rounds)
        print(f"\nload {os.getloadavg()[0]:.1f}")
        return
    house.fill(server, AUTOMATIC, given.letters, True)
    house.fill(server, PLAYERS, given.letters, False)
    ready = Machine(given.omerta, scratch("ready"), house.config(server, PLAYERS, NOWHERE, HARDLY))
    ready.begin_games()
    print(f"{given.rounds} rounds, interleaved; load {os.getloadavg()[0]:.1f}; CPU is user and system of the process alone")
    automatic = measure_intake(ready, AUTOMATIC, "automatic mail, read, recognised, committed", not given.only_intake)
    players = measure_intake(ready, PLAYERS, f"votes in {house.GAMES} games, each committed with its receipt", False)
    if given.only_intake:
        return
    sending = measure_sending(owing(ready))
    measure_receipts(ready)
    flood.measure(given.omerta, server, scratch, given.rounds)
    largest = max(automatic.memory + players.memory + sending.memory)
    print(f"\nPeak memory (VmHWM): {largest:.0f} MB, aim < 40 MB: {'PASS' if largest < 40 else 'over'}; load at the end {os.getloadavg()[0]:.1f}")


main()
