//! One's own sessions: where one is signed in, and the way to end what one does not know.

use app_ui::{Badge, Button, EmptyState, Glyph, HeadCell, PageHead, SkeletonTable, Table, Toast, Tone};
use leptos::prelude::*;
use model::access::SessionView;

use super::api::{end_session, list_sessions};
use crate::frame::{Desk, Loaded, Moment, Page, Since, fetched, tell, use_lang, use_session};
use crate::locales::use_words;

/// The page of whoever is signed in.
#[component]
pub(crate) fn Account() -> impl IntoView {
    let words = use_words().access;
    let sessions = fetched(|| (), |()| list_sessions());
    let me = use_session().me.clone();
    let name = me.as_ref().map_or(words.account.to_owned(), |me| me.name.clone());
    let role = me.map(|me| tell(&me.role.say())).unwrap_or_default();
    let (desk, lang) = (Desk::find(), use_lang());
    let end = Action::new(move |id: &String| {
        let id = id.clone();
        async move {
            let toast = match end_session(id).await {
                Ok(()) => Toast::done(words.ended_one),
                Err(fault) => Toast::failed(fault.say.text(lang)),
            };
            desk.toast(toast);
            sessions.refetch();
        }
    });
    view! {
        <Page title=words.account>
            <PageHead title=name under=move || (words.account_lead)(&role)/>
            <Loaded from=sessions fallback=|| view! { <SkeletonTable rows=3 columns=5 inset=true/> } let:rows>
                <Sessions rows=rows end=end/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Sessions(rows: Vec<SessionView>, end: Action<String, ()>) -> impl IntoView {
    let words = use_words().access;
    if rows.is_empty() {
        return view! { <EmptyState title=words.no_sessions glyph=Glyph::User/> }.into_any();
    }
    let row = move |session: SessionView| {
        let id = session.id.clone();
        let at_end = if session.is_this {
            view! { <Badge word=words.this_one tone=Tone::Accent/> }.into_any()
        } else {
            view! { <Button word=words.end on_press=move |()| { end.dispatch(id.clone()); }/> }.into_any()
        };
        view! {
            <tr>
                <td><code>{session.from.clone()}</code></td>
                <td><Moment at=session.began/></td>
                <td><Since at=session.used/></td>
                <td data-num="">{at_end}</td>
            </tr>
        }
    };
    let head = || {
        view! {
            <HeadCell col="s-from" word=words.from/>
            <HeadCell col="s-began" word=words.began/>
            <HeadCell col="s-used" word=words.used/>
            <HeadCell col="s-end" word=words.acts num=true/>
        }
    };
    view! {
        <Table label=words.account inset=true head=Box::new(move || head().into_any())>
            {rows.into_iter().map(row).collect_view()}
        </Table>
    }
    .into_any()
}
