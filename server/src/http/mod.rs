//! What the program answers over HTTP, a file a concern.

pub(crate) mod assets;
pub(crate) mod headers;
