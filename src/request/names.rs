//! Whom a nick means. Folding: case, ё/е, look-alike Latin and Cyrillic letters, spaces, quotes, NFC.
