-- Templates of the catalogue, each as the JSON of `model::provisioning::Template`.
CREATE TABLE template (
    id      TEXT   NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL CHECK (version > 0),
    data    TEXT   NOT NULL,
    updated BIGINT NOT NULL
);
