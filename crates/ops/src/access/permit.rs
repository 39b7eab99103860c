//! Leave that cannot be forged.

use crate::{Context, Error, Result};
use model::access::Verb;

/// Proof that an actor may do one thing to one object. Only [`Permit::ask`] makes one and every change needs one, so an
/// unchecked write does not compile. The audit line is written from it.
#[derive(Debug)]
pub struct Permit {
    actor: String,
    verb: Verb,
    object: String,
    _proof: (),
}

impl Permit {
    /// Asks for leave. `object` is what the audit line will name, for example `bj-1/erp-prod/web-01`.
    pub fn ask(ctx: &Context, verb: Verb, object: impl Into<String>) -> Result<Self> {
        let role = ctx.actor.role().ok_or(Error::Unauthenticated)?;
        match verb.refusal(role) {
            Some(say) => {
                ctx.denials.note(verb, object.into());
                Err(Error::Forbidden(say))
            }
            None => Ok(Self { actor: ctx.actor.login().to_owned(), verb, object: object.into(), _proof: () }),
        }
    }

    /// Sign-in name of who may.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// What is permitted.
    pub fn verb(&self) -> Verb {
        self.verb
    }

    /// To what.
    pub fn object(&self) -> &str {
        &self.object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Actor;
    use model::UnixMs;
    use model::access::{Me, Role};
    use model::id::AccountId;

    fn context(actor: Actor) -> Context {
        Context::new(actor, "r", "t", UnixMs(0))
    }

    #[test]
    fn nobody_gets_no_permit_and_a_viewer_only_what_viewers_may() {
        let id = AccountId::parse("a").unwrap();
        let viewer = Actor::Account(Me { id, login: "v".into(), name: "V".into(), number: None, role: Role::Viewer });
        assert!(matches!(Permit::ask(&context(Actor::Nobody), Verb::VmRead, ""), Err(Error::Unauthenticated)));
        assert!(Permit::ask(&context(viewer.clone()), Verb::VmRead, "").is_ok());
        let asked = context(viewer);
        assert!(matches!(Permit::ask(&asked, Verb::VmPower, "a/b/c"), Err(Error::Forbidden(_))));
        assert_eq!(asked.denials.take(), [(Verb::VmPower, "a/b/c".to_owned())]);
    }
}
