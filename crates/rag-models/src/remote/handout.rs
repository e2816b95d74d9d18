//! Text on its way to the caller: remembers that some was handed out, and that the caller wants no more.

use std::ops::ControlFlow;

use super::http::Failure;

/// The caller's ear.
pub(super) struct Handout<'a> {
    on_text: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
    begun: bool,
    cancelled: bool,
}

impl<'a> Handout<'a> {
    pub(super) fn new(on_text: &'a mut dyn FnMut(&str) -> ControlFlow<()>) -> Self {
        Self {
            on_text,
            begun: false,
            cancelled: false,
        }
    }

    /// Hands out a piece; [`ControlFlow::Break`] when the caller wants no more.
    pub(super) fn give(&mut self, text: &str) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        self.begun = true;
        let flow = (self.on_text)(text);
        self.cancelled |= flow.is_break();
        flow
    }

    /// True when the caller wanted no more.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// A failure behind text that was handed out is final: another attempt would hand out a second beginning.
    pub(super) fn finalise(&self, failure: Failure) -> Failure {
        if self.begun { failure.made_final() } else { failure }
    }
}
