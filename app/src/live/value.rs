//! A small whole value that is kept up to date.

use std::sync::Arc;

use leptos::prelude::*;
use model::Fault;
use model::change::OperationView;
use model::fleet::{ClusterView, Inventory};
use model::live::{Span, Topic, Value};
use model::overview::Overview;
use model::provisioning::DeliveryView;
use model::vm::VmDetail;

use super::{Live, News, Slot};

/// What a topic's values are.
pub(crate) trait Followed: Clone + PartialEq + Send + Sync + 'static {
    /// The value of the right kind; `None` for another topic's.
    fn pick(value: Value) -> Option<Self>;
}

/// A value that is kept up to date.
#[derive(Clone)]
pub(crate) struct Held<T: 'static> {
    /// The newest.
    pub(crate) value: ArcRwSignal<T>,
    /// Why it is no longer kept up to date, if so.
    pub(crate) fault: ArcRwSignal<Option<Fault>>,
}

/// Follows `topic` for as long as the caller's owner lives; `seed` is what the server rendered.
pub(crate) fn use_value<T: Followed>(topic: Topic, seed: T) -> Held<T> {
    let held = Held { value: ArcRwSignal::new(seed), fault: ArcRwSignal::new(None) };
    let Some(live) = use_context::<Live>() else { return held };
    let (slot, ends) = (Slot::default(), held.clone());
    let cleaned = slot.clone();
    Effect::new(move |_| {
        let ends = ends.clone();
        let sink = Arc::new(move |news| match news {
            News::Value(value) => {
                if let Some(value) = T::pick(value).filter(|value| ends.value.with_untracked(|held| held != value)) {
                    ends.value.set(value);
                }
            }
            News::Refused(fault) => ends.fault.set(Some(fault)),
            News::Rows(_) => {}
        });
        slot.put(Some(live.open(topic.clone(), Span::default(), sink)));
    });
    on_cleanup(move || cleaned.put(None));
    held
}

impl Followed for Overview {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Overview(overview) = value { Some(*overview) } else { None }
    }
}

impl Followed for Vec<ClusterView> {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Fleet(clusters) = value { Some(clusters) } else { None }
    }
}

/// `None` when the cluster is not looked after any more.
impl Followed for Option<Inventory> {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Cluster(inventory) = value { Some(inventory.map(|inventory| *inventory)) } else { None }
    }
}

impl Followed for Vec<OperationView> {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Operations(operations) = value { Some(operations) } else { None }
    }
}

impl Followed for DeliveryView {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Delivery(delivery) = value { Some(*delivery) } else { None }
    }
}

/// `None` when the VM is gone.
impl Followed for Option<VmDetail> {
    fn pick(value: Value) -> Option<Self> {
        if let Value::Vm(vm) = value { Some(vm.map(|vm| *vm)) } else { None }
    }
}
