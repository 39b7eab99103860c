-- Operations that last, and the journal of their steps: the journal is the state.
CREATE TABLE operation (
    id          TEXT   NOT NULL PRIMARY KEY,
    kind        TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    object      TEXT   NOT NULL,
    title       TEXT   NOT NULL,
    actor       TEXT   NOT NULL,
    account     TEXT   NOT NULL,
    data        TEXT   NOT NULL,
    state       TEXT   NOT NULL CHECK (state IN ('running', 'succeeded', 'undoing', 'undone', 'parked')),
    waits_for   TEXT,
    began       BIGINT NOT NULL,
    ended       BIGINT,
    audit_seq   BIGINT NOT NULL,
    key         TEXT,
    due         BIGINT NOT NULL,
    worker      TEXT,
    lease_until BIGINT NOT NULL DEFAULT 0,
    -- Fencing token: counted up by each claim, named by each write.
    token       BIGINT NOT NULL DEFAULT 0,
    CHECK ((state IN ('running', 'undoing')) = (ended IS NULL))
);
CREATE INDEX operation_due ON operation (due, id) WHERE ended IS NULL;
CREATE INDEX operation_object ON operation (object, began);
CREATE INDEX operation_began ON operation (began);
CREATE UNIQUE INDEX operation_key ON operation (actor, key) WHERE key IS NOT NULL;

CREATE TABLE operation_entry (
    operation TEXT   NOT NULL REFERENCES operation (id),
    place     BIGINT NOT NULL,
    step      TEXT   NOT NULL,
    entry     TEXT   NOT NULL CHECK (entry IN ('began', 'done', 'failed', 'undone', 'skipped')),
    at        BIGINT NOT NULL,
    note      TEXT,
    PRIMARY KEY (operation, place)
);
