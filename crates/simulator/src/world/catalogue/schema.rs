//! Shapes of objects: what fields there are, how lists merge, what is filled in when absent.
//!
//! A structural schema in the sense of `apiextensions.k8s.io`, kept small: no patterns and no ranges, because what they
//! forbid is refused by upstream's webhooks as well.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value that is neither object nor list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar {
    /// Text; the words it is limited to, or empty.
    Text(Vec<&'static str>),
    /// RFC 3339.
    Time,
    /// Base64.
    Bytes,
    /// Whole number and its OpenAPI format (`int32`, `int64` or empty).
    Integer(&'static str),
    /// Any number.
    Number,
    /// True or false.
    Bool,
    /// Number or text, for example a quantity.
    IntOrText,
}

/// How a list is merged by server-side apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// As a whole.
    Atomic,
    /// Element by element.
    Set,
    /// Element by element, found by these keys.
    ByKeys(Vec<&'static str>),
}

/// What a value looks like.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Anything.
    Any,
    /// A scalar.
    Scalar(Scalar),
    /// An object with known fields.
    Struct(Arc<Struct>),
    /// An object with free keys.
    Map(Arc<Shape>),
    /// A list.
    List(Merge, Arc<Shape>),
}

/// An object with known fields.
#[derive(Debug, Clone, Default)]
pub struct Struct {
    /// Name that several kinds share it under, for OpenAPI.
    pub name: Option<&'static str>,
    /// The fields.
    pub fields: BTreeMap<&'static str, Field>,
    /// Unknown fields are kept.
    pub is_open: bool,
    /// Server-side apply treats it as one value.
    pub is_atomic: bool,
}

/// One field.
#[derive(Debug, Clone)]
pub struct Field {
    /// Must be there.
    pub is_required: bool,
    /// What it is when absent.
    pub default: Option<Value>,
    /// Its value.
    pub shape: Shape,
}

impl Shape {
    /// The struct, when it is one.
    pub fn as_struct(&self) -> Option<&Arc<Struct>> {
        match self {
            Shape::Struct(inner) => Some(inner),
            _ => None,
        }
    }
}

impl Struct {
    /// The shape of a field.
    pub fn shape(&self, field: &str) -> Option<&Shape> {
        self.fields.get(field).map(|field| &field.shape)
    }

    /// The same without the field at the path; unchanged when there is none.
    pub(super) fn without(&self, path: &[&'static str]) -> Self {
        let mut changed = self.clone();
        match path {
            [] => {}
            [last] => {
                changed.fields.remove(last);
            }
            [first, rest @ ..] => {
                if let Some(field) = changed.fields.get_mut(first)
                    && let Shape::Struct(inner) = &field.shape
                {
                    field.shape = Shape::Struct(Arc::new(inner.without(rest)));
                }
            }
        }
        changed
    }
}
