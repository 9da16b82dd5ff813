//! Arithmetic: `+ - * / % ^`, brackets and a few functions.

/// Brackets may nest this deep.
const MAX_DEPTH: usize = 64;

/// The value of an expression.
pub(super) fn evaluate(text: &str) -> Result<f64, String> {
    let mut parser = Parser { text, rest: text, depth: 0 };
    let value = parser.sum()?;
    parser.skip_spaces();
    if !parser.rest.is_empty() {
        return Err(parser.unexpected());
    }
    if value.is_finite() { Ok(value) } else { Err(format!("'{text}' has no value")) }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, symbol: char) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn unexpected(&self) -> String {
        match self.rest.chars().next() {
            Some(symbol) => {
                let at = self.text.chars().count() - self.rest.chars().count() + 1;
                format!("'{}': '{symbol}' at position {at} is not expected", self.text)
            }
            None => format!("'{}' ends too early", self.text),
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        loop {
            if self.take('*') {
                value *= self.signed()?;
            } else if self.take('/') {
                value /= self.signed()?;
            } else if self.take('%') {
                value %= self.signed()?;
            } else {
                return Ok(value);
            }
        }
    }

    /// A sign binds weaker than a power: `-2^2` is `-4`.
    fn signed(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("'{}' nests too deeply", self.text));
        }
        let value = if self.take('-') {
            -self.signed()?
        } else if self.take('+') {
            self.signed()?
        } else {
            let base = self.atom()?;
            if self.take('^') { base.powf(self.signed()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err(self.unexpected()) };
        }
        self.skip_spaces();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        let length = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(length);
        if token.is_empty() {
            return Err(self.unexpected());
        }
        if token.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let value = token.parse().map_err(|_| format!("'{token}' is no number"))?;
            self.rest = rest;
            return Ok(value);
        }
        self.rest = rest;
        match token {
            "pi" => Ok(std::f64::consts::PI),
            "e" => Ok(std::f64::consts::E),
            name => self.function(name),
        }
    }

    fn function(&mut self, name: &str) -> Result<f64, String> {
        if !self.take('(') {
            return Err(format!("'{}': unknown name '{name}'", self.text));
        }
        let mut values = vec![self.sum()?];
        while self.take(',') {
            values.push(self.sum()?);
        }
        if !self.take(')') {
            return Err(self.unexpected());
        }
        match (name, values.as_slice()) {
            ("abs", [x]) => Ok(x.abs()),
            ("sqrt", [x]) => Ok(x.sqrt()),
            ("round", [x]) => Ok(x.round()),
            ("floor", [x]) => Ok(x.floor()),
            ("ceil", [x]) => Ok(x.ceil()),
            ("sin", [x]) => Ok(x.sin()),
            ("cos", [x]) => Ok(x.cos()),
            ("tan", [x]) => Ok(x.tan()),
            ("ln", [x]) => Ok(x.ln()),
            ("log", [x]) => Ok(x.log10()),
            ("min", values) => Ok(values.iter().copied().fold(f64::INFINITY, f64::min)),
            ("max", values) => Ok(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            ("pow", [x, y]) => Ok(x.powf(*y)),
            _ => Err(format!("'{}': unknown function '{name}' of {} values", self.text, values.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[track_caller]
    fn check(text: &str, expected: f64) {
        let value = evaluate(text).unwrap();
        assert!((value - expected).abs() < 1e-9, "{text} is {value}");
    }

    #[test]
    fn arithmetic_follows_the_usual_rules() {
        check("1 + 2 * 3", 7.0);
        check("(1 + 2) * 3", 9.0);
        check("-2^2", -4.0);
        check("2^3^2", 512.0);
        check("10 % 4 - -1", 3.0);
        check("round(2.5) + max(1, 2, 3) / sqrt(4)", 4.5);
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        for text in ["", "1 +", "(1", "1 2", "x", "1/0", "foo(1)", "1..2", "9**9"] {
            assert!(evaluate(text).is_err(), "{text}");
        }
        assert!(evaluate(&"(".repeat(100_000)).is_err());
        assert!(evaluate(&"-".repeat(100_000)).is_err());
    }
}
