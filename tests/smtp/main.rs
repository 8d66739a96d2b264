//! Letters out: by SMTP to a real Postfix and to a server that misbehaves as it is told, and through a program.

#![cfg(test)]

mod bench;
mod faults;
mod letters;
mod logins;
mod postfix;
mod rubbish;
mod script;
mod sendmail;
