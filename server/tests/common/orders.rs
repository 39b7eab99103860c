//! Orders as a person makes them, for tests that need a delivered VM.

use super::{Answer, Browser, CLUSTER, NETWORK, PASSWORD, Running, until};
use model::id::VmRef;
use model::id::{IdempotencyKey, OperationId};
use model::provisioning::{DeliveryView, Draft, Order};
use model::vm::Power;
use ops::{Actor, Clock, Context};
use serde_json::json;
use std::time::Duration;

/// The signed-in operator, for calls of services.
pub(crate) async fn operator(running: &Running) -> Context {
    let now = Clock::machine().now();
    // The account must exist, since operations refer to it.
    let token = running
        .ops
        .access
        .sign_in(
            &Context::new(Actor::Nobody, "r", "t", now),
            model::access::SignIn { login: "operator".into(), password: PASSWORD.into() },
            "test",
        )
        .await
        .unwrap();
    let me = running.ops.access.resume(&token, now).await.unwrap().unwrap().me;
    Context::new(Actor::Account(me), "r", "t", now)
}

/// An order that the lab can fill.
pub(crate) async fn draft(running: &Running, ctx: &Context) -> Draft {
    let options = running.ops.provisioning.options(ctx).await.unwrap();
    let place = options.places.iter().find(|p| p.cluster.as_str() == CLUSTER).unwrap();
    let template = options.templates.iter().find(|t| t.role == "web").unwrap();
    Draft {
        template: template.id.to_string(),
        flavour: template.flavours[0].word(),
        environment: "test".into(),
        service: "order".into(),
        cluster: CLUSTER.into(),
        network: NETWORK.into(),
        subnet: place.subnet.to_string(),
        reason: "压测".into(),
        ..Draft::default()
    }
}

/// The same with a key.
pub(crate) fn order(draft: &Draft, key: &str) -> Order {
    Order { draft: draft.clone(), key: IdempotencyKey::parse(key).unwrap() }
}

/// Waits until a delivery has ended, however it did.
pub(crate) async fn ended(running: &Running, ctx: &Context, id: &OperationId) -> DeliveryView {
    for _ in 0..900 {
        let view = running.ops.provisioning.delivery(ctx, id).await.unwrap();
        if view.state.is_final() {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let view = running.ops.provisioning.delivery(ctx, id).await.unwrap();
    panic!("not ended in 90 s: {view:#?}");
}

/// Asks for a change of a delivered VM's power, as its page does.
pub(crate) async fn power(browser: &Browser, vm: &DeliveryView, action: &str, key: &str) -> Answer {
    let (cluster, namespace, name) = &vm.vm;
    let vm = json!({ "cluster": cluster, "namespace": namespace, "name": name });
    let command = json!({ "vm": vm, "action": action, "reason": "", "key": key });
    browser.json("/api/app/vm/api/change_power", &json!({ "command": command })).await
}

/// Waits until a delivered VM is seen in a power.
pub(crate) async fn wait_for(running: &Running, vm: &DeliveryView, power: Power) {
    let vm = VmRef::parse(&vm.vm.0, &vm.vm.1, &vm.vm.2).unwrap();
    until(&format!("{power:?}"), || running.ops.fleet.row(&vm).is_ok_and(|row| row.power == power)).await;
}

/// Does one change of power after another, as its page does, and waits for each to be seen.
pub(crate) async fn drive(running: &Running, browser: &Browser, vm: &DeliveryView, key: &str, acts: &[(&str, Power)]) {
    for (at, (action, then)) in acts.iter().enumerate() {
        let done = power(browser, vm, action, &format!("{key}-{at}")).await;
        assert_eq!(done.status, 200, "{action}: {}", done.text);
        // A restart begins and ends with a VM that runs: its operation says when the new instance is there.
        let ctx = Context::system("test", Clock::machine().now());
        while running.ops.operations(&ctx).await.unwrap().iter().any(|o| o.state == model::change::State::Running) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        wait_for(running, vm, *then).await;
    }
}

/// Opens its screen and its serial line, until each says something.
pub(crate) async fn open_consoles(browser: &Browser, vm: &DeliveryView) {
    let (cluster, namespace, name) = &vm.vm;
    for mode in ["vnc", "serial"] {
        let named = json!({ "cluster": cluster, "namespace": namespace, "name": name });
        let open = json!({ "open": { "vm": named, "mode": mode, "reason": "look" } });
        let mut tries = 0;
        loop {
            let answer = browser.json("/api/app/console/api/ask_ticket", &open).await;
            let ticket: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
            let first = match ticket["given"]["secret"].as_str() {
                Some(secret) => browser.console(secret).await.map(drop).map_err(|code| code.to_string()),
                None => Err(answer.text),
            };
            tries += 1;
            match first {
                Ok(()) => break,
                // A guest that was just restarted has no QEMU yet; the page opens its console anew, and so do we. Until the
                // server has seen the end of what broke off, the screen is held by us.
                Err(_) if tries < 10 => tokio::time::sleep(Duration::from_secs(1)).await,
                Err(why) => panic!("{mode}: {why}"),
            }
        }
    }
}
