//! CustomResourceDefinitions of the catalogue's kinds.
//!
//! The objects stand in the world without their schemas, which are large and never change; [`complete`] puts them in
//! when one is shown.
