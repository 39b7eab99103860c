//! Images, key pairs and templates.

use super::*;

#[test]
fn images_key_pairs_and_templates_are_refused_in_upstreams_words() {
    refuses_new(&[
        (
            "image url",
            IMAGE,
            spec(json!({"sourceType": "download", "displayName": "a"})),
            HARVESTER,
            422,
            "url is required",
        ),
        (
            "image name",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a b"})),
            HARVESTER,
            422,
            "not a valid label value",
        ),
        (
            "image checksum",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "checksum": "12"})),
            HARVESTER,
            422,
            "SHA-512",
        ),
        (
            "image class",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "backend": "cdi"})),
            HARVESTER,
            422,
            "targetStorageClassName",
        ),
        (
            "image retry",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "retry": 11})),
            HARVESTER,
            422,
            "between 0 and 10",
        ),
        ("keypair", KEYPAIR, spec(json!({"publicKey": "hello"})), HARVESTER, 422, "OpenSSH"),
        ("template version", TEMPLATE_VERSION, spec(json!({"templateId": "t/none"})), HARVESTER, 422, "not found"),
    ]);
}
