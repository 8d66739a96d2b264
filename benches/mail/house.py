"""The servers, the mailboxes with their letters, and the daemon as a process."""

import email.utils
import imaplib
import os
import pwd
import shutil
import signal
import sqlite3
import ssl
import subprocess
import time
from pathlib import Path

PASSWORD = "test-password"
DOMAIN = "game.test"
GAMES = 20
TWELVE = [
    ("Анна", "citizen"), ("Борис", "mafioso"), ("Вера", "citizen"), ("Глеб", "commissioner"),
    ("Дарья", "doctor"), ("Егор", "citizen"), ("Жанна", "boss"), ("Ирина", "foundling"),
    ("Кирилл", "maniac"), ("Лев", "sergeant"), ("Мария", "kamikaze"), ("Нина", "citizen"),
]
# Mailboxes beside the players' own, p01 to p240.
FLOODED, AUTOMATIC, PLAYERS, LIVE = "p297", "p298", "p299", "p300"
PATIENCE = 300


def player(number):
    return f"p{number % (GAMES * len(TWELVE)) + 1:02}"


def tag(number):
    return f"bench{number % (GAMES * len(TWELVE)) // len(TWELVE) + 1}"


def letter(number, automatic=False):
    """About 1.8 KB as a phone writes it: a request, a quote, a signature. Or a mailing list's."""
    sender = f"news{number}@lists.test" if automatic else f"{player(number)}@{DOMAIN}"
    nick = TWELVE[(number + 1 + number // 240) % len(TWELVE)][0]
    subject = f"Digest {number}" if automatic else f"Re: [{tag(number)}]"
    head = [f"Received: from client{hop}.example.test (client{hop}.example.test [192.0.2.{hop}])\r\n"
            f"\tby mx{hop}.example.test with ESMTPS id {number:08x}{hop};\r\n\tMon, 2 Mar 2026 09:0{hop}:00 +0300"
            for hop in range(1, 4)]
    head += [f"From: <{sender}>", f"To: <{LIVE}@{DOMAIN}>", f"Subject: {subject}",
             f"Message-ID: <bench-{number}-{automatic}@{DOMAIN}>", "Date: Mon, 02 Mar 2026 09:00:00 +0300",
             "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    if automatic:
        head += ["List-Id: <digest.lists.test>", "Precedence: bulk"]
    said = f"Суд Линча - {nick}\r\n"
    quote = "> Город просыпается, и каждый ещё раз думает, кому он верит, а кому больше нет.\r\n"
    body = f"{said}\r\n-- \r\nОтправлено с iPhone\r\n\r\nпонедельник, 2 марта 2026 г. пользователь Омерта написал:\r\n\r\n"
    head = "\r\n".join(head) + "\r\n\r\n"
    missing = 1800 - len((head + body).encode())
    return (head + body + quote * max(1, missing // len(quote.encode()))).encode()


def fill(server, mailbox, count, automatic):
    """Letters as Dovecot's own delivery names them: with their sizes, so that nobody has to read them to know these."""
    folder = server / "mail" / mailbox
    mail = pwd.getpwnam("mail")
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    begin = int(time.time()) - 3600
    for number in range(count):
        words = letter(number, automatic)
        path = folder / "cur" / f"{begin}.M{number:06}.bench,S={len(words)},W={len(words)}:2,"
        path.write_bytes(words)
        os.utime(path, (begin, begin))
    for parent, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            os.chown(os.path.join(parent, name), mail.pw_uid, mail.pw_gid)


def trust(server):
    return ssl.create_default_context(cafile=str(server / "tls/ca.pem"))


def as_new(server, mailbox):
    """Nobody has read it; Dovecot's index is there and warm for whoever comes next."""
    client = imaplib.IMAP4_SSL("localhost", int(os.environ["IMAPS_PORT"]), ssl_context=trust(server))
    client.login(mailbox, PASSWORD)
    client.select()
    client.uid("STORE", "1:*", "-FLAGS.SILENT", "(\\Seen)")
    client.uid("FETCH", "1:*", "(UID RFC822.SIZE INTERNALDATE)")
    client.logout()


def config(server, mailbox, port, rate, rest=""):
    line = f'server = "localhost"\ntls = "implicit"\nca_file = "{server}/tls/ca.pem"\npassword_file = "secret"\n'
    return (
        'language = "ru"\ntimezone = "Europe/Moscow"\ndatabase = "omerta.db"\n'
        f'[host]\nname = "Ведущая"\naddresses = ["host@{DOMAIN}"]\n'
        f'[inbox]\nkind = "imap"\n{line}port = {os.environ["IMAPS_PORT"]}\nuser = "{mailbox}"\n'
        f'[outbox]\nkind = "smtp"\n{line}port = {port}\nuser = "{LIVE}"\nfrom = "Омерта <{LIVE}@{DOMAIN}>"\n'
        f'rate = "{rate}"\ndaily = 1000000\n[security]\nreplies_per_hour = 1000000\n'
        f'[game]\ndeadline = "21:00"\nreminders = []\n{rest}'
    )


class Machine:
    """A folder with a config, a database, and perhaps a daemon."""

    def __init__(self, omerta, folder, text, copy_of=None):
        self.omerta, self.folder, self.daemon = Path(omerta).resolve(), folder, None
        if copy_of:
            shutil.copytree(copy_of.folder, folder)
        else:
            folder.mkdir()
        (folder / "secret").write_text(PASSWORD)
        (folder / "secret").chmod(0o600)
        (folder / "config.toml").write_text(text)

    def say(self, *arguments):
        said = subprocess.run([self.omerta, *arguments, "--config", "config.toml"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if said.returncode:
            raise SystemExit(f"omerta {' '.join(arguments)}: {said.stdout}")
        return said.stdout

    def begin_games(self):
        for game in range(GAMES):
            rows = [f"{player(game * len(TWELVE) + seat)}@{DOMAIN},{nick},{role}"
                    for seat, (nick, role) in enumerate(TWELVE)]
            (self.folder / "roster.csv").write_text("\n".join(["address,nick,role", *rows, ""]))
            name = tag(game * len(TWELVE))
            self.say("game", "new", name, "--roster", "roster.csv")
            self.say("game", "deadline", name, "+72h")
            self.say("game", "start", name)

    def run(self):
        log = open(self.folder / "daemon.log", "ab")
        self.daemon = subprocess.Popen([self.omerta, "run", "--config", "config.toml"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, env={**os.environ, "OMERTA_LOG": "warn"})

    def ask(self, question):
        with sqlite3.connect(f"file:{self.folder}/omerta.db?mode=ro", uri=True) as database:
            return database.execute(question).fetchone()[0] or 0

    def until(self, question, wanted):
        """Waits until the committed database answers so."""
        begun = time.monotonic()
        database = sqlite3.connect(f"file:{self.folder}/omerta.db?mode=ro", uri=True)
        while database.execute(question).fetchone()[0] != wanted:
            if self.daemon.poll() is not None or time.monotonic() - begun > PATIENCE:
                now = database.execute(question).fetchone()[0]
                log = (self.folder / "daemon.log").read_text()[-2000:]
                raise SystemExit(f"{question}: {now}, never {wanted}; the daemon said: {log}")
            time.sleep(0.01)
        database.close()

    def spent(self):
        """CPU seconds and the largest memory in MB until now."""
        fields = Path(f"/proc/{self.daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
        status = Path(f"/proc/{self.daemon.pid}/status").read_text()
        largest = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(largest) / 1024

    def kill(self):
        if self.daemon:
            self.daemon.send_signal(signal.SIGKILL)
            self.daemon.wait()
            self.daemon = None


def until_delivered(server):
    """Postfix still works on the letters of the round before: nobody is measured meanwhile."""
    queue = server / "postfix/queue"
    begun = time.monotonic()
    while any(files for part in ("incoming", "active", "maildrop") for _, _, files in os.walk(queue / part)):
        if time.monotonic() - begun > PATIENCE:
            raise SystemExit("letters stay in Postfix's queue")
        time.sleep(0.05)
