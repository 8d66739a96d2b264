//! The inbox over IMAP, against a real Dovecot.

#![cfg(test)]

#[path = "../proxy/mod.rs"]
mod proxy;
