-- The address ledger. That nobody gets an address twice is the primary key of `address`, not code.

-- One row: whoever plans subnets counts it up, so that two plans are made one after the other.
CREATE TABLE subnet_plan (
    id       BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    revision BIGINT NOT NULL
);
INSERT INTO subnet_plan (id, revision) VALUES (1, 0);

CREATE TABLE subnet (
    id        TEXT   NOT NULL PRIMARY KEY,
    name      TEXT   NOT NULL,
    cidr      TEXT   NOT NULL,
    family    BIGINT NOT NULL CHECK (family IN (4, 6)),
    -- Ends as 32 hex digits, which sort as addresses do.
    first_key TEXT   NOT NULL,
    last_key  TEXT   NOT NULL,
    gateway   TEXT,
    vlan      BIGINT CHECK (vlan BETWEEN 1 AND 4094),
    dns       TEXT   NOT NULL,
    search    TEXT   NOT NULL,
    -- Counted up by each allocation: the lock that both engines know.
    cursor    BIGINT NOT NULL DEFAULT 0,
    -- Every address below this that may be handed out has a row in `address`; a search for a gap begins here.
    low_key   TEXT   NOT NULL,
    created   BIGINT NOT NULL
);
CREATE UNIQUE INDEX subnet_first ON subnet (family, first_key);

CREATE TABLE subnet_range (
    subnet       TEXT   NOT NULL REFERENCES subnet (id) ON DELETE CASCADE,
    place        BIGINT NOT NULL,
    kind         TEXT   NOT NULL CHECK (kind IN ('static', 'reserved', 'forbidden', 'dhcp')),
    from_address TEXT   NOT NULL,
    to_address   TEXT   NOT NULL,
    note         TEXT   NOT NULL,
    PRIMARY KEY (subnet, place)
);

CREATE TABLE subnet_serves (
    subnet  TEXT   NOT NULL REFERENCES subnet (id) ON DELETE CASCADE,
    place   BIGINT NOT NULL,
    cluster TEXT   NOT NULL,
    network TEXT   NOT NULL,
    PRIMARY KEY (subnet, cluster, network)
);

CREATE TABLE address (
    family    BIGINT NOT NULL CHECK (family IN (4, 6)),
    key       TEXT   NOT NULL CHECK (LENGTH(key) = 32),
    subnet    TEXT   NOT NULL REFERENCES subnet (id),
    state     TEXT   NOT NULL CHECK (state IN ('held', 'reserved', 'quarantined')),
    holder    TEXT   NOT NULL,
    operation TEXT,
    mac       TEXT,
    at        BIGINT NOT NULL,
    until     BIGINT,
    PRIMARY KEY (family, key),
    CHECK ((state = 'held') = (until IS NULL))
);
-- One NIC may have one address of each family.
CREATE UNIQUE INDEX address_mac ON address (mac, family) WHERE mac IS NOT NULL;
CREATE INDEX address_subnet ON address (subnet, key);
CREATE INDEX address_until ON address (subnet, until) WHERE until IS NOT NULL;
CREATE INDEX address_operation ON address (operation) WHERE operation IS NOT NULL;
CREATE INDEX address_holder ON address (holder);
