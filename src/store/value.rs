//! How values of ours stand in columns.

use jiff::Timestamp;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// An instant as a column holds it: microseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct Micros(pub Timestamp);

impl ToSql for Micros {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_microsecond().into())
    }
}

impl FromSql for Micros {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Micros> {
        let micros = value.as_i64()?;
        Timestamp::from_microsecond(micros).map(Micros).map_err(FromSqlError::other)
    }
}

/// A limit of rows as SQL wants it.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// A count of rows; it is never negative.
pub(super) fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}
