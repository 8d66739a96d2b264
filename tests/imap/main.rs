//! The inbox over IMAP, against a real Dovecot: what is read, how it is filed, and what happens when the line or the
//! server misbehaves.

#![cfg(test)]

mod desk;
mod fairness;
mod faults;
mod filing;
mod login;
mod odd;
mod pipeline;
mod reading;
mod server;

#[path = "../house/mod.rs"]
mod house;
#[path = "../proxy/mod.rs"]
mod proxy;
