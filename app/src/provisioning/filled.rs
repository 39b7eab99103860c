//! What the platform fills in, and the cloud-init that the guest will be given.

use app_ui::{CodeView, Fact, Facts};
use leptos::prelude::*;
use model::provisioning::{Draft, Preview};

use super::form::Seen;
use crate::locales::use_words;

/// The newest preview's answers; those of an older draft stay, greyed, while a new one is asked for.
#[component]
pub(super) fn Filled(preview: Action<Draft, Seen>, draft: Memo<Draft>) -> impl IntoView {
    let words = use_words().provisioning;
    let seen = move || preview.value().get().and_then(|(_, result)| result.ok());
    let is_old = move || preview.value().get().is_some_and(|(about, _)| draft.with(|d| *d != about));
    let content = move || match seen() {
        Some(preview) if preview.name.is_some() => view! { <Answers preview=preview/> }.into_any(),
        _ => view! { <p class="small faint">{words.wait}</p> }.into_any(),
    };
    view! { <div class="portal-filled" data-old=move || is_old().then_some("")><h3>{words.filled}</h3>{content}</div> }
}

#[component]
fn Answers(preview: Preview) -> impl IntoView {
    let words = use_words().provisioning;
    let address = preview.address.map(|a| format!("{a}/{}", preview.prefix.unwrap_or_default()));
    let owner = preview.owner.map(|o| view! { <span class="person">{o.name}<code>{o.number}</code></span> });
    let texts = preview.user_data.zip(preview.network_data).map(|(user, network)| {
        view! {
            <details class="more">
                <summary class="link small">{words.cloud_init}</summary>
                <CodeView label=words.user_data text=user/>
                <CodeView label=words.network_data text=network/>
            </details>
        }
    });
    view! {
        <Facts>
            <Fact name=words.name><code>{preview.name}</code></Fact>
            <Fact name=words.namespace><code>{preview.namespace}</code></Fact>
            <Fact name=words.address><code>{address}</code></Fact>
            {preview.gateway.map(|g| view! { <Fact name=words.gateway><code>{g.to_string()}</code></Fact> })}
            <Fact name=words.owner>{owner}</Fact>
        </Facts>
        {texts}
    }
}
