//! A letter's own lines into requests and problems.
