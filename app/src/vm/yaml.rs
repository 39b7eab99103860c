//! The object of a VM as YAML, to read. It is fetched when the tab is opened: it comes from the cluster itself.

use app_ui::{Button, CodeView, CopyButton, Glyph, Kind, SkeletonPanel};
use leptos::prelude::*;
use model::Fault;
use model::id::VmRef;
use model::vm::VmDetail;

use super::api::read_yaml;
use crate::frame::FaultState;
use crate::locales::use_words;

/// The tab.
#[component]
pub(super) fn Yaml(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let vm = detail.with_untracked(|detail| detail.row.reference());
    let name = detail.with_untracked(|detail| detail.row.name.to_string());
    let reading = Action::new(move |_: &()| {
        let vm = vm.clone();
        async move {
            let vm: VmRef = vm.map_err(|bad| Fault::invalid(bad.say))?;
            read_yaml(vm).await
        }
    });
    // The page is Async, so a second fetch on the server would hold all of it back.
    Effect::new(move |_| {
        reading.dispatch(());
    });
    let again = Callback::new(move |()| {
        reading.dispatch(());
    });
    let label = (words.yaml_label)(&name);
    let content = move || {
        match reading.value().get() {
        None => view! { <SkeletonPanel lines=12/> }.into_any(),
        Some(Err(fault)) => view! { <FaultState fault=fault retry=again/> }.into_any(),
        Some(Ok(text)) => view! {
            <div class="row">
                <p class="small faint">{words.yaml_note}</p>
                <span class="push row" data-gap="1">
                    <CopyButton text=text.clone() label=words.copy_yaml/>
                    <Button word=words.read_again glyph=Glyph::Refresh kind=Kind::Quiet busy=reading.pending() on_press=again/>
                </span>
            </div>
            <CodeView label=label.clone() text=text/>
        }
        .into_any(),
    }
    };
    view! { <div class="vm-body" data-one=""><div class="col">{content}</div></div> }
}
