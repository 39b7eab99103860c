//! Removing a cluster: what goes and what stays, its name typed, a reason given.

use app_ui::{Asked, Button, ConfirmDialog, Confirmed, Glyph, Kind, Toast};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use model::Fault;
use model::access::Verb;
use model::id::ClusterId;

use super::api::remove_cluster;
use crate::frame::{Desk, FaultNote, use_refusal};
use crate::locales::use_words;
use crate::paths;

/// The button and its question.
#[component]
pub(super) fn RemoveButton(
    /// Which.
    id: ClusterId,
    /// What people call it.
    name: Signal<String>,
) -> impl IntoView {
    let words = use_words().fleet;
    let open = RwSignal::new(false);
    let (desk, navigate) = (Desk::find(), use_navigate());
    let typed = id.to_string();
    let removal = Action::new(move |confirmed: &Confirmed| {
        let (id, reason, navigate) = (id.clone(), confirmed.reason.clone(), navigate.clone());
        async move {
            remove_cluster(id, reason).await?;
            open.set(false);
            desk.toast(Toast::done((words.removed)(&name.get_untracked())));
            navigate(paths::CLUSTERS, Default::default());
            Ok::<(), Fault>(())
        }
    });
    let fault = Signal::derive(move || removal.value().get().and_then(Result::err));
    let asked = Asked { name: Some(typed), reason: true };
    let title = Signal::derive(move || (words.remove_title)(&name.get()));
    view! {
        <Button
            word=words.remove
            glyph=Glyph::Trash
            kind=Kind::Danger
            refusal=use_refusal(Verb::FleetRemove)
            on_press=move |()| {
                // A refusal of last time says nothing about this time.
                removal.clear();
                open.set(true);
            }
        />
        <ConfirmDialog
            open=open
            id="remove-cluster"
            title=title
            asked=asked
            act=words.remove
            danger=true
            busy=removal.pending()
            foot=words.remove_foot
            on_confirm=move |confirmed| { removal.dispatch(confirmed); }
        >
            <p>{words.remove_more}</p>
            <FaultNote fault=fault/>
        </ConfirmDialog>
    }
}
