//! Values with first and second derivatives.

use std::borrow::Borrow;
use std::ops::{Add, Mul, Neg, Sub};

#[derive(Clone, Debug)]
pub struct Jet {
    pub value: f64,
    pub gradient: Vec<f64>,
    pub hessian: Vec<f64>,
}

impl Jet {
    pub fn variable(value: f64, index: usize, n: usize) -> Self {
        let mut gradient = vec![0.0; n];
        gradient[index] = 1.0;
        Self { value, gradient, hessian: vec![0.0; n * n] }
    }

    /// A function of one variable with its two derivatives.
    pub fn then(&self, value: f64, first: f64, second: f64) -> Self {
        let n = self.gradient.len();
        let mut hessian = self.hessian.clone();
        for i in 0..n {
            for j in 0..n {
                let h = &mut hessian[i * n + j];
                *h = first * *h + second * self.gradient[i] * self.gradient[j];
            }
        }
        Self { value, gradient: self.gradient.iter().map(|g| first * g).collect(), hessian }
    }

    pub fn pow(&self, p: i32) -> Self {
        let (v, q) = (self.value, f64::from(p));
        let second = if p < 2 { 0.0 } else { q * (q - 1.0) * v.powi(p - 2) };
        self.then(v.powi(p), q * v.powi(p - 1), second)
    }

    pub fn sq(&self) -> Self {
        self.pow(2)
    }

    pub fn sin(&self) -> Self {
        self.then(self.value.sin(), self.value.cos(), -self.value.sin())
    }

    pub fn cos(&self) -> Self {
        self.then(self.value.cos(), -self.value.sin(), -self.value.cos())
    }

    pub fn exp(&self) -> Self {
        let e = self.value.exp();
        self.then(e, e, e)
    }

    pub fn ln(&self) -> Self {
        let v = self.value;
        self.then(v.ln(), 1.0 / v, -1.0 / (v * v))
    }

    pub fn sqrt(&self) -> Self {
        let r = self.value.sqrt();
        self.then(r, 0.5 / r, -0.25 / (r * self.value))
    }

    pub fn abs(&self) -> Self {
        self.then(self.value.abs(), self.value.signum(), 0.0)
    }

    fn combine(&self, other: &Self, a: f64, b: f64) -> Self {
        let mix = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| a * x + b * y).collect();
        Self {
            value: a * self.value + b * other.value,
            gradient: mix(&self.gradient, &other.gradient),
            hessian: mix(&self.hessian, &other.hessian),
        }
    }

    fn product(&self, other: &Self) -> Self {
        let mut out = self.combine(other, other.value, self.value);
        out.value = self.value * other.value;
        let n = self.gradient.len();
        for i in 0..n {
            for j in 0..n {
                out.hessian[i * n + j] +=
                    self.gradient[i] * other.gradient[j] + self.gradient[j] * other.gradient[i];
            }
        }
        out
    }
}

macro_rules! operators {
    ($jet:ty) => {
        impl<T: Borrow<Jet>> Add<T> for $jet {
            type Output = Jet;
            fn add(self, other: T) -> Jet {
                self.combine(other.borrow(), 1.0, 1.0)
            }
        }
        impl<T: Borrow<Jet>> Sub<T> for $jet {
            type Output = Jet;
            fn sub(self, other: T) -> Jet {
                self.combine(other.borrow(), 1.0, -1.0)
            }
        }
        impl<T: Borrow<Jet>> Mul<T> for $jet {
            type Output = Jet;
            fn mul(self, other: T) -> Jet {
                self.product(other.borrow())
            }
        }
        impl Add<f64> for $jet {
            type Output = Jet;
            fn add(self, other: f64) -> Jet {
                let mut out = self.clone();
                out.value += other;
                out
            }
        }
        impl Sub<f64> for $jet {
            type Output = Jet;
            fn sub(self, other: f64) -> Jet {
                self + (-other)
            }
        }
        impl Mul<f64> for $jet {
            type Output = Jet;
            fn mul(self, other: f64) -> Jet {
                self.combine(&self, other, 0.0)
            }
        }
        impl Add<$jet> for f64 {
            type Output = Jet;
            fn add(self, other: $jet) -> Jet {
                other + self
            }
        }
        impl Sub<$jet> for f64 {
            type Output = Jet;
            fn sub(self, other: $jet) -> Jet {
                other * -1.0 + self
            }
        }
        impl Mul<$jet> for f64 {
            type Output = Jet;
            fn mul(self, other: $jet) -> Jet {
                other * self
            }
        }
        impl Neg for $jet {
            type Output = Jet;
            fn neg(self) -> Jet {
                self * -1.0
            }
        }
    };
}

operators!(Jet);
operators!(&Jet);
