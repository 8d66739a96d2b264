//! A photograph from a letter: read within bounds, made small, and written anew, so that nothing of what it carried
//! beside its pixels (place, device, somebody's thumbnail) stays.

use std::io::Cursor;
use std::panic::catch_unwind;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use serde::{Deserialize, Serialize};

/// Bytes of an attachment; pictures of phones have three to eight million.
pub const MOST_BYTES: usize = 10 * 1024 * 1024;
/// Pixels before it is decoded: a small file can claim to be a huge picture.
const MOST_PIXELS: u64 = 50_000_000;
/// Bytes while it is decoded.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;
/// Pixels of the longer side of what is kept.
const SIDE: u32 = 1024;
/// Of 100.
const QUALITY: u8 = 85;

/// Why a photograph was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhotoFault {
    /// More bytes or pixels than anybody needs.
    TooLarge,
    /// What iPhones make unless they are told otherwise.
    Heic,
    /// None of JPEG, PNG, WebP.
    OtherFormat,
    Broken,
    /// He has sent so many today that no more are looked at.
    TooMany,
}

/// The picture as a JPEG of at most 1024 pixels a side, upright, without metadata.
///
/// # Errors
/// Why it can't be had. Never panics.
pub fn encode(bytes: &[u8]) -> Result<Vec<u8>, PhotoFault> {
    if bytes.len() > MOST_BYTES {
        return Err(PhotoFault::TooLarge);
    }
    if is_heic(bytes) {
        return Err(PhotoFault::Heic);
    }
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP)) => format,
        _ => return Err(PhotoFault::OtherFormat),
    };
    // The decoders are not ours: what they stumble over is a broken picture, and no more.
    catch_unwind(|| encode_as(bytes, format)).unwrap_or(Err(PhotoFault::Broken))
}

fn encode_as(bytes: &[u8], format: ImageFormat) -> Result<Vec<u8>, PhotoFault> {
    let broken = |error: image::ImageError| match error {
        image::ImageError::Limits(_) => PhotoFault::TooLarge,
        _ => PhotoFault::Broken,
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width).saturating_mul(u64::from(height)) > MOST_PIXELS {
        return Err(PhotoFault::TooLarge);
    }
    let orientation = decoder.orientation().map_err(broken)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    if width.max(height) > SIDE {
        picture = picture.thumbnail(SIDE, SIDE);
    }
    picture.apply_orientation(orientation);
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode_image(&on_white(&picture)).map_err(broken)?;
    Ok(jpeg)
}

/// A JPEG has no transparent parts.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let mut flat = picture.to_rgb8();
    if picture.color().has_alpha() {
        let seen = picture.to_rgba8();
        for (to, from) in flat.pixels_mut().zip(seen.pixels()) {
            let image::Rgba([red, green, blue, alpha]) = *from;
            let over_white = |part: u8| {
                let sum = u32::from(part) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
                u8::try_from(sum / 255).unwrap_or(u8::MAX)
            };
            *to = Rgb([over_white(red), over_white(green), over_white(blue)]);
        }
    }
    flat
}

/// ISO base media (`ftyp`) with a brand of HEIF: HEIC, and AVIF, which no phone mails.
fn is_heic(bytes: &[u8]) -> bool {
    const BRANDS: &[&[u8]] = &[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif"];
    bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|brand| BRANDS.contains(&brand))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let pixels = RgbImage::from_fn(width, height, |x, y| Rgb([(x % 251) as u8, (y % 241) as u8, 90]));
        DynamicImage::ImageRgb8(pixels).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn size(jpeg: &[u8]) -> (u32, u32) {
        assert_eq!(image::guess_format(jpeg).unwrap(), ImageFormat::Jpeg);
        let picture = image::load_from_memory(jpeg).unwrap();
        (picture.width(), picture.height())
    }

    #[test]
    fn the_three_formats_become_a_small_jpeg() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            assert_eq!(size(&encode(&picture(2048, 512, format)).unwrap()), (1024, 256), "{format:?}");
            assert_eq!(size(&encode(&picture(64, 48, format)).unwrap()), (64, 48), "{format:?}");
        }
    }

    #[test]
    fn nothing_but_pixels_stays_and_the_picture_stands_upright() {
        let plain = picture(64, 48, ImageFormat::Jpeg);
        // Exif: orientation 6 (turned by a quarter), and a word that must not survive.
        let tiff = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0SECRET-PLACE";
        let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE1];
        bytes.extend(u16::try_from(tiff.len() + 2).unwrap().to_be_bytes());
        bytes.extend(tiff);
        bytes.extend(&plain[2..]);
        let kept = encode(&bytes).unwrap();
        assert_eq!(size(&kept), (48, 64));
        assert!(!kept.windows(6).any(|part| part == b"SECRET" || part == b"Exif\0\0"));
    }

    #[test]
    fn bombs_heic_and_rubbish_are_refused() {
        // A PNG of a few bytes that claims 60,000 by 60,000 pixels.
        let mut bomb = picture(8, 8, ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
        let crc = crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(encode(&bomb), Err(PhotoFault::TooLarge));
        assert_eq!(encode(&vec![0xFF; MOST_BYTES + 1]), Err(PhotoFault::TooLarge));
        assert_eq!(encode(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"), Err(PhotoFault::Heic));
        assert_eq!(encode(b"GIF89a\x01\0\x01\0"), Err(PhotoFault::OtherFormat));
        assert_eq!(encode(b""), Err(PhotoFault::OtherFormat));
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let whole = picture(40, 40, format);
            for end in (0..whole.len()).step_by(7) {
                // Cut anywhere: refused, or as much as can be seen.
                let _ = encode(&whole[..end]);
            }
            assert!(encode(&whole[..16]).is_err(), "{format:?}");
        }
    }

    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32, byte: &u8| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
        };
        !bytes.iter().fold(u32::MAX, step)
    }
}
