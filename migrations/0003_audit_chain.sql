-- The audit trail: rows are only ever added, each carries the hash of the one before.
CREATE TABLE audit_head (
    id   BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    seq  BIGINT NOT NULL,
    hash TEXT   NOT NULL
);
INSERT INTO audit_head (id, seq, hash)
VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TABLE audit_record (
    seq          BIGINT NOT NULL PRIMARY KEY,
    -- NULL opens an act; otherwise the sequence number of the opening that this record closes.
    opens        BIGINT,
    at           BIGINT NOT NULL,
    actor        TEXT   NOT NULL,
    from_address TEXT   NOT NULL,
    verb         TEXT   NOT NULL,
    act          TEXT   NOT NULL,
    object       TEXT   NOT NULL,
    reason       TEXT   NOT NULL,
    request      TEXT   NOT NULL,
    outcome      TEXT   NOT NULL CHECK (outcome IN ('open', 'done', 'refused', 'failed', 'undone')),
    before_json  TEXT,
    after_json   TEXT,
    detail       TEXT,
    prev         TEXT   NOT NULL,
    hash         TEXT   NOT NULL
);
CREATE UNIQUE INDEX audit_record_opens ON audit_record (opens) WHERE opens IS NOT NULL;
CREATE INDEX audit_record_object ON audit_record (object, seq);
