//! The messages of `device.proto`.

use serde_json::Value;
use trailblaze_model::failure::{Failure, FailureKind};

use super::codec::{self, Field, Writer, unsigned};

/// What the laptop wants done: the arguments of a method, each kind in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) id: u64,
    pub(super) method: u32,
    pub(super) numbers: Vec<i64>,
    pub(super) points: Vec<f64>,
    pub(super) texts: Vec<String>,
    pub(super) data: Vec<u8>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Response {
    pub(super) id: u64,
    pub(super) yes: bool,
    pub(super) numbers: Vec<i64>,
    pub(super) texts: Vec<String>,
    pub(super) data: Vec<u8>,
    pub(super) failure: Option<Failure>,
    /// What is pushed: events, or what a class asks for. None for an answer.
    pub(super) method: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) protocol: u64,
    pub(super) session: String,
    pub(super) who: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Welcome {
    pub(super) protocol: u64,
    pub(super) agent: String,
    pub(super) busy_with: String,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Request {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(1, self.id);
        writer.number(2, u64::from(self.method));
        self.numbers.iter().for_each(|number| writer.signed(3, *number));
        self.points.iter().for_each(|point| writer.double(4, *point));
        self.texts.iter().for_each(|text| writer.bytes(5, text.as_bytes()));
        if !self.data.is_empty() {
            writer.bytes(6, &self.data);
        }
        writer.0
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut request = Self::default();
        let is_message = codec::read(bytes, |field, value| match (field, value) {
            (1, Field::Number(id)) => request.id = id,
            (2, Field::Number(method)) => request.method = u32::try_from(method).unwrap_or_default(),
            (3, Field::Number(number)) => request.numbers.push(unsigned(number)),
            (4, Field::Double(point)) => request.points.push(point),
            (5, Field::Bytes(bytes)) => request.texts.push(text(bytes)),
            (6, Field::Bytes(bytes)) => request.data = bytes.to_vec(),
            _ => {}
        });
        is_message.then_some(request)
    }
}

impl Response {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(1, self.id);
        writer.number(2, u64::from(self.yes));
        self.numbers.iter().for_each(|number| writer.signed(3, *number));
        self.texts.iter().for_each(|text| writer.bytes(4, text.as_bytes()));
        if !self.data.is_empty() {
            writer.bytes(5, &self.data);
        }
        if let Some(failure) = &self.failure {
            let mut inner = Writer::default();
            inner.bytes(1, failure.kind.to_string().as_bytes());
            inner.bytes(2, failure.message.as_bytes());
            let more = [(3, &failure.hint), (4, &failure.stack)];
            for (field, text) in more.into_iter().filter_map(|(field, text)| Some((field, text.as_ref()?))) {
                inner.bytes(field, text.as_bytes());
            }
            writer.bytes(6, &inner.0);
        }
        if self.method != 0 {
            writer.number(7, u64::from(self.method));
        }
        writer.0
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut response = Self::default();
        let is_message = codec::read(bytes, |field, value| match (field, value) {
            (1, Field::Number(id)) => response.id = id,
            (2, Field::Number(yes)) => response.yes = yes != 0,
            (3, Field::Number(number)) => response.numbers.push(unsigned(number)),
            (4, Field::Bytes(bytes)) => response.texts.push(text(bytes)),
            (5, Field::Bytes(bytes)) => response.data = bytes.to_vec(),
            (6, Field::Bytes(bytes)) => response.failure = Some(read_failure(bytes)),
            (7, Field::Number(method)) => response.method = u32::try_from(method).unwrap_or_default(),
            _ => {}
        });
        is_message.then_some(response)
    }
}

fn read_failure(bytes: &[u8]) -> Failure {
    let mut failure = Failure::new(FailureKind::Device, String::new());
    codec::read(bytes, |field, value| match (field, value) {
        // A kind that only a newer agent knows is trouble with the device.
        (1, Field::Bytes(bytes)) => {
            let kind = serde_json::from_value(Value::String(text(bytes)));
            failure.kind = kind.unwrap_or(FailureKind::Device);
        }
        (2, Field::Bytes(bytes)) => failure.message = text(bytes),
        (3, Field::Bytes(bytes)) => failure.hint = Some(text(bytes)),
        (4, Field::Bytes(bytes)) => failure.stack = Some(text(bytes)),
        _ => {}
    });
    failure
}

/// Both greetings have a version and two texts.
fn greeting(protocol: u64, texts: [&str; 2]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.number(1, protocol);
    for (field, text) in (2..).zip(texts) {
        writer.bytes(field, text.as_bytes());
    }
    writer.0
}

fn read_greeting(bytes: &[u8]) -> Option<(u64, [String; 2])> {
    let (mut protocol, mut texts) = (0, [String::new(), String::new()]);
    let is_message = codec::read(bytes, |field, value| match (field, value) {
        (1, Field::Number(version)) => protocol = version,
        (2, Field::Bytes(bytes)) => texts[0] = text(bytes),
        (3, Field::Bytes(bytes)) => texts[1] = text(bytes),
        _ => {}
    });
    is_message.then_some((protocol, texts))
}

impl Hello {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        greeting(self.protocol, [&self.session, &self.who])
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (protocol, [session, who]) = read_greeting(bytes)?;
        Some(Self { protocol, session, who })
    }
}

impl Welcome {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        greeting(self.protocol, [&self.agent, &self.busy_with])
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (protocol, [agent, busy_with]) = read_greeting(bytes)?;
        Some(Self { protocol, agent, busy_with })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn messages_come_back_and_their_bytes_stay() {
        let request = Request {
            id: 3,
            method: 8,
            numbers: vec![-1, 2],
            points: vec![0.5],
            texts: vec!["ä".to_owned(), String::new()],
            data: vec![1, 2],
        };
        assert_eq!(hex(&request.to_bytes()), "080310081801180421000000000000e03f2a02c3a42a0032020102");
        assert_eq!(Request::read(&request.to_bytes()), Some(request));
        let failure = Failure::new(FailureKind::Refused, "gone").hint("look again").stack("at x");
        let response =
            Response { id: 3, yes: true, numbers: vec![7], failure: Some(failure), ..Response::default() };
        assert_eq!(
            hex(&response.to_bytes()),
            "08031001180e32210a07526566757365641204676f6e651a0a6c6f6f6b20616761696e220461742078"
        );
        assert_eq!(Response::read(&response.to_bytes()), Some(response));
        let hello = Hello { protocol: 1, session: "s".to_owned(), who: "eve@laptop".to_owned() };
        assert_eq!(hex(&hello.to_bytes()), "08011201731a0a657665406c6170746f70");
        assert_eq!(Hello::read(&hello.to_bytes()), Some(hello));
        let welcome = Welcome { protocol: 1, agent: "0.1.0".to_owned(), busy_with: String::new() };
        assert_eq!(Welcome::read(&welcome.to_bytes()), Some(welcome));
    }
}
