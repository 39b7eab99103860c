//! `meta.k8s.io/v1 Table`: what `kubectl get` prints.
//!
//! Sources: `apiextensions-apiserver/pkg/registry/customresource/tableconvertor`, and for built-in kinds
//! `pkg/printers/internalversion/printers.go`.

use super::columns;
use crate::world::catalogue::{Column, Kind};
use crate::world::meta;
use serde_json::{Value, json};

/// Printers in Go call nearly everything a string, ages and counts as well.
fn shown_type(kind: &Kind, column: &Column) -> &'static str {
    let is_go = !kind.is_custom && (column.kind == "date" || column.path.starts_with('@') || column.path == ".count");
    if is_go { "string" } else { column.kind }
}

/// Renders objects as a table; `has_columns` is false for later events of a watch.
pub(super) fn table<'a>(
    kind: &Kind,
    objects: impl Iterator<Item = &'a Value>,
    include: &str,
    has_columns: bool,
    meta: Value,
    now_ms: i64,
) -> Value {
    let default = [Column { name: "Age".into(), kind: "date", priority: 0, path: ".metadata.creationTimestamp" }];
    let columns = if kind.columns.is_empty() { &default[..] } else { &kind.columns };
    // Events begin with when they were last seen; their name comes last and only when asked for.
    let has_name = kind.kind != "Event";
    let rows: Vec<_> = objects
        .map(|object| {
            let mut cells = Vec::with_capacity(columns.len() + 1);
            if has_name {
                cells.push(Value::from(meta::name(object)));
            }
            cells.extend(columns.iter().map(|column| columns::cell(kind, column, object, now_ms)));
            let mut row = json!({ "cells": cells });
            match include {
                "None" => {}
                "Object" => row["object"] = object.clone(),
                _ => {
                    row["object"] = json!({
                        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"],
                    });
                }
            }
            row
        })
        .collect();
    let mut definitions = Vec::new();
    if has_columns && has_name {
        definitions.push(json!({
            "name": "Name", "type": "string", "format": "name", "priority": 0,
            "description": "Name must be unique within a namespace.",
        }));
    }
    if has_columns {
        definitions.extend(columns.iter().map(|column| {
            json!({ "name": column.name, "type": shown_type(kind, column), "format": "", "priority": column.priority, "description": "" })
        }));
    }
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta, "columnDefinitions": definitions, "rows": rows,
    })
}
