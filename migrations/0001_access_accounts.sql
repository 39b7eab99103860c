-- Who may sign in, and who is signed in.
CREATE TABLE account (
    id            TEXT   NOT NULL PRIMARY KEY,
    login         TEXT   NOT NULL,
    -- The login in lower case by Unicode's rules, made by us: LOWER() differs between the engines.
    login_key     TEXT   NOT NULL UNIQUE,
    name          TEXT   NOT NULL,
    number        TEXT,
    role          TEXT   NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    password_hash TEXT   NOT NULL,
    wrong         BIGINT NOT NULL DEFAULT 0 CHECK (wrong >= 0),
    locked_until  BIGINT,
    is_disabled   BIGINT NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
    created       BIGINT NOT NULL
);

CREATE TABLE session (
    -- SHA-256 of the cookie's token: a stolen copy of the table opens no session.
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    -- What its owner may see and name.
    id           TEXT   NOT NULL UNIQUE,
    account      TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    csrf         TEXT   NOT NULL,
    began        BIGINT NOT NULL,
    used         BIGINT NOT NULL,
    ends         BIGINT NOT NULL,
    from_address TEXT   NOT NULL,
    user_agent   TEXT   NOT NULL
);
CREATE INDEX session_account ON session (account, began);
CREATE INDEX session_ends ON session (ends);
