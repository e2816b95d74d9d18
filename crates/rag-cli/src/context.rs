//! What a command works with: the effective settings and the progress sink.

use std::path::Path;

use rag_pipeline::{Keys, Settings};

use crate::args::GlobalArgs;
use crate::progress::{Terminal, Verbosity};

/// The settings file that is read when none is named.
const SETTINGS_FILE: &str = "rag.toml";

/// Settings and progress of one command.
pub struct Context {
    /// The effective settings: flags, then the settings file, then defaults.
    pub settings: Settings,
    /// Where progress goes.
    pub progress: Terminal,
}

impl Context {
    /// Reads the settings file and the variables that model users know (`HF_HOME`, `XDG_CACHE_HOME`, …).
    pub fn new(global: &GlobalArgs) -> anyhow::Result<Self> {
        let mut settings = Settings::default();
        settings.models.fetch = settings
            .models
            .fetch
            .with_variables(|name| std::env::var(name).ok());
        let found = Path::new(SETTINGS_FILE);
        let file = global
            .config
            .as_deref()
            .or_else(|| found.is_file().then_some(found));
        if let Some(file) = file {
            let read = Settings::read_over(&settings, file)?;
            if global.config.is_none() {
                refuse_to_trust(&settings, &read)?;
            }
            settings = read;
        }
        settings.models.keys = Keys::of(&settings.models.providers, |name| std::env::var(name).ok());
        let verbosity = if global.quiet {
            Verbosity::Quiet
        } else {
            Verbosity::Normal
        };
        Ok(Self {
            settings,
            progress: Terminal::new(verbosity),
        })
    }
}

/// Refuses what a settings file that merely lies in this folder must not choose: a folder that somebody else made
/// may neither run a program on this machine nor send documents and keys to a server.
fn refuse_to_trust(before: &Settings, read: &Settings) -> anyhow::Result<()> {
    let (known, fetch) = (&before.models.fetch, &read.models.fetch);
    let refused = if fetch.mirror.python != known.mirror.python {
        Some("names a program to run (models.fetch.mirror.python)")
    } else if fetch.hub.endpoint != known.hub.endpoint {
        Some("names a server to ask for models, with the hub's token (models.fetch.hub.endpoint)")
    } else {
        read.reaches_out()
    };
    match refused {
        Some(what) => anyhow::bail!(
            "{SETTINGS_FILE} in this folder {what}; name the file with --config if you trust it"
        ),
        None => Ok(()),
    }
}
