//! Pictures of maps: each pixel is a cell.

use super::sim::MAX_SIDE;
use crate::arena::grid::Terrain;
use png::{Limits, Transformations};
use std::io::Cursor;
use zune_bmp::BmpDecoder;
use zune_bmp::zune_core::bytestream::ZCursor;
use zune_bmp::zune_core::options::DecoderOptions;

/// Most bytes of a picture while it is read.
const BYTES_MAX: usize = 64 << 20;

/// A picture's pixels, row by row.
struct Pixels {
    width: usize,
    /// Bytes of a pixel: 1 or 2 are grey, 3 or 4 are red, green and blue; an even number ends with
    /// the opacity, which does not matter.
    channels: usize,
    bytes: Vec<u8>,
}

/// Reads a BMP or PNG picture as cells with their places.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(i32, i32, Terrain)>, String> {
    let pixels = match bytes {
        [b'B', b'M', ..] => bmp(bytes)?,
        [0x89, b'P', b'N', b'G', ..] => png(bytes)?,
        _ => return Err("expected a BMP or PNG picture".to_owned()),
    };
    let cell = |(at, pixel): (usize, &[u8])| {
        let place = |n: usize| i32::try_from(n).unwrap_or(MAX_SIDE);
        (place(at % pixels.width), place(at / pixels.width), terrain(pixel))
    };
    Ok(pixels.bytes.chunks_exact(pixels.channels).enumerate().map(cell).collect())
}

fn terrain(pixel: &[u8]) -> Terrain {
    match *pixel {
        [0] | [0, _] | [0, 0, 0] | [0, 0, 0, _] => Terrain::Obstacle,
        [255, 0, 0] | [255, 0, 0, _] => Terrain::Goal,
        _ => Terrain::Empty,
    }
}

fn bmp(bytes: &[u8]) -> Result<Pixels, String> {
    let side = usize::try_from(MAX_SIDE).unwrap_or_default();
    let options = DecoderOptions::default().set_max_width(side).set_max_height(side);
    let mut decoder = BmpDecoder::new_with_options(ZCursor::new(bytes), options);
    let bytes = decoder.decode().map_err(|error| format!("{error:?}"))?;
    let (width, height) = decoder.dimensions().ok_or("a BMP picture without a size")?;
    let colors = decoder.colorspace().ok_or("a BMP picture without colours")?;
    pixels(width, height, colors.num_components(), bytes)
}

fn png(bytes: &[u8]) -> Result<Pixels, String> {
    let limits = Limits { bytes: BYTES_MAX };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().filter(|size| *size <= BYTES_MAX);
    let mut bytes = vec![0; size.ok_or("the picture is too large")?];
    let frame = reader.next_frame(&mut bytes).map_err(|error| error.to_string())?;
    let (width, height) = (frame.width as usize, frame.height as usize);
    pixels(width, height, frame.color_type.samples(), bytes)
}

fn pixels(
    width: usize,
    height: usize,
    channels: usize,
    mut bytes: Vec<u8>,
) -> Result<Pixels, String> {
    let most = usize::try_from(MAX_SIDE).unwrap_or_default();
    if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
        return Err(format!("{width} × {height} pixels; expected at most {most} × {most}"));
    }
    bytes.truncate(width * height * channels);
    Ok(Pixels { width, channels: channels.max(1), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Terrain::{Empty, Goal, Obstacle};

    const CELLS: [(i32, i32, Terrain); 4] =
        [(0, 0, Obstacle), (1, 0, Goal), (0, 1, Empty), (1, 1, Obstacle)];

    fn written(color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(&[0, 0, 0, 255, 0, 0, 255, 255, 255][..]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn a_png_of_any_kind_is_read() {
        use png::BitDepth::{Eight, Sixteen, Two};
        use png::ColorType::{Indexed, Rgb, Rgba};
        let rgb = [0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0, 0];
        let rgba: Vec<u8> = rgb.chunks(3).flat_map(|pixel| [pixel, &[9]].concat()).collect();
        let deep: Vec<u8> = rgb.iter().flat_map(|byte| [*byte, *byte]).collect();
        for (name, picture) in [
            ("rgb", written(Rgb, Eight, &rgb)),
            ("rgba", written(Rgba, Eight, &rgba)),
            ("16 bits", written(Rgb, Sixteen, &deep)),
            ("palette", written(Indexed, Two, &[0b0001_0000, 0b1000_0000])),
        ] {
            assert_eq!(read(&picture).unwrap(), CELLS, "{name}");
        }
    }

    #[test]
    fn a_bmp_is_read_from_its_last_row_up() {
        let mut picture = b"BM".to_vec();
        picture.extend([70_u32, 0, 54, 40, 2, 2].iter().flat_map(|n| n.to_le_bytes()));
        picture.extend([1_u16, 24].iter().flat_map(|n| n.to_le_bytes()));
        picture.extend([0_u32, 16, 0, 0, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
        // Blue, green, red; rows end at multiples of four bytes.
        picture.extend([255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0]);
        assert_eq!(read(&picture).unwrap(), CELLS);
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_named() {
        let large = {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 1_200, 1);
            encoder.set_color(png::ColorType::Grayscale);
            encoder.write_header().unwrap().write_image_data(&[0; 1_200]).unwrap();
            bytes
        };
        for (bytes, why) in [
            (&b"GIF89a"[..], "expected a BMP or PNG picture"),
            (&b""[..], "expected a BMP or PNG picture"),
            (&large[..], "1200 × 1 pixels; expected at most 1000 × 1000"),
        ] {
            assert_eq!(read(bytes).unwrap_err(), why);
        }
        assert!(read(b"BM and nothing").is_err());
        assert!(read(b"\x89PNG and nothing").is_err());
    }
}
