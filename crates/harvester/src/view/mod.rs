//! Kubernetes objects → `model`: the only translation, and the border where foreign text is cleaned.

pub mod clean;
