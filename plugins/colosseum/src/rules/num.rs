//! Numbers that remember whether they are whole, since the referee prints `50` and `50.0` apart.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number as the original's language has it: a whole one or a floating point one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct PyNumber {
    value: f64,
    whole: bool,
}

impl PyNumber {
    /// Nothing, as a whole number.
    pub const ZERO: Self = Self { value: 0.0, whole: true };

    /// A whole number.
    #[must_use]
    pub fn whole(value: i32) -> Self {
        Self { value: value.into(), whole: true }
    }

    /// A floating point number.
    #[must_use]
    pub fn float(value: f64) -> Self {
        Self { value, whole: false }
    }

    /// The value.
    #[must_use]
    pub fn get(self) -> f64 {
        self.value
    }

    /// Whether it prints without a fraction.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.whole
    }

    /// The smaller one; this one at a tie.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.value < self.value { other } else { self }
    }

    /// Reads a number; anything else is not a number.
    #[must_use]
    pub fn read(value: &serde_json::Value) -> Self {
        let whole = value.is_i64() || value.is_u64();
        Self { value: value.as_f64().unwrap_or(f64::NAN), whole }
    }
}

impl PartialEq for PyNumber {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Add for PyNumber {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, whole: self.whole && other.whole }
    }
}

impl Sub for PyNumber {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, whole: self.whole && other.whole }
    }
}

impl AddAssign for PyNumber {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for PyNumber {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
