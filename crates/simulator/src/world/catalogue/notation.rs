//! The notation of `kinds/*.txt`.
//!
//! ```text
//! kind VirtualMachine virtualmachines kubevirt.io namespaced     (`-` for the core group)
//! +versions v1 v1alpha3              preferred first
//! +column string 0 .status.phase Phase
//!  spec! object                      `!` required; one blank deeper = inside
//!   runStrategy string{Always|Halted} = "Always"
//!   volumes list(name) object        merged by key; also: list, set, map
//!    name! string
//!   affinity object @affinity        as the `type affinity` says
//! ```
//! Scalars: string, time, bytes, int, int32, int64, number, bool, intstr; `any` is anything; `open` an object that keeps
//! unknown fields; `atom` one that apply treats as a whole. The files are part of the program, so a fault in one is a
//! bug here: it panics with the line, and the test below reads them all.

use super::schema::{Field, Merge, Scalar, Shape, Struct};
use super::{Column, Kind};
use crate::behave::Resource;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A line and the lines inside it.
struct Line {
    text: &'static str,
    inside: Vec<Line>,
}

struct Types {
    lines: HashMap<&'static str, Vec<Line>>,
    made: HashMap<&'static str, Arc<Struct>>,
}

/// The kinds of one file.
pub(super) fn parse(file: &'static str, types: &'static str, is_custom: bool) -> Vec<Kind> {
    let mut named = HashMap::new();
    for line in tree(types).into_iter().chain(tree(file)) {
        if let Some(name) = line.text.strip_prefix("type ") {
            named.insert(name, line.inside);
        }
    }
    let mut types = Types { lines: named, made: HashMap::new() };
    let mut kinds: Vec<Kind> = Vec::new();
    let mut fields = Vec::new();
    // Fields of a kind may follow its last `+` line; `+` lines are siblings of `kind`.
    for line in tree(file) {
        if line.text.starts_with("kind ") {
            finish(&mut kinds, &mut fields, &mut types);
            kinds.push(head(line.text, is_custom));
        } else if let (Some(attribute), Some(kind)) = (line.text.strip_prefix('+'), kinds.last_mut()) {
            attribute_of(kind, attribute);
        }
        if !line.text.starts_with("type ") {
            fields.extend(line.inside);
        }
    }
    finish(&mut kinds, &mut fields, &mut types);
    kinds
}

fn finish(kinds: &mut [Kind], fields: &mut Vec<Line>, types: &mut Types) {
    if let Some(kind) = kinds.last_mut() {
        let is_open = kind.schema.is_open;
        let fields = std::mem::take(fields).iter().map(|line| field(line, types)).collect();
        kind.schema = Arc::new(Struct { name: None, fields, is_open, is_atomic: false });
    }
}

/// Indentation to a tree.
fn tree(file: &'static str) -> Vec<Line> {
    let mut stack: Vec<(usize, Line)> = Vec::new();
    let mut top = Vec::new();
    let mut close = |stack: &mut Vec<(usize, Line)>, depth: usize| {
        while stack.last().is_some_and(|(at, _)| *at >= depth) {
            let Some((_, line)) = stack.pop() else { break };
            match stack.last_mut() {
                Some((_, parent)) => parent.inside.push(line),
                None => top.push(line),
            }
        }
    };
    for text in file.lines().filter(|text| !text.trim().is_empty() && !text.starts_with('#')) {
        let depth = text.len() - text.trim_start().len();
        close(&mut stack, depth);
        stack.push((depth, Line { text: text.trim(), inside: Vec::new() }));
    }
    close(&mut stack, 0);
    top
}

fn head(text: &'static str, is_custom: bool) -> Kind {
    let words: Vec<&'static str> = text.split(' ').collect();
    let [_, kind, plural, group, scope] = words[..] else { panic!("not a kind line: {text}") };
    let group = if group == "-" { "" } else { group };
    Kind {
        id: 0,
        resource: Resource { group, version: "v1", plural },
        kind,
        singular: kind.to_lowercase(),
        namespaced: scope == "namespaced",
        versions: vec!["v1"],
        short: Vec::new(),
        categories: Vec::new(),
        subresources: Vec::new(),
        verbs: Vec::new(),
        columns: Vec::new(),
        schema: Arc::default(),
        is_custom,
    }
}

