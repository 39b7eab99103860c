//! Who looks, in which language and zone, at what moment: known before anything is drawn, the same in both first renders.
//!
//! The server reads it from the request and sends it along with the page; the browser takes it from there. It does not
//! change while the page is open: signing in and switching the language load the page again.

use std::sync::{Arc, OnceLock};

use leptos::prelude::*;
use model::access::{Me, Role, Verb};
use model::{Lang, Say, UnixMs};
use serde::{Deserialize, Serialize};

use super::preferences::Preferences;
use crate::courier;

/// The circumstances of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Who is signed in.
    pub me: Option<Me>,
    /// What the browser prefers.
    pub preferences: Preferences,
    /// What changes of this session must bring along; empty for nobody.
    pub csrf: String,
    /// The server's clock when the page was made.
    pub now: UnixMs,
    /// The build of the page.
    pub build: String,
    /// The folder of the build's files, without a slash at the end.
    pub base: String,
}

impl Session {
    /// Provides it to everything below: from the request on the server, from the page in the browser.
    pub(crate) fn share() -> Arc<Self> {
        let session = SharedValue::new(|| use_context::<Session>().unwrap_or_default()).into_inner();
        let session = Arc::new(session);
        provide_context(session.clone());
        let csrf = session.csrf.clone();
        // Effects run in the browser only, where there is one session.
        Effect::new(move |_| courier::carry(&csrf));
        session
    }

    /// The address of the icons; the same for the life of the program or the page, so it is made once. Without a build, as
    /// when the routes are listed at start, nothing is drawn and nothing remembered.
    pub(crate) fn sprite(&self) -> &'static str {
        static SPRITE: OnceLock<String> = OnceLock::new();
        if self.base.is_empty() { "" } else { SPRITE.get_or_init(|| format!("{}/icons.svg", self.base)) }
    }

    /// The role of whoever looks; nobody sees what a viewer sees, and the server refuses the rest.
    pub(crate) fn role(&self) -> Role {
        self.me.as_ref().map_or(Role::Viewer, |me| me.role)
    }
}

/// The session of this page.
pub(crate) fn use_session() -> Arc<Session> {
    use_context::<Arc<Session>>().unwrap_or_default()
}

/// The reader's language.
pub(crate) fn use_lang() -> Lang {
    use_session().preferences.lang
}

/// A sentence of the model in the reader's language.
pub(crate) fn tell(say: &Say) -> String {
    say.text(use_lang()).to_owned()
}

/// Why whoever looks may not do this, in their language; `None` when they may.
pub(crate) fn use_refusal(verb: Verb) -> Option<String> {
    let session = use_session();
    verb.refusal(session.role()).map(|say| say.text(session.preferences.lang).to_owned())
}

/// Whether whoever looks may do this.
pub(crate) fn may(verb: Verb) -> bool {
    verb.refusal(use_session().role()).is_none()
}

/// Sets the HTTP status of the page that is being made; given by the server, absent in the browser.
#[derive(Clone)]
pub struct Answer(pub Arc<dyn Fn(u16) + Send + Sync>);

/// Answers with `status` when this is the server; nothing in the browser.
pub(crate) fn answer_with(status: u16) {
    if let Some(answer) = use_context::<Answer>() {
        (answer.0)(status);
    }
}
