//! How fast does a local language model read and write, beside llama.cpp on the same weights?
//!
//! `cargo run -p rag-benches --example generate -- [MODEL [WORDS [TOKENS [SERVER]]]]` reads a prompt of WORDS
//! words (default 300), writes TOKENS tokens (default 100) and prints tokens per second of both. With SERVER,
//! the address of a running llama-server such as `127.0.0.1:8080`, the same conversation goes there in
//! turns with ours, and the ratio is printed; read that, not the times. The server is given the same file and
//! as many threads; `pip install xllamacpp` brings one (`xllamacpp.Server`).

#![expect(clippy::print_stdout, reason = "a program that reports to a person")]

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::time::Instant;

use rag_core::progress::Silent;
use rag_models::LanguageModel;
use rag_models::fetch::FetchConfig;
use rag_models::gguf::{LanguageModelOptions, Sampling, open_language_model};
use rag_models::language_model::Prompt;
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

const SYSTEM: &str = "You write long stories.";
const SENTENCE: &str = "The river rose in the night and the people of the town carried stones. ";
/// Runs of each; the best is taken.
const RUNS: usize = 3;

/// Tokens per second.
#[derive(Clone, Copy, Default)]
struct Speed {
    reading: f64,
    writing: f64,
}

impl Speed {
    fn best(self, other: Self) -> Self {
        Self {
            reading: self.reading.max(other.reading),
            writing: self.writing.max(other.writing),
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "SmolLM2-135M-Instruct".into());
    let words: usize = arguments.next().map_or(Ok(300), |words| words.parse())?;
    let tokens: usize = arguments.next().map_or(Ok(100), |tokens| tokens.parse())?;
    let server = arguments.next();
    let options = LanguageModelOptions {
        fetch: FetchConfig::default().with_variables(|name| std::env::var(name).ok()),
        sampling: Sampling {
            repeat_penalty: 1.0,
            ..Sampling::default()
        },
        ..LanguageModelOptions::default()
    };
    let started = Instant::now();
    let model = open_language_model(&name, &options, &Silent)?;
    let opened = started.elapsed();
    model.complete(&prompt(1, 1), &mut |_| ControlFlow::Continue(()))?;
    println!(
        "{}: opened in {} ms, first token after {} ms",
        model.identity(),
        opened.as_millis(),
        started.elapsed().as_millis()
    );
    let (mut ours, mut theirs) = (Speed::default(), Speed::default());
    for _ in 0..RUNS {
        ours = ours.best(measure(model.as_ref(), words, tokens)?);
        if let Some(address) = &server {
            theirs = theirs.best(ask(address, &prompt(words, tokens))?);
        }
    }
    println!(
        "ours       reading {:7.1} tokens/s, writing {:6.1}",
        ours.reading, ours.writing
    );
    if server.is_some() {
        println!(
            "llama.cpp  reading {:7.1} tokens/s, writing {:6.1}",
            theirs.reading, theirs.writing
        );
        println!(
            "ratio      reading {:7.2}           writing {:6.2}",
            ours.reading / theirs.reading,
            ours.writing / theirs.writing
        );
    }
    Ok(())
}

fn prompt(words: usize, max_tokens: usize) -> Prompt {
    let story: Vec<&str> = SENTENCE.split_whitespace().cycle().take(words).collect();
    Prompt::new(
        SYSTEM,
        format!("Go on with this story: {}", story.join(" ")),
        max_tokens,
    )
}

/// One token costs the reading; the time beyond it is that of writing.
fn measure(model: &dyn LanguageModel, words: usize, tokens: usize) -> Result<Speed, Failure> {
    let run = |max_tokens| -> Result<_, Failure> {
        let started = Instant::now();
        let completion = model.complete(&prompt(words, max_tokens), &mut |_| ControlFlow::Continue(()))?;
        Ok((started.elapsed().as_secs_f64(), completion.usage))
    };
    let (reading, usage) = run(1)?;
    let (both, written) = run(tokens)?;
    println!("  {} tokens read, {} written", usage.prompt, written.completion);
    Ok(Speed {
        reading: usage.prompt as f64 / reading,
        writing: (written.completion - 1) as f64 / (both - reading),
    })
}

/// Sends the conversation to a llama-server; gives the speed that it reports.
fn ask(address: &str, prompt: &Prompt) -> Result<Speed, Failure> {
    let messages: Vec<Value> = prompt
        .messages
        .iter()
        .map(|message| json!({"role": message.speaker, "content": message.text}))
        .collect();
    let body = json!({
        "messages": messages, "max_tokens": prompt.max_tokens, "temperature": 0, "cache_prompt": false,
    })
    .to_string();
    let mut connection = TcpStream::connect(address)?;
    write!(
        connection,
        "POST /v1/chat/completions HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("the server gave no answer")?;
    let answer: Value = serde_json::from_str(body)?;
    let speed = |name: &str| {
        answer["timings"][name]
            .as_f64()
            .ok_or("the server gave no timings")
    };
    Ok(Speed {
        reading: speed("prompt_per_second")?,
        writing: speed("predicted_per_second")?,
    })
}
