//! The catalogue of templates on both engines.

use super::*;
use crate::testing::each;
use crate::transact;
use model::Say;
use model::provisioning::Flavour;
use model::quantity::Bytes;

fn template(id: &str, version: u32, role: &str) -> Template {
    Template {
        id: TemplateId::parse(id).unwrap(),
        version,
        name: Say::fixed("应用服务器", "application server"),
        summary: Say::fixed("", ""),
        role: role.into(),
        image: "ubuntu-24.04".into(),
        os: "linux".into(),
        flavours: vec![Flavour { cpu: 2, memory: Bytes(4 << 30), disk: Bytes(40 << 30) }],
        packages: vec!["qemu-guest-agent".into()],
        run: vec![vec!["true".into()]],
        user: "ops".into(),
    }
}

#[tokio::test]
async fn an_older_version_never_overwrites_a_newer_one() {
    each(|db| async move {
        let keep = async |template: &Template| transact!(db, |tx| upsert(tx, template, UnixMs(7)).await);
        assert!(keep(&template("web", 2, "web")).await.unwrap());
        assert!(!keep(&template("web", 2, "changed")).await.unwrap());
        assert!(!keep(&template("web", 1, "old")).await.unwrap());
        assert!(keep(&template("app", 1, "app")).await.unwrap());
        assert!(keep(&template("web", 3, "web3")).await.unwrap());
        assert_eq!(list(&db).await.unwrap(), [template("app", 1, "app"), template("web", 3, "web3")]);
        assert_eq!(get(&db, &TemplateId::parse("web").unwrap()).await.unwrap(), Some(template("web", 3, "web3")));
        assert_eq!(get(&db, &TemplateId::parse("db").unwrap()).await.unwrap(), None);
    })
    .await;
}
