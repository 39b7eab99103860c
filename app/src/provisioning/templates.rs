//! Template cards: links, so that a choice has an address and works without scripts.

use app_ui::{Glyph, Icon};
use leptos::prelude::*;
use model::provisioning::Template;

use crate::frame::tell;
use crate::locales::use_words;
use crate::paths;

/// The cards.
#[component]
pub(super) fn Templates(
    /// Those that are offered.
    templates: Vec<Template>,
    /// Id of the chosen one.
    chosen: Memo<String>,
) -> impl IntoView {
    let words = use_words().provisioning;
    let card = move |template: Template| {
        let id = template.id.to_string();
        let href = paths::order(&id);
        let is_chosen = Memo::new(move |_| chosen.with(|c| *c == id));
        let glyph = match template.role.as_str() {
            "db" => Glyph::Database,
            "web" => Glyph::Globe,
            _ => Glyph::Vm,
        };
        let smallest = template.flavours.first().map(|f| (words.from)(&f.label()));
        view! {
            <a class="tile" href=href role="radio" aria-checked=move || is_chosen.get().to_string() data-noscroll="">
                <header><Icon glyph=glyph/><h2>{tell(&template.name)}</h2></header>
                <p>{tell(&template.summary)}</p>
                <footer><span><Icon glyph=Glyph::Cpu/>{smallest}</span></footer>
            </a>
        }
    };
    view! {
        <div class="portal-cards" role="radiogroup" aria-label=words.templates>
            {templates.into_iter().map(card).collect_view()}
        </div>
    }
}
