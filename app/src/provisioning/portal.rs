//! The portal: choose a template, fill a few fields, see what is filled in for you and whether it would work.

use app_ui::{EmptyState, Glyph, Kind, LinkButton, PageHead, SkeletonTable};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use model::Fault;
use model::access::Verb;
use model::change::OperationView;
use model::provisioning::OrderOptions;

use super::api::{list_options, recent_deliveries};
use super::form::OrderForm;
use super::recent::Recent;
use super::templates::Templates;
use crate::frame::{Loaded, Page, fetched, may};
use crate::locales::use_words;
use crate::paths::{self, param};

/// The page.
#[component]
pub(crate) fn Portal() -> impl IntoView {
    let words = use_words().provisioning;
    let offered = fetched(|| (), |()| fetch());
    view! {
        <Page title=words.title>
            <PageHead title=words.title under=move || words.lead/>
            <Loaded from=offered page=true fallback=|| view! { <SkeletonTable rows=6 columns=3 inset=true/> } let:offered>
                <Offered offered=offered/>
            </Loaded>
        </Page>
    }
}

/// Both halves of the page at once.
async fn fetch() -> Result<(OrderOptions, Vec<OperationView>), Fault> {
    Ok((list_options().await?, recent_deliveries().await?))
}

#[component]
fn Offered(offered: (OrderOptions, Vec<OperationView>)) -> impl IntoView {
    let (options, recent) = offered;
    if options.places.is_empty() {
        return view! { <Nowhere/><Recent recent=recent/> }.into_any();
    }
    let query = use_query_map();
    let first = options.templates.first().map(|t| t.id.to_string()).unwrap_or_default();
    let known: Vec<String> = options.templates.iter().map(|t| t.id.to_string()).collect();
    // The chosen template lives in the URL; one that is not offered is the first.
    let chosen = Memo::new(move |_| {
        let asked = query.with(|q| q.get(param::TEMPLATE)).unwrap_or_default();
        if known.contains(&asked) { asked } else { first.clone() }
    });
    view! {
        <div class="portal">
            <div class="portal-left">
                <Templates templates=options.templates.clone() chosen=chosen/>
                <Recent recent=recent/>
            </div>
            <OrderForm options=options chosen=chosen/>
        </div>
    }
    .into_any()
}

/// Before there is a cluster with a network that a subnet serves.
#[component]
fn Nowhere() -> impl IntoView {
    let words = use_words().provisioning;
    let subnet = may(Verb::IpamWrite).then(
        || view! { <LinkButton href=paths::NEW_SUBNET word=words.new_subnet glyph=Glyph::Plus kind=Kind::Primary/> },
    );
    view! { <EmptyState glyph=Glyph::Portal title=words.no_place meaning=words.no_place_more page=true>{subnet}</EmptyState> }
}
