//! Playing one case against one server: its namespaces, its steps, what did not hold.

use super::cases::{Case, Deed, Step};
use super::client::{Answer, Ask};
use super::pattern::{Saved, faults, fill, fill_text, shown};
use super::server::Server;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, WARNING};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Between two askings of a step that waits.
const PAUSE: Duration = Duration::from_millis(200);
/// A watch waits so long for its events when the step does not say.
const WATCH_SECS: u64 = 30;

/// Who asks by default.
const ADMIN: &str = "admin";

/// Why a case does not hold.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) step: String,
    pub(crate) what: String,
}

/// Plays a case. `number` tells its namespaces from others'.
pub(crate) async fn play(server: &Server, case: &Case, number: usize) -> Result<(), Fault> {
    let mut saved = server.known().clone();
    for variable in ["ns", "other"] {
        let name = format!("{}-{number}-{variable}", server.run());
        if uses(case, &format!("{{{variable}}}")) {
            let made = server.make_namespace(&name).await;
            made.map_err(|what| Fault { step: format!("namespace {{{variable}}}"), what })?;
        }
        saved.insert(variable.to_owned(), name.into());
    }
    let mut played = steps(server, &case.steps, &mut saved, "").await;
    let put_back = steps(server, &case.finally, &mut saved, "finally ").await;
    if played.is_ok() {
        played = put_back;
    }
    for variable in ["ns", "other"] {
        if uses(case, &format!("{{{variable}}}")) {
            server.leave_namespace(saved[variable].as_str().unwrap_or_default()).await;
        }
    }
    played
}

/// Whether a step names a variable anywhere.
fn uses(case: &Case, variable: &str) -> bool {
    case.steps.iter().chain(&case.finally).any(|step| format!("{step:?}").contains(variable))
}

fn steps<'a>(
    server: &'a Server,
    steps: &'a [Step],
    saved: &'a mut Saved,
    place: &'a str,
) -> BoxFuture<'a, Result<(), Fault>> {
    async move {
        for (at, step) in steps.iter().enumerate() {
            for i in 1..=step.times.unwrap_or(1) {
                saved.insert("i".to_owned(), i.into());
                let (deed, path) = step.deed().expect("settled when it was read");
                let path = fill_text(path, saved);
                let done = match deed {
                    Deed::Compact => server.compact(&path).await,
                    Deed::Watch => watch(server, step, &path, saved, place).await,
                    Deed::Ask(method) => ask(server, step, method, &path, saved).await,
                };
                let name = format!("{place}step {}: {} {path}", at + 1, word(deed));
                done.map_err(|what| Fault { step: name, what })?;
            }
        }
        Ok(())
    }
    .boxed()
}

fn word(deed: Deed) -> &'static str {
    match deed {
        Deed::Ask(method) => method,
        Deed::Watch => "watch",
        Deed::Compact => "compact",
    }
}

fn request(server: &Server, step: &Step, method: &'static str, path: &str, saved: &Saved) -> Result<Ask, String> {
    let media = match step.media.as_deref() {
        None => "application/json",
        Some("json") => "application/json-patch+json",
        Some("merge") => "application/merge-patch+json",
        Some("strategic") => "application/strategic-merge-patch+json",
        Some("apply") => "application/apply-patch+yaml",
        Some(media) => media,
    };
    let accept = match step.accept.as_deref() {
        None => "application/json",
        Some("table") => "application/json;as=Table;v=v1;g=meta.k8s.io",
        Some("metadata") => "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        Some("metadata-list") => "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        Some(accept) => accept,
    };
    let mut headers = vec![("accept".to_owned(), accept.to_owned())];
    headers.extend(step.with.iter().map(|(name, value)| (name.clone(), fill_text(value, saved))));
    let body = match fill(&step.body, saved) {
        Value::Null => None,
        Value::String(text) => Some(text.into()),
        tree => Some(tree.to_string().into()),
    };
    let who = step.who.as_deref().unwrap_or(ADMIN);
    let token = match who {
        "nobody" => None,
        "stranger" => Some("a-token-that-nobody-has".to_owned()),
        who => Some(server.token(who).ok_or_else(|| format!("there is no identity {who}"))?.to_owned()),
    };
    Ok(Ask { method, path: path.to_owned(), token, headers, media: media.to_owned(), body })
}

