//! Sizes: numbers, variables whose values may differ in each run, and their arithmetic.
use std::fmt;
use std::ops;

/// The largest value of a variable of [`Expr::Var`], as in harp's text format. [`Expr::var`] makes variables with other bounds.
pub const LARGEST_SIZE: i64 = i32::MAX as i64;

/// A size: a number, a variable, or an expression of these.
///
/// ```
/// use harp::Expr;
/// let n = Expr::Var("n".to_string());
/// assert_eq!((n * 2 + 1).to_string(), "n * 2 + 1");
/// assert_eq!(Expr::from(3) * 4, Expr::from(12));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number. -1 means "infer" in `reshape` and "keep" in `expand`.
    Const(i64),
    /// A variable with this name, from 0 to [`LARGEST_SIZE`].
    Var(String),
    /// A variable with bounds, both included: see [`Expr::var`].
    Bounded(String, i64, i64),
    /// An operation on two sizes.
    Of(Arithmetic, Box<Expr>, Box<Expr>),
    /// A choice between two sizes: `Select([a, b, c])` is `b` if `a >= 0`, else `c`.
    Select(Box<[Expr; 3]>),
}

/// The operations of [`Expr::Of`]. Division rounds down, a division by 0 gives 0, and the remainder has the sign of the divisor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    Min,
    Max,
}

impl Expr {
    /// A variable with bounds, both included.
    pub fn var(name: &str, bounds: ops::RangeInclusive<i64>) -> Expr {
        Expr::Bounded(name.to_owned(), *bounds.start(), *bounds.end())
    }

    /// Returns the size if it is a number; None for a variable or an expression.
    pub fn value(&self) -> Option<i64> {
        match self {
            Expr::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// The quotient, rounded down; a division by 0 gives 0.
    #[must_use]
    pub fn floor_div(self, other: impl Into<Expr>) -> Expr {
        Expr::of(Arithmetic::FloorDiv, self, other.into())
    }
    /// The lesser one.
    #[must_use]
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        Expr::of(Arithmetic::Min, self, other.into())
    }
    /// The greater one.
    #[must_use]
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        Expr::of(Arithmetic::Max, self, other.into())
    }

    pub(crate) fn of(operation: Arithmetic, a: Expr, b: Expr) -> Expr {
        if let (Expr::Const(a), Expr::Const(b)) = (&a, &b) {
            let value = match operation {
                Arithmetic::Add => a.checked_add(*b),
                Arithmetic::Sub => a.checked_sub(*b),
                Arithmetic::Mul => a.checked_mul(*b),
                Arithmetic::FloorDiv | Arithmetic::Mod => {
                    floor_division(*a, *b).map(|(quotient, rest)| if operation == Arithmetic::Mod { rest } else { quotient })
                }
                Arithmetic::Min => Some(*a.min(b)),
                Arithmetic::Max => Some(*a.max(b)),
            };
            if let Some(value) = value {
                return Expr::Const(value);
            }
        }
        Expr::Of(operation, Box::new(a), Box::new(b))
    }
}

fn floor_division(a: i64, b: i64) -> Option<(i64, i64)> {
    if b == 0 {
        return Some((0, 0));
    }
    let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
    let down = rest != 0 && (rest < 0) != (b < 0);
    Some(if down { (quotient - 1, rest + b) } else { (quotient, rest) })
}

macro_rules! operators {
    ($($operator:ident $method:ident $operation:ident),*) => {
        $(impl<T: Into<Expr>> ops::$operator<T> for Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr {
                Expr::of(Arithmetic::$operation, self, other.into())
            }
        }
        impl<T: Into<Expr>> ops::$operator<T> for &Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr {
                Expr::of(Arithmetic::$operation, self.clone(), other.into())
            }
        })*
    };
}
operators!(Add add Add, Sub sub Sub, Mul mul Mul, Rem rem Mod);

macro_rules! from_numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Expr {
            /// A number that exceeds 64 bits becomes the largest number, which is too large for every array.
            fn from(value: $number) -> Expr {
                Expr::Const(i64::try_from(value).unwrap_or(i64::MAX))
            }
        })*
    };
}
from_numbers!(i32, i64, isize, u8, u16, u32, u64, usize);

impl From<&Expr> for Expr {
    fn from(expr: &Expr) -> Expr {
        expr.clone()
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{}", value),
            Expr::Var(name) | Expr::Bounded(name, ..) => f.write_str(name),
            Expr::Select(parts) => write!(f, "select({} >= 0, {}, {})", parts[0], parts[1], parts[2]),
            Expr::Of(operation, a, b) => {
                let (sign, level) = match operation {
                    Arithmetic::Min => return write!(f, "min({}, {})", a, b),
                    Arithmetic::Max => return write!(f, "max({}, {})", a, b),
                    Arithmetic::Add => ("+", 0),
                    Arithmetic::Sub => ("-", 0),
                    Arithmetic::Mul => ("*", 1),
                    Arithmetic::FloorDiv => ("//", 1),
                    Arithmetic::Mod => ("%", 1),
                };
                operand(a, level, f)?;
                write!(f, " {} ", sign)?;
                operand(b, level + 1, f)
            }
        }
    }
}

/// Prints an operand, with brackets if its operator binds less tightly than `level`.
fn operand(expr: &Expr, level: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let binds = match expr {
        Expr::Of(Arithmetic::Add | Arithmetic::Sub, ..) => 0,
        Expr::Of(Arithmetic::Mul | Arithmetic::FloorDiv | Arithmetic::Mod, ..) => 1,
        Expr::Const(value) if *value < 0 => 0,
        _ => 2,
    };
    if binds < level {
        write!(f, "({})", expr)
    } else {
        write!(f, "{}", expr)
    }
}

