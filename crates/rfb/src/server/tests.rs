//! What a server does with viewers that are old or hostile.
