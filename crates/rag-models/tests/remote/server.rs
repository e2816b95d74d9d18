//! A provider on loopback: answers each request by a function, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path with query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, `null` when it is no JSON.
    pub body: Value,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(own, _)| own == name)?;
        Some(value)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Vec<u8>>,
    end: End,
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// As announced.
    Whole,
    /// The connection closes before the announced end.
    Broken,
    /// Nothing more comes until the asker goes away.
    Silent,
}

impl Reply {
    /// A JSON body.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", vec![body.to_string().into_bytes()])
    }

    /// Named events, each in a piece of its own.
    pub fn events(events: &[(&str, Value)]) -> Self {
        let piece = |(name, data): &(&str, Value)| format!("event: {name}\ndata: {data}\n\n").into_bytes();
        Self::body(200, "text/event-stream", events.iter().map(piece).collect())
    }

    /// Events without names that end with `[DONE]`.
    pub fn chunks(chunks: &[Value]) -> Self {
        let mut pieces: Vec<Vec<u8>> = chunks
            .iter()
            .map(|data| format!("data: {data}\n\n").into_bytes())
            .collect();
        pieces.push(b"data: [DONE]\n\n".to_vec());
        Self::body(200, "text/event-stream; charset=utf-8", pieces)
    }

    /// Any body.
    pub fn body(status: u16, kind: &str, pieces: Vec<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), kind.into())],
            pieces,
            end: End::Whole,
        }
    }

    /// With a further header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same, but the last piece is left out and the connection closes.
    pub fn broken(mut self) -> Self {
        self.pieces.pop();
        self.end = End::Broken;
        self
    }

    /// The same without its last piece, ended as if that were all.
    pub fn short(mut self) -> Self {
        self.pieces.pop();
        self
    }

    /// The same without its last piece, after which nothing comes.
    pub fn silent(mut self) -> Self {
        self.pieces.pop();
        self.end = End::Silent;
        self
    }

    fn write(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!(
            "HTTP/1.1 {} Mock\r\ntransfer-encoding: chunked\r\nconnection: close\r\n{}",
            self.status,
            headers.collect::<String>()
        );
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        for piece in &self.pieces {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
            stream.write_all(piece)?;
            stream.write_all(b"\r\n")?;
            stream.flush()?;
        }
        match self.end {
            End::Whole => stream.write_all(b"0\r\n\r\n"),
            End::Broken => Ok(()),
            End::Silent => stream.read(&mut [0]).map(|_| ()),
        }
    }
}

/// A running server. Its threads end with the process.
pub struct Provider {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Provider {
    /// Answers every request by `answer`, on the port given (0 for any free one).
    pub fn start(
        port: u16,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        Ok(Self { address, requests })
    }

    /// Answers with `replies` one after the other, and then with status 418.
    pub fn scripted(replies: Vec<Reply>) -> std::io::Result<Self> {
        let left = Mutex::new(replies.into_iter());
        Self::start(0, move |_| {
            let next = left.lock().ok().and_then(|mut replies| replies.next());
            next.unwrap_or_else(|| Reply::json(418, &Value::Null))
        })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests
            .lock()
            .map(|requests| requests.clone())
            .unwrap_or_default()
    }
}

/// One exchange; an asker that goes away is no failure of the server.
fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request) -> Reply) {
    let Some(request) = read(&stream) else { return };
    if let Ok(mut seen) = seen.lock() {
        seen.push(request.clone());
    }
    let _ = answer(&request).write(&mut stream);
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request {
        path,
        headers,
        body: Value::Null,
    };
    let length = request
        .header("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(request)
}
