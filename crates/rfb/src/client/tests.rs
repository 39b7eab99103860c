//! What a client does with servers that are old, unwilling or hostile.
