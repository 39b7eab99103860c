//! Faults that stand at the field that they are about, for as long as the field holds what they are about.

use leptos::prelude::*;
use model::Fault;

use super::session::use_lang;

/// The sentence of `fault` where it is about `field`; gone as soon as `value` is another than when the fault came. Call it in
/// a component.
pub(crate) fn at_field(
    fault: Signal<Option<Fault>>,
    field: &'static str,
    value: RwSignal<String>,
) -> Signal<Option<String>> {
    let lang = use_lang();
    let said = Memo::new(move |_| {
        let fault = fault.get().filter(|fault| fault.field.as_deref() == Some(field))?;
        Some((fault.say.text(lang).to_owned(), value.get_untracked()))
    });
    Signal::derive(move || said.get().filter(|(_, about)| value.with(|value| value == about)).map(|(said, _)| said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::html;
    use model::access::Role;
    use model::{Lang, Say};

    #[test]
    fn a_sentence_goes_with_what_it_was_about() {
        html(Role::Admin, Lang::En, || {
            let (fault, value) = (RwSignal::new(None), RwSignal::new("10.0.0.0/33".to_owned()));
            let shown = at_field(fault.into(), "cidr", value);
            assert_eq!(shown.get_untracked(), None);
            fault.set(Some(Fault::invalid(Say::fixed("不对", "wrong")).at("cidr")));
            assert_eq!(shown.get_untracked().as_deref(), Some("wrong"));
            value.set("10.0.0.0/24".to_owned());
            assert_eq!(shown.get_untracked(), None);
            // It is about another field.
            fault.set(Some(Fault::invalid(Say::fixed("空", "empty")).at("name")));
            assert_eq!(shown.get_untracked(), None);
        });
    }
}
