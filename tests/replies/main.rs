//! What people answer with: the quotes, attributions and footers of their programs, and request lines among them.
#![cfg(test)]

mod bodies;
mod letters;
mod planting;
