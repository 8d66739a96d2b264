//! Setting up as a host does it: `omerta init`, `doctor`, `check` against a real Dovecot and Postfix on this machine.

#![cfg(test)]

mod doctor;
mod init;
mod named;

#[path = "../house/mod.rs"]
mod house;
#[path = "../realmail/servers.rs"]
#[expect(dead_code, reason = "the servers can do more than is asked of them here")]
mod servers;