/// Parses a size that harp printed ("2*n + 1"); None if the text is no size. `variable(name)` returns the variable of this name, with its
/// bounds.
pub(crate) fn parse(text: &str, variable: &dyn Fn(&str) -> Expr) -> Option<Expr> {
    let mut parser = Parser { rest: text, variable };
    let expr = parser.sum()?;
    parser.rest.trim().is_empty().then_some(expr)
}

struct Parser<'a> {
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> Expr,
}

impl Parser<'_> {
    fn accept(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut left = self.term()?;
        loop {
            let operation = if self.accept("+") {
                Arithmetic::Add
            } else if self.accept("-") {
                Arithmetic::Sub
            } else {
                return Some(left);
            };
            left = Expr::of(operation, left, self.term()?);
        }
    }

    fn term(&mut self) -> Option<Expr> {
        let mut left = self.factor()?;
        loop {
            let operation = if self.accept("*") {
                Arithmetic::Mul
            } else if self.accept("//") {
                Arithmetic::FloorDiv
            } else if self.accept("%") {
                Arithmetic::Mod
            } else {
                return Some(left);
            };
            left = Expr::of(operation, left, self.factor()?);
        }
    }

    fn factor(&mut self) -> Option<Expr> {
        if self.accept("(") {
            let inner = self.sum()?;
            return self.accept(")").then_some(inner);
        }
        if self.accept("-") {
            return Some(Expr::of(Arithmetic::Sub, Expr::Const(0), self.factor()?));
        }
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().ok().map(Expr::Const);
        }
        if word.is_empty() {
            return None;
        }
        if !self.accept("(") {
            return Some((self.variable)(word));
        }
        let first = self.sum()?;
        if word == "select" && !(self.accept(">=") && self.accept("0")) {
            return None;
        }
        let second = self.accept(",").then(|| self.sum())??;
        let made = match word {
            "min" => Expr::of(Arithmetic::Min, first, second),
            "max" => Expr::of(Arithmetic::Max, first, second),
            "select" => Expr::Select(Box::new([first, second, self.accept(",").then(|| self.sum())??])),
            _ => return None,
        };
        self.accept(")").then_some(made)
    }
}

/// A list of sizes as an argument: arrays, slices and vectors of numbers or of [`Expr`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dims(pub(crate) Vec<Expr>);

/// Axes as an argument: `..` for all of them, one axis, or a list.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Axes(pub(crate) Option<Vec<i32>>);

macro_rules! lists {
    ($($number:ty),*) => {
        $(impl<const N: usize> From<[$number; N]> for Dims {
            fn from(dims: [$number; N]) -> Dims {
                Dims(dims.iter().map(Expr::from).collect())
            }
        }
        impl<const N: usize> From<&[$number; N]> for Dims {
            fn from(dims: &[$number; N]) -> Dims {
                Dims(dims.iter().map(Expr::from).collect())
            }
        }
        impl From<&[$number]> for Dims {
            fn from(dims: &[$number]) -> Dims {
                Dims(dims.iter().map(Expr::from).collect())
            }
        }
        impl From<Vec<$number>> for Dims {
            fn from(dims: Vec<$number>) -> Dims {
                Dims(dims.iter().map(Expr::from).collect())
            }
        })*
    };
}
lists!(i32, i64, usize, Expr);

impl From<&i32> for Expr {
    fn from(value: &i32) -> Expr {
        Expr::from(*value)
    }
}
impl From<&i64> for Expr {
    fn from(value: &i64) -> Expr {
        Expr::from(*value)
    }
}
impl From<&usize> for Expr {
    fn from(value: &usize) -> Expr {
        Expr::from(*value)
    }
}

impl From<ops::RangeFull> for Axes {
    fn from(_: ops::RangeFull) -> Axes {
        Axes(None)
    }
}
impl From<i32> for Axes {
    fn from(axis: i32) -> Axes {
        Axes(Some(vec![axis]))
    }
}
impl<const N: usize> From<[i32; N]> for Axes {
    fn from(axes: [i32; N]) -> Axes {
        Axes(Some(axes.to_vec()))
    }
}
impl From<&[i32]> for Axes {
    fn from(axes: &[i32]) -> Axes {
        Axes(Some(axes.to_vec()))
    }
}
impl From<Vec<i32>> for Axes {
    fn from(axes: Vec<i32>) -> Axes {
        Axes(Some(axes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back() {
        let bounds = |name: &str| Expr::var(name, 1..=9);
        for text in [
            "n",
            "2 * n + 1",
            "(n + 1) // 2",
            "n % 3 - m",
            "min(n, m) * 4",
            "max(0, n - 2)",
            "select(n - 1 >= 0, n, m // 2)",
            "n - (m - 1)",
        ] {
            let expr = parse(text, &bounds).unwrap_or_else(|| panic!("{} is a size", text));
            assert_eq!(expr.to_string(), text);
        }
        assert_eq!(parse("2*n+1", &bounds), Some(Expr::from(2) * bounds("n") + 1));
        for text in ["", "n +", "min(n)", "(n", "n n", "what(n, m)"] {
            assert_eq!(parse(text, &bounds), None, "{}", text);
        }
    }

    #[test]
    fn arithmetic_of_numbers_floors() {
        let sizes = |a: i64, b: i64| (Expr::from(a).floor_div(b).value(), (Expr::from(a) % b).value());
        assert_eq!(sizes(7, 2), (Some(3), Some(1)));
        assert_eq!(sizes(-7, 2), (Some(-4), Some(1)));
        assert_eq!(sizes(7, -2), (Some(-4), Some(-1)));
        assert_eq!(sizes(7, 0), (Some(0), Some(0)));
        assert_eq!((Expr::from(i64::MAX) + 1).value(), None);
    }
}
