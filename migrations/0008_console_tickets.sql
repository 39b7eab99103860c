-- One-time tickets to consoles, by the SHA-256 of their secret.
CREATE TABLE console_ticket (
    hash    TEXT   NOT NULL PRIMARY KEY,
    account TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    cluster TEXT   NOT NULL,
    namespace TEXT NOT NULL,
    vm      TEXT   NOT NULL,
    mode    TEXT   NOT NULL CHECK (mode IN ('vnc', 'console')),
    expires BIGINT NOT NULL,
    used    BIGINT
);
CREATE INDEX console_ticket_expires ON console_ticket (expires);
