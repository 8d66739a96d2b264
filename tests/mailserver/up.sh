#!/usr/bin/env bash
# up.sh DIR - start a throw-away mail server (Dovecot + Postfix) that lives wholly in DIR.
#
# Everything listens on 127.0.0.1. Mail for @game.test is delivered into Maildirs
# under DIR/mail; mail for any other domain is refused, so nothing leaves the machine.
# Environment: IMAPS_PORT IMAP_PORT SUBMISSION_PORT SMTPS_PORT MAIL_PASSWORD MAIL_DOMAIN PLAYERS
set -euo pipefail

DIR=${1:?usage: up.sh DIR}
IMAPS_PORT=${IMAPS_PORT:-10993}
IMAP_PORT=${IMAP_PORT:-10143}
SUBMISSION_PORT=${SUBMISSION_PORT:-10587}
SMTPS_PORT=${SMTPS_PORT:-10465}
MAIL_PASSWORD=${MAIL_PASSWORD:-test-password}
MAIL_DOMAIN=${MAIL_DOMAIN:-game.test}
PLAYERS=${PLAYERS:-60}
HERE=$(cd "$(dirname "$0")" && pwd)

die() { echo "up.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "must run as root"

# --- packages ----------------------------------------------------------------
# policy-rc.d saying 101 keeps apt from starting the system-wide services.
need=()
command -v dovecot >/dev/null || need+=(dovecot-core)
[ -x /usr/lib/dovecot/imap ]  || need+=(dovecot-imapd)
[ -x /usr/lib/dovecot/lmtp ]  || need+=(dovecot-lmtpd)
command -v postfix >/dev/null || need+=(postfix)
command -v openssl >/dev/null || need+=(openssl)
if [ ${#need[@]} -gt 0 ]; then
  made_policy=
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    made_policy=1
  fi
  log=$(mktemp)
  ok=1
  echo "postfix postfix/main_mailer_type select No configuration" | debconf-set-selections
  { apt-get -o DPkg::Lock::Timeout=120 update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "${need[@]}"
  } >"$log" 2>&1 </dev/null || ok=
  [ -z "$made_policy" ] || rm -f /usr/sbin/policy-rc.d
  [ -n "$ok" ] || { cat "$log" >&2; rm -f "$log"; die "package installation failed"; }
  rm -f "$log"
fi

# --- already up? start afresh, keeping nothing --------------------------------
if [ -d "$DIR" ] && [ ! -e "$DIR/.mailserver" ] && [ -n "$(ls -A "$DIR")" ]; then
  die "$DIR is not empty and was not made by up.sh"
fi
DIR=$(realpath -m "$DIR")
# Unix socket paths are limited to 107 bytes.
[ ${#DIR} -le 70 ] || die "DIR is too long for unix sockets (at most 70 characters): $DIR"
# Postfix and Dovecot drop root: every folder above DIR must let others pass through.
p=$(dirname "$DIR")
while [ "$p" != / ]; do
  if [ -d "$p" ] && [ "$(( 0$(stat -c %a "$p") & 1 ))" != 1 ]; then
    die "$p is not searchable by other users: chmod o+x it or use another DIR"
  fi
  p=$(dirname "$p")
done
[ ! -e "$DIR/.mailserver" ] || "$HERE/down.sh" "$DIR" >/dev/null
mkdir -p "$DIR"
chmod 755 "$DIR"
: >"$DIR/.mailserver"

# --- certificates -------------------------------------------------------------
T=$DIR/tls
mkdir -p "$T"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
  -subj "/CN=mail test CA" -keyout "$T/ca.key" -out "$T/ca.pem" \
  -addext "keyUsage=critical,keyCertSign,cRLSign" 2>/dev/null
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
  -subj "/CN=localhost" -keyout "$T/server.key" -out "$T/server.csr" 2>/dev/null
openssl x509 -req -in "$T/server.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" -CAcreateserial \
  -days 3650 -out "$T/server.pem" -extfile <(printf '%s\n' \
    "basicConstraints=critical,CA:FALSE" "extendedKeyUsage=serverAuth" \
    "subjectAltName=DNS:localhost,IP:127.0.0.1") 2>/dev/null
chmod 644 "$T/ca.pem" "$T/server.pem"
chmod 600 "$T/server.key" "$T/ca.key"

# --- users --------------------------------------------------------------------
{ printf '%s\n' game host moderator
  for i in $(seq 1 "$PLAYERS"); do printf 'p%02d\n' "$i"; done
} >"$DIR/users"
sed "s|.*|&:{PLAIN}$MAIL_PASSWORD::::::|" "$DIR/users" >"$DIR/passwd"
sed "s|.*|&@$MAIL_DOMAIN ok|" "$DIR/users" >"$DIR/mailboxes"
chown root:dovecot "$DIR/passwd"; chmod 640 "$DIR/passwd"
mkdir -p "$DIR/mail"
chown mail:mail "$DIR/mail"

# --- dovecot ------------------------------------------------------------------
mkdir -p "$DIR/dovecot/run" "$DIR/dovecot/state"
cat >"$DIR/dovecot/dovecot.conf" <<CONF
base_dir = $DIR/dovecot/run
state_dir = $DIR/dovecot/state
instance_name = $(basename "$DIR")-$IMAPS_PORT
listen = 127.0.0.1
protocols = imap lmtp
log_path = $DIR/dovecot.log
ssl = yes
ssl_cert = <$T/server.pem
ssl_key = <$T/server.key
disable_plaintext_auth = yes
auth_mechanisms = plain login
auth_username_format = %Ln
mail_location = maildir:$DIR/mail/%n
mail_max_userip_connections = 200
maildir_very_dirty_syncs = no
mail_fsync = never
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%n $DIR/passwd
}
userdb {
  driver = static
  args = uid=mail gid=mail home=$DIR/mail/%n allow_all_users=yes
}
namespace inbox {
  inbox = yes
  mailbox Junk {
    special_use = \\Junk
    auto = subscribe
  }
}
service anvil {
  client_limit = 2000
  # A refused login would make all later ones from this machine wait, those of other tests too.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
auth_failure_delay = 0
service imap-login {
  service_count = 0
  process_min_avail = 1
  inet_listener imap {
    address = 127.0.0.1
    port = $IMAP_PORT
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = $IMAPS_PORT
    ssl = yes
  }
}
service lmtp {
  unix_listener lmtp {
    user = postfix
    group = postfix
    mode = 0600
  }
}
service imap {
  process_min_avail = 1
}
service auth {
  unix_listener auth-postfix {
    user = postfix
    group = postfix
    mode = 0600
  }
}
service stats {
  client_limit = 1000
}
CONF

# --- postfix ------------------------------------------------------------------
P=$DIR/postfix
mkdir -p "$P/etc" "$P/queue" "$P/data"
chown postfix "$P/data"
cat >"$P/etc/main.cf" <<CONF
compatibility_level = 3.6
config_directory = $P/etc
queue_directory = $P/queue
data_directory = $P/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = $DIR/postfix.log
maillog_file_prefixes = $DIR
myhostname = localhost
mydomain = $MAIL_DOMAIN
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
alias_database =
local_recipient_maps =
local_transport = error:no local mail here
default_transport = error:5.1.2 this test server delivers to $MAIL_DOMAIN only
relay_transport = \$default_transport
virtual_mailbox_domains = $MAIL_DOMAIN
virtual_mailbox_maps = texthash:$DIR/mailboxes
virtual_transport = lmtp:unix:$DIR/dovecot/run/lmtp
recipient_delimiter = +
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_sender_restrictions =
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = unix:$DIR/dovecot/run/auth-postfix
smtpd_tls_auth_only = yes
smtpd_tls_security_level = may
smtpd_tls_cert_file = $T/server.pem
smtpd_tls_key_file = $T/server.key
smtpd_tls_session_cache_database =
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_peername_lookup = no
smtputf8_enable = yes
message_size_limit = 26214400
in_flow_delay = 0
bounce_queue_lifetime = 1h
minimal_backoff_time = 2s
maximal_backoff_time = 10s
queue_run_delay = 2s
default_process_limit = 50
CONF
cat >"$P/etc/master.cf" <<CONF
127.0.0.1:$SUBMISSION_PORT inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
127.0.0.1:$SMTPS_PORT inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
pickup    unix       n - n 60 1 pickup
cleanup   unix       n - n -  0 cleanup
qmgr      unix       n - n 300 1 qmgr
tlsmgr    unix       - - n 1000? 1 tlsmgr
rewrite   unix       - - n -  - trivial-rewrite
bounce    unix       - - n -  0 bounce
defer     unix       - - n -  0 bounce
trace     unix       - - n -  0 bounce
verify    unix       - - n -  1 verify
flush     unix       n - n 1000? 0 flush
proxymap  unix       - - n -  - proxymap
proxywrite unix      - - n -  1 proxymap
showq     unix       n - n -  - showq
error     unix       - - n -  - error
retry     unix       - - n -  - error
discard   unix       - - n -  - discard
lmtp      unix       - - n -  - lmtp
anvil     unix       - - n -  1 anvil
scache    unix       - - n -  1 scache
postlog   unix-dgram n - n -  1 postlogd
CONF

# --- start --------------------------------------------------------------------
cleanup_on_error() { echo "up.sh: failed; logs:" >&2
  tail -n 20 "$DIR/dovecot.log" "$DIR/postfix.log" >&2 2>/dev/null || true
  "$HERE/down.sh" "$DIR" >/dev/null 2>&1 || true; }
trap cleanup_on_error ERR
# Output goes to files: a daemon that kept our stdout would hang a caller that reads it to its end.
dovecot -c "$DIR/dovecot/dovecot.conf" </dev/null >"$DIR/dovecot.start" 2>&1 || { cat "$DIR/dovecot.start" >&2; false; }
MAIL_CONFIG=$P/etc postfix -c "$P/etc" start </dev/null >"$DIR/postfix.start" 2>&1 || { cat "$DIR/postfix.start" >&2; false; }

for port in "$IMAP_PORT" "$IMAPS_PORT" "$SUBMISSION_PORT" "$SMTPS_PORT"; do
  for try in $(seq 1 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    [ "$try" -lt 100 ] || false
    sleep 0.05
  done
done
trap - ERR

cat >"$DIR/env" <<CONF
MAIL_DIR=$DIR
MAIL_DOMAIN=$MAIL_DOMAIN
MAIL_HOST=localhost
MAIL_PASSWORD=$MAIL_PASSWORD
MAIL_CA=$T/ca.pem
IMAPS_PORT=$IMAPS_PORT
IMAP_PORT=$IMAP_PORT
SUBMISSION_PORT=$SUBMISSION_PORT
SMTPS_PORT=$SMTPS_PORT
CONF
cat "$DIR/env"
