//! The one table of request words, Russian and English.
