//! Films: an animated PNG, written frame by frame. Of each frame only what differs from the one
//! before is written, and two frames at most are in memory.

use crate::raster::Pixels;
use crate::{Unfit, VectorScene};
use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder, Filter, Writer};
use std::io::Write;
use std::num::NonZeroU32;

/// Bytes of a pixel.
const PIXEL: usize = 4;

/// An animated PNG on its way into a file.
pub struct Film<W: Write> {
    writer: Writer<W>,
    width: u32,
    height: u32,
    /// The frame before.
    shown: Option<Pixels>,
}

impl<W: Write> std::fmt::Debug for Film<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Film").field("width", &self.width).field("height", &self.height).finish()
    }
}

struct FrameChange {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl<W: Write> Film<W> {
    /// A film of exactly `frames` frames. Each has the size of this scene at `width` pixels and
    /// lasts a `rate`th of a second. The film repeats.
    ///
    /// # Errors
    /// When it would have too many pixels, or cannot be written.
    pub fn new(
        file: W,
        first: &VectorScene,
        width: u32,
        frames: NonZeroU32,
        rate: u16,
    ) -> Result<Self, Unfit> {
        let height = first.pixels_high(width);
        let mut encoder = Encoder::new(file, width, height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        encoder.set_filter(Filter::NoFilter);
        encoder.validate_sequence(true);
        encoder.set_animated(frames.get(), 0)?;
        encoder.set_frame_delay(1, rate.max(1))?;
        encoder.set_dispose_op(DisposeOp::None)?;
        encoder.set_blend_op(BlendOp::Source)?;
        Ok(Self { writer: encoder.write_header()?, width, height, shown: None })
    }

    /// Adds the next frame.
    ///
    /// # Errors
    /// When it has another size, there are more frames than announced, or the file cannot be
    /// written.
    pub fn add(&mut self, scene: &VectorScene) -> Result<(), Unfit> {
        let pixels = scene.pixels(self.width)?;
        if pixels.height != self.height {
            let (got, expected) = ((pixels.width, pixels.height), (self.width, self.height));
            return Err(Unfit::Frame { got, expected });
        }
        match &self.shown {
            None => self.writer.write_image_data(&pixels.bytes)?,
            Some(shown) => {
                let change = change(shown, &pixels);
                // Both ends of a frame must be inside whatever comes first.
                self.writer.reset_frame_position()?;
                self.writer.set_frame_dimension(change.width, change.height)?;
                self.writer.set_frame_position(change.x, change.y)?;
                self.writer.set_blend_op(BlendOp::Over)?;
                self.writer.write_image_data(&change.bytes)?;
            }
        }
        self.shown = Some(pixels);
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When there were fewer frames than announced, or the file cannot be written.
    pub fn finish(self) -> Result<(), Unfit> {
        Ok(self.writer.finish()?)
    }
}

/// The smallest part of a frame that has all that differs; what does not is clear in it. Where
/// nothing differs it is one pixel.
fn change(before: &Pixels, after: &Pixels) -> FrameChange {
    let wide = usize::try_from(after.width).unwrap_or(usize::MAX);
    let stride = wide.saturating_mul(PIXEL).max(PIXEL);
    let rows = || before.bytes.chunks(stride).zip(after.bytes.chunks(stride));
    let differs = |row: &(&[u8], &[u8])| row.0 != row.1;
    let top = rows().position(|row| differs(&row));
    let Some(top) = top else {
        return FrameChange { x: 0, y: 0, width: 1, height: 1, bytes: vec![0; PIXEL] };
    };
    let bottom = rows().rposition(|row| differs(&row)).unwrap_or(top);
    let (mut left, mut right) = (wide, 0);
    for (old, new) in rows().skip(top).take(bottom - top + 1) {
        let mut pixels = old.chunks(PIXEL).zip(new.chunks(PIXEL));
        if let Some(first) = pixels.clone().position(|(old, new)| old != new) {
            left = left.min(first);
        }
        if let Some(last) = pixels.rposition(|(old, new)| old != new) {
            right = right.max(last);
        }
    }
    let (width, height) = (right + 1 - left, bottom + 1 - top);
    let mut bytes = Vec::with_capacity(width * height * PIXEL);
    for (old, new) in rows().skip(top).take(height) {
        let pixels = old.chunks(PIXEL).zip(new.chunks(PIXEL)).skip(left).take(width);
        for (old, new) in pixels {
            bytes.extend_from_slice(if old == new { &[0; PIXEL] } else { new });
        }
    }
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    FrameChange {
        x: number(left),
        y: number(top),
        width: number(width),
        height: number(height),
        bytes,
    }
}
