//! Server-side apply. Not there yet.