fn attribute_of(kind: &mut Kind, text: &'static str) {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let words = || rest.split(' ').collect::<Vec<_>>();
    match name {
        "versions" => {
            kind.versions = words();
            kind.resource.version = kind.versions[0];
        }
        "short" => kind.short = words(),
        "categories" => kind.categories = words(),
        "singular" => kind.singular = rest.to_owned(),
        "subresources" => kind.subresources = words(),
        "verbs" => kind.verbs = words(),
        "open" => kind.schema = Arc::new(Struct { is_open: true, ..Struct::default() }),
        "column" => {
            let mut words = rest.splitn(3, ' ');
            let (Some(of), Some(priority), Some(rest)) = (words.next(), words.next(), words.next()) else {
                panic!("not a column: {text}");
            };
            // A path may hold blanks only inside its brackets, a name anywhere.
            let end = rest.rfind(']').filter(|_| rest.starts_with('.')).unwrap_or(0);
            let at = end + rest[end..].find(' ').unwrap_or_else(|| panic!("a column needs a name: {text}"));
            kind.columns.push(Column {
                name: rest[at + 1..].to_owned(),
                kind: of,
                priority: priority.parse().unwrap_or_default(),
                path: &rest[..at],
            });
        }
        _ => {}
    }
}

fn field(line: &Line, types: &mut Types) -> (&'static str, Field) {
    let (text, default) = match line.text.split_once(" = ") {
        Some((text, default)) => (text, serde_json::from_str(default).ok()),
        None => (line.text, None),
    };
    let (name, shape) = text.split_once(' ').unwrap_or((text, "any"));
    let (name, is_required) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    (name, Field { is_required, default, shape: shape_of(shape, &line.inside, types) })
}

fn shape_of(text: &'static str, inside: &[Line], types: &mut Types) -> Shape {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    match first {
        "any" => Shape::Any,
        "map" => Shape::Map(Arc::new(shape_of(rest, inside, types))),
        "list" => Shape::List(Merge::Atomic, Arc::new(shape_of(rest, inside, types))),
        "set" => Shape::List(Merge::Set, Arc::new(shape_of(rest, inside, types))),
        "object" | "open" | "atom" => match rest.strip_prefix('@') {
            Some(name) if first == "object" => Shape::Struct(named(name, types)),
            Some(name) => {
                let shared = named(name, types);
                let (is_open, is_atomic) = (first == "open", first == "atom");
                Shape::Struct(Arc::new(Struct { name: None, fields: shared.fields.clone(), is_open, is_atomic }))
            }
            None => {
                let fields = inside.iter().map(|line| field(line, types)).collect();
                let is_atomic = first == "atom";
                // An atom that names no fields may hold any.
                let is_open = first == "open" || (is_atomic && inside.is_empty());
                Shape::Struct(Arc::new(Struct { name: None, fields, is_open, is_atomic }))
            }
        },
        _ => match first.strip_prefix("list(").and_then(|keys| keys.strip_suffix(')')) {
            Some(keys) => {
                let merge = Merge::ByKeys(keys.split(',').collect());
                Shape::List(merge, Arc::new(shape_of(rest, inside, types)))
            }
            None => Shape::Scalar(scalar(first)),
        },
    }
}

fn scalar(word: &'static str) -> Scalar {
    match word {
        "string" => Scalar::Text(Vec::new()),
        "time" => Scalar::Time,
        "bytes" => Scalar::Bytes,
        "int" => Scalar::Integer(""),
        "int32" | "int64" => Scalar::Integer(word),
        "number" => Scalar::Number,
        "bool" => Scalar::Bool,
        "intstr" => Scalar::IntOrText,
        _ => match word.strip_prefix("string{").and_then(|words| words.strip_suffix('}')) {
            Some(words) => Scalar::Text(words.split('|').collect()),
            None => panic!("unknown type: {word}"),
        },
    }
}

fn named(name: &'static str, types: &mut Types) -> Arc<Struct> {
    if let Some(made) = types.made.get(name) {
        return made.clone();
    }
    let Some(lines) = types.lines.remove(name) else { panic!("unknown type name: {name}") };
    let fields: BTreeMap<_, _> = lines.iter().map(|line| field(line, types)).collect();
    let made = Arc::new(Struct { name: Some(name), fields, is_open: false, is_atomic: false });
    types.made.insert(name, made.clone());
    made
}

#[cfg(test)]
mod tests {
    use super::super::{Catalogue, Release};

    #[test]
    fn every_file_of_kinds_can_be_read() {
        let catalogue = Catalogue::of(Release::V1_8);
        let vm = catalogue.find("kubevirt.io", "virtualmachines").expect("VMs are in the catalogue");
        assert_eq!(vm.short, ["vm", "vms"]);
        assert_eq!(vm.columns.len(), 3);
        let spec = vm.schema.shape("spec").and_then(|shape| shape.as_struct()).expect("a VM has a spec");
        assert!(spec.fields.contains_key("runStrategy"));
        assert!(catalogue.find("", "pods").is_some_and(|pods| pods.namespaced));
    }
}
