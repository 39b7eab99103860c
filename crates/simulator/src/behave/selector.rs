//! Label selectors and node selector terms.
//!
//! Source: apimachinery `pkg/labels/selector.go`; component-helpers `scheduling/corev1/nodeaffinity`.

use super::object;
use serde_json::Value;

/// Whether labels (at `/metadata/labels`) meet a `LabelSelector`; an absent selector matches nothing, an empty one all.
pub(crate) fn matches_labels(object: &Value, selector: &Value) -> bool {
    let plain = object::map(selector, "/matchLabels").all(|(key, value)| object::label(object, key) == Some(value));
    selector.is_object()
        && plain
        && object::items(selector, "/matchExpressions").iter().all(|rule| holds(rule, label_of(object, rule)))
}

/// Whether a node meets a required node affinity: any term, in it every expression.
pub(crate) fn matches_terms(node: &Value, terms: &[Value]) -> bool {
    terms.iter().any(|term| {
        let expressions = object::items(term, "/matchExpressions");
        let fields = object::items(term, "/matchFields");
        // A term without any rule selects no node.
        !(expressions.is_empty() && fields.is_empty())
            && expressions.iter().all(|rule| holds(rule, label_of(node, rule)))
            && fields.iter().all(|rule| holds(rule, Some(object::name(node))))
    })
}

fn label_of<'a>(object: &'a Value, rule: &Value) -> Option<&'a str> {
    object::label(object, object::text(rule, "/key"))
}

fn holds(rule: &Value, value: Option<&str>) -> bool {
    let among = || object::items(rule, "/values").iter().any(|wanted| wanted.as_str() == value);
    let bound = || object::items(rule, "/values").first().and_then(Value::as_str)?.parse::<i64>().ok();
    let actual = || value?.parse::<i64>().ok();
    match object::text(rule, "/operator") {
        "In" => value.is_some() && among(),
        "NotIn" => value.is_none() || !among(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => actual().zip(bound()).is_some_and(|(value, bound)| value > bound),
        "Lt" => actual().zip(bound()).is_some_and(|(value, bound)| value < bound),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_expression_of_some_term_must_hold() {
        let node = json!({"metadata": {"name": "hv-01", "labels": {"zone": "a", "rank": "3"}}});
        let rule =
            |key: &str, operator: &str, values: &[&str]| json!({"key": key, "operator": operator, "values": values});
        for (rules, expected) in [
            (vec![rule("zone", "In", &["a", "b"])], true),
            (vec![rule("zone", "In", &["a"]), rule("rank", "Gt", &["5"])], false),
            (vec![rule("gpu", "DoesNotExist", &[])], true),
            (vec![rule("zone", "NotIn", &["a"])], false),
            (vec![], false),
        ] {
            assert_eq!(matches_terms(&node, &[json!({"matchExpressions": rules})]), expected, "{rules:?}");
        }
    }
}
