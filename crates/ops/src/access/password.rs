//! Passwords: argon2id, and nothing else is ever kept of them.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};

/// Hashes a password with argon2id and the library's parameters (19 MiB, 2 passes: OWASP's minimum).
pub fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
}

/// Whether the password is the one that was hashed.
pub fn is_right(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// A hash of nobody's password: checking against it takes as long as checking a real one, so that a wrong name and a wrong
/// password cannot be told apart by time.
pub const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZSBzYWx0IHZhbHVl$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_is_right() {
        let hash = hash("correct horse battery").unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(is_right("correct horse battery", &hash));
        assert!(!is_right("correct horse batterz", &hash) && !is_right("", &hash) && !is_right("x", "not a hash"));
        assert!(!is_right("", NOBODYS));
    }
}
