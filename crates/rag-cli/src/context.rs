//! What a command works with: the effective settings and the progress sink.

use std::path::Path;

use rag_pipeline::Settings;

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
        let python = settings.models.fetch.mirror.python.clone();
        if let Some(file) = file {
            settings = Settings::read_over(&settings, file)?;
        }
        // A folder that somebody else made must not choose what is run on this machine.
        anyhow::ensure!(
            global.config.is_some() || settings.models.fetch.mirror.python == python,
            "{SETTINGS_FILE} in this folder names a program to run (models.fetch.mirror.python); \
             name the file with --config if you trust it"
        );
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
