//! Whose an object is when it cannot be decoded: `metadata.namespace` and `metadata.name`, picked out byte by byte.
//!
//! Used for objects that are broken JSON, not UTF-8, or far too large to keep; so it keeps a few hundred bytes whatever
//! comes, and takes both an object and the `{"type", "object"}` of a watch.

use std::mem;

/// Longest name that is kept.
const MAX: usize = 300;

/// A scanner; feed it from the first byte of the object.
#[derive(Debug, Default)]
pub(crate) struct Naming {
    namespace: Vec<u8>,
    name: Vec<u8>,
    /// Keys at depth 1 and 2.
    keys: [Vec<u8>; 2],
    text: Vec<u8>,
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    is_key: bool,
}

impl Naming {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if !self.in_string {
                self.step(byte);
            } else if mem::take(&mut self.is_escaped) {
                self.push(byte);
            } else if byte == b'\\' {
                self.is_escaped = true;
            } else if byte == b'"' {
                self.in_string = false;
                self.end_of_text();
            } else {
                self.push(byte);
            }
        }
    }

    /// Namespace and name; empty where they did not show.
    pub(crate) fn names(&self) -> (String, String) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&self.namespace), text(&self.name))
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.in_string = true;
                self.text.clear();
            }
            b'{' => {
                self.depth = self.depth.saturating_add(1);
                self.is_key = true;
            }
            b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.is_key = false;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' => self.is_key = true,
            b':' => self.is_key = false,
            _ => {}
        }
    }

    fn push(&mut self, byte: u8) {
        if self.text.len() < MAX {
            self.text.push(byte);
        }
    }

    fn end_of_text(&mut self) {
        let is_in_metadata = match self.depth {
            2 => self.keys[0] == b"metadata",
            3 => self.keys[0] == b"object" && self.keys[1] == b"metadata",
            _ => false,
        };
        if self.is_key {
            // The key is needed until its value came; deeper ones only within metadata.
            match self.depth {
                1 => self.keys[0].clone_from(&self.text),
                2 if !is_in_metadata => self.keys[1].clone_from(&self.text),
                _ => {}
            }
            if is_in_metadata {
                self.is_key = false;
                let slot = match self.text.as_slice() {
                    b"name" => Some(&mut self.name),
                    b"namespace" => Some(&mut self.namespace),
                    _ => None,
                };
                // Marked as awaited; the value, a text, replaces the mark.
                if let Some(slot) = slot {
                    slot.clear();
                    slot.push(0);
                }
            }
            return;
        }
        if is_in_metadata {
            for slot in [&mut self.name, &mut self.namespace] {
                if slot.as_slice() == [0] {
                    slot.clone_from(&self.text);
                }
            }
        }
    }
}

/// The same for an object at hand.
pub(crate) fn whose(raw: &[u8]) -> (String, String) {
    let mut naming = Naming::default();
    naming.feed(raw);
    naming.names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_out_of_what_cannot_be_read() {
        let named = (String::from("a"), String::from("b"));
        for raw in [
            &br#"{"metadata":{"namespace":"a","name":"b","uid":7}}"#[..],
            br#"{"x":NaN,"name":"no","metadata":{"labels":{"name":"no"},"name" : "b","namespace":"a"},"spec":{"name":"no"}}"#,
            br#"{"type":"ADDED","object":{"kind":"X","spec":{"name":"no"},"metadata":{"annotations":{"name":"\"no"},"name":"b","namespace":"a"}}}"#,
            b"{\"metadata\":{\"name\":\"b\",\"namespace\":\"a\",\"x\":\"\xff\xfe",
        ] {
            assert_eq!(whose(raw), named, "{}", String::from_utf8_lossy(raw));
            let mut naming = Naming::default();
            raw.chunks(1).for_each(|byte| naming.feed(byte));
            assert_eq!(naming.names(), named, "byte by byte");
        }
        assert_eq!(whose(b"garbage"), (String::new(), String::new()));
    }

    #[test]
    fn little_is_kept_of_much() {
        let mut naming = Naming::default();
        naming.feed(br#"{"metadata":{"name":""#);
        (0..100).for_each(|_| naming.feed(&[b'x'; 1000]));
        assert!(naming.text.len() <= MAX);
    }
}
