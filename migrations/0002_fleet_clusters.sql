-- The clusters that we look after. A removed one keeps its row, so that its id never comes to mean another cluster.
CREATE TABLE cluster (
    id              TEXT   NOT NULL PRIMARY KEY,
    name            TEXT   NOT NULL,
    url             TEXT   NOT NULL,
    -- uid of the namespace kube-system: the cluster's own identity.
    uid             TEXT   NOT NULL,
    -- Sealed; empty once removed.
    kubeconfig      TEXT   NOT NULL,
    is_observe_only BIGINT NOT NULL CHECK (is_observe_only IN (0, 1)),
    registered      BIGINT NOT NULL,
    removed         BIGINT,
    probe           TEXT
);
CREATE UNIQUE INDEX cluster_uid ON cluster (uid) WHERE removed IS NULL;
