-- What the browser sent once and must not be done twice.
CREATE TABLE idempotency (
    actor       TEXT   NOT NULL,
    key         TEXT   NOT NULL,
    verb        TEXT   NOT NULL,
    body_sha256 TEXT   NOT NULL,
    claimed     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    response    TEXT,
    PRIMARY KEY (actor, key)
);
CREATE INDEX idempotency_claimed ON idempotency (claimed);

-- Changes on the write path, saved at each stage.
CREATE TABLE change (
    id           TEXT   NOT NULL PRIMARY KEY,
    cluster      TEXT   NOT NULL,
    object       TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    actor        TEXT   NOT NULL,
    verb         TEXT   NOT NULL,
    audit_seq    BIGINT NOT NULL,
    stage        TEXT   NOT NULL CHECK (stage IN ('desired', 'checked', 'committed', 'observed', 'recorded')),
    base_version TEXT,
    data         TEXT   NOT NULL,
    created      BIGINT NOT NULL,
    updated      BIGINT NOT NULL,
    outcome      TEXT   CHECK (outcome IN ('done', 'refused', 'failed', 'undone')),
    ended        BIGINT,
    worker       TEXT   NOT NULL,
    lease_until  BIGINT NOT NULL,
    -- Fencing token: counted up by each claim, named by each write.
    token        BIGINT NOT NULL,
    CHECK ((outcome IS NULL) = (ended IS NULL))
);
CREATE INDEX change_unfinished ON change (lease_until) WHERE ended IS NULL;
CREATE INDEX change_object ON change (object, created);