async fn ask(server: &Server, step: &Step, method: &'static str, path: &str, saved: &mut Saved) -> Result<(), String> {
    let start = Instant::now();
    let secs = |secs: Option<u64>| Duration::from_secs(secs.unwrap_or_default());
    let (until, during) = (secs(step.until_secs), secs(step.during_secs));
    loop {
        // Made anew each time, because patterns and bodies may name what was saved meanwhile.
        let request = request(server, step, method, path, saved)?;
        let judged = match server.client().send(&request).await {
            Ok(answer) => judge(step, &answer, saved),
            Err(fault) => Err(fault),
        };
        match judged {
            Ok(new) if start.elapsed() >= during => {
                saved.extend(new);
                return Ok(());
            }
            Ok(_) => {}
            Err(fault) if step.until_secs.is_none() => return Err(fault),
            Err(fault) if start.elapsed() >= until => return Err(format!("after {} s, {fault}", until.as_secs())),
            Err(_) => {}
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What an answer has to be saved, or what is wrong with it.
fn judge(step: &Step, answer: &Answer, saved: &Saved) -> Result<Saved, String> {
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let media = answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let parsed = if media.starts_with("application/yaml") {
        serde_saphyr::from_str(&text).ok()
    } else {
        serde_json::from_str::<Value>(&text).ok()
    };
    let body = parsed.unwrap_or(Value::String(text.clone()));
    let mut wrong = Vec::new();
    if step.status != Some(answer.status) {
        wrong.push(format!("wanted {}, got {}", step.status.unwrap_or_default(), answer.status));
    }
    if !step.expect.is_null() {
        wrong.extend(faults(&fill(&step.expect, saved), &body));
    }
    if let Some(pattern) = &step.text {
        wrong.extend(faults(&fill_text(pattern, saved).into(), &text.as_str().into()));
    }
    for pointer in step.absent.iter().map(|pointer| fill_text(pointer, saved)) {
        wrong.extend(body.pointer(&pointer).map(|found| format!("{pointer}: wanted nothing, got {}", shown(found))));
    }
    for (name, pattern) in &step.headers {
        wrong.extend(header_fault(&answer.headers, name, &fill_text(pattern, saved)));
    }
    if let Some(pattern) = &step.warning {
        wrong.extend(header_fault(&answer.headers, WARNING.as_str(), &fill_text(pattern, saved)));
    }
    let mut new = Saved::new();
    for (name, pointer) in &step.save {
        match body.pointer(&fill_text(pointer, saved)) {
            Some(value) => drop(new.insert(name.clone(), value.clone())),
            None => wrong.push(format!("{pointer}: nothing there to be saved as {name}")),
        }
    }
    if wrong.is_empty() { Ok(new) } else { Err(format!("{}\n      {}", wrong.join("\n      "), shown(&body))) }
}

fn header_fault(headers: &HeaderMap, name: &str, pattern: &str) -> Option<String> {
    let values: Vec<Value> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into()).collect();
    let fits = |value: &Value| faults(&pattern.into(), value).is_empty();
    let holds = if values.is_empty() { fits(&Value::Null) } else { values.iter().any(fits) };
    (!holds).then(|| format!("header {name}: wanted {pattern}, got {}", Value::Array(values)))
}

async fn watch(server: &Server, step: &Step, path: &str, saved: &mut Saved, place: &str) -> Result<(), String> {
    let path = format!("{path}{}watch=true", if path.contains('?') { '&' } else { '?' });
    let request = request(server, step, "GET", &path, saved)?;
    let mut lines = server.client().open(&request).await?;
    if lines.status != 200 || step.status != Some(200) {
        let answer = lines.rest().await?;
        saved.extend(judge(step, &answer, saved)?);
        return Ok(());
    }
    for (name, pattern) in &step.headers {
        header_fault(&lines.headers, name, pattern).map_or(Ok(()), Err)?;
    }
    let then = steps(server, &step.then, saved, &format!("{place}then ")).await;
    then.map_err(|fault| format!("{}: {}", fault.step, fault.what))?;
    let mut wanted = step.events.iter().map(|event| fill(event, saved));
    let mut next = wanted.next();
    let limit = Duration::from_secs(step.until_secs.unwrap_or(WATCH_SECS));
    let end = tokio::time::Instant::now() + limit;
    let mut seen = Vec::new();
    while next.is_some() || step.over {
        let missing = |seen: &[Value]| {
            let wanted = next.as_ref().map_or("the end of the stream".to_owned(), shown);
            format!("wanted {wanted}, seen so far: {}", shown(&json!(seen)))
        };
        let Ok(line) = tokio::time::timeout_at(end, lines.next()).await else {
            return Err(format!("after {} s, {}", limit.as_secs(), missing(&seen)));
        };
        let Some(event) = line? else {
            return if next.is_some() { Err(format!("the stream ended; {}", missing(&seen))) } else { Ok(()) };
        };
        let wrong = next.as_ref().map(|pattern| faults(pattern, &event));
        let is_bookmark = event["type"] == "BOOKMARK";
        seen.push(event);
        match wrong {
            Some(wrong) if wrong.is_empty() => {
                next = wanted.next();
            }
            // Bookmarks come when the server likes.
            _ if step.among || (is_bookmark && !step.bookmarks) => {}
            Some(wrong) => return Err(format!("{}\n      {}", wrong.join("\n      "), missing(&seen))),
            None => return Err(format!("one event too many; {}", missing(&seen))),
        }
    }
    Ok(())
}
