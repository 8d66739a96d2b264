//! The only place that draws randomness from the system: seeds, keys, salts.

/// 256 bits from the operating system.
///
/// # Errors
/// When the system has no source of randomness.
#[expect(clippy::disallowed_methods, reason = "this is the place")]
pub fn random_32() -> Result<[u8; 32], getrandom::Error> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
