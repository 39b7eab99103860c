//! Label and field selectors.
//!
//! Pure. Sources: `k8s.io/apimachinery/pkg/labels/selector.go`, `pkg/fields/selector.go`; which fields can be selected
//! by: the `ToSelectableFields` functions of `pkg/registry/core`.

use super::catalogue::Kind;
use super::meta;
use serde_json::Value;

/// One demand on a label.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Demand {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Greater(i64),
    Less(i64),
}

/// Which objects are wanted. The default wants all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    labels: Vec<(String, Demand)>,
    fields: Vec<(String, bool, String)>,
}

/// Fields besides name and namespace that a kind can be selected by.
fn selectable(kind: &Kind) -> &'static [&'static str] {
    match (kind.resource.group, kind.resource.plural) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
        ],
        ("", "nodes") => &["spec.unschedulable"],
        ("", "namespaces") => &["status.phase"],
        ("", "secrets") => &["type"],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        _ => &[],
    }
}

impl Selector {
    /// From the query parameters `labelSelector` and `fieldSelector`; the error is the sentence of a 400.
    pub fn parse(kind: &Kind, labels: &str, fields: &str) -> Result<Self, String> {
        let labels = split(labels).into_iter().map(demand).collect::<Result<_, _>>()?;
        let mut selector = Self { labels, fields: Vec::new() };
        for part in split(fields) {
            let (field, is_equal, value) = match (part.split_once("!="), part.split_once("==")) {
                (Some((field, value)), _) => (field, false, value),
                (_, Some((field, value))) => (field, true, value),
                _ => {
                    let (field, value) = part
                        .split_once('=')
                        .ok_or_else(|| format!("invalid selector: '{part}'; can't understand '{part}'"))?;
                    (field, true, value)
                }
            };
            let is_known = match field {
                "metadata.name" => true,
                "metadata.namespace" => kind.namespaced,
                other => selectable(kind).contains(&other),
            };
            if !is_known {
                return Err(match kind.is_custom || !selectable(kind).is_empty() {
                    true => format!("field label not supported: {field}"),
                    false => {
                        format!(
                            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                        )
                    }
                });
            }
            selector.fields.push((field.to_owned(), is_equal, value.to_owned()));
        }
        Ok(selector)
    }

    /// Whether it wants all.
    pub fn is_all(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// The name, when one object is asked for by `metadata.name`.
    pub fn name(&self) -> Option<&str> {
        let by_name = self.fields.iter().find(|(field, is_equal, _)| field == "metadata.name" && *is_equal);
        by_name.map(|(_, _, name)| name.as_str())
    }

    /// The first demand that a label has exactly one value.
    pub(crate) fn exact_label(&self) -> Option<(&str, &str)> {
        self.labels.iter().find_map(|(label, demand)| match demand {
            Demand::In(values) if values.len() == 1 => Some((label.as_str(), values[0].as_str())),
            _ => None,
        })
    }

    /// Whether an object is wanted.
    pub fn wants(&self, object: &Value) -> bool {
        let labels = self.labels.iter().all(|(label, demand)| demand.is_met(meta::label(object, label)));
        labels && self.fields.iter().all(|(field, is_equal, value)| (field_text(object, field) == *value) == *is_equal)
    }
}

fn field_text(object: &Value, field: &str) -> String {
    let field = if field == "source" { "source.component" } else { field };
    let found = field.split('.').try_fold(object, |object, step| object.get(step));
    match found {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None if field == "spec.unschedulable" => "false".into(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

impl Demand {
    fn is_met(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Demand::In(wanted) => value.is_some_and(|value| wanted.iter().any(|wanted| wanted == value)),
            Demand::NotIn(unwanted) => value.is_none_or(|value| unwanted.iter().all(|unwanted| unwanted != value)),
            Demand::Exists => value.is_some(),
            Demand::Absent => value.is_none(),
            Demand::Greater(than) => number().is_some_and(|number| number > *than),
            Demand::Less(than) => number().is_some_and(|number| number < *than),
        }
    }
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn demand(part: &str) -> Result<(String, Demand), String> {
    let wrong = || format!("unable to parse requirement: couldn't parse the selector string \"{part}\"");
    let own = |label: &str| label.trim().to_owned();
    if let [_, "in" | "notin", found, ..] = part.split_whitespace().collect::<Vec<_>>()[..]
        && !found.starts_with('(')
    {
        return Err(format!("unable to parse requirement: found '{found}' expected: '('"));
    }
    if let Some((head, set)) = part.split_once('(') {
        let values = set.strip_suffix(')').ok_or_else(wrong)?.split(',').map(|value| value.trim().to_owned()).collect();
        return match head.split_whitespace().collect::<Vec<_>>()[..] {
            [label, "in"] => Ok((own(label), Demand::In(values))),
            [label, "notin"] => Ok((own(label), Demand::NotIn(values))),
            _ => Err(wrong()),
        };
    }
    let parsed = if let Some((label, value)) = part.split_once("!=") {
        (own(label), Demand::NotIn(vec![own(value)]))
    } else if let Some((label, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        (own(label), Demand::In(vec![own(value)]))
    } else if let Some((label, value)) = part.split_once('>') {
        (own(label), Demand::Greater(own(value).parse().map_err(|_| wrong())?))
    } else if let Some((label, value)) = part.split_once('<') {
        (own(label), Demand::Less(own(value).parse().map_err(|_| wrong())?))
    } else if let Some(label) = part.strip_prefix('!') {
        (own(label), Demand::Absent)
    } else {
        (own(part), Demand::Exists)
    };
    let is_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if parsed.0.is_empty() || !parsed.0.chars().all(is_label) { Err(wrong()) } else { Ok(parsed) }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{Catalogue, Release};
    use super::Selector;
    use serde_json::json;

    #[test]
    fn selectors_pick_what_upstream_picks() {
        let catalogue = Catalogue::of(Release::V1_8);
        let pods = catalogue.find("", "pods").expect("pods");
        let pod = json!({"metadata": {"name": "a", "namespace": "n", "labels": {"app": "x", "size": "3"}},
                         "spec": {"nodeName": "hv-1"}});
        let cases = [
            ("app=x", "", true),
            ("app==y", "", false),
            ("app in (y, x),!gone", "", true),
            ("app notin (x)", "", false),
            ("other!=1", "", true),
            ("size>2,size<4", "", true),
            ("", "spec.nodeName=hv-1,metadata.name!=b", true),
            ("", "status.phase=Running", false),
        ];
        for (labels, fields, expected) in cases {
            let selector = Selector::parse(pods, labels, fields).expect("parses");
            assert_eq!(selector.wants(&pod), expected, "{labels} {fields}");
        }
        assert_eq!(Selector::parse(pods, "", "spec.x=1"), Err("field label not supported: spec.x".into()));
        assert!(Selector::parse(pods, "a in x", "").is_err());
    }
}
