//! Clusters and their sealed kubeconfigs on both engines.

use super::*;
use crate::testing::each;
use crate::transact;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
const SECRET: &str = "apiVersion: v1 # token";

fn id(text: &str) -> ClusterId {
    ClusterId::parse(text).unwrap()
}

async fn register(db: &Db, sealer: &Sealer, at: &str, uid: &str) -> Result<(), InsertError> {
    let id = id(at);
    let new = NewCluster {
        id: &id,
        name: "北京一区",
        url: "https://10.0.0.1:6443",
        uid,
        kubeconfig: SECRET,
        is_observe_only: false,
        registered: NOW,
    };
    transact!(db, |tx| insert(tx, sealer, &new).await)
}

#[tokio::test]
async fn a_kubeconfig_is_sealed_at_rest_and_opens_again() {
    each(|db| async move {
        let sealer = Sealer::ephemeral();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        let sql = "SELECT kubeconfig FROM cluster";
        let raw = on!(db, |pool| sqlx::query_scalar::<_, String>(sql).fetch_one(pool).await.unwrap());
        assert!(!raw.contains("token"));
        assert_eq!(kubeconfig(&db, &sealer, &id("bj-1")).await.unwrap().unwrap().as_str(), SECRET);
        assert!(kubeconfig(&db, &sealer, &id("bj-2")).await.unwrap().is_none());
        let stranger = kubeconfig(&db, &Sealer::ephemeral(), &id("bj-1")).await;
        assert!(matches!(stranger, Err(StoreError::Sealed { .. })));
    })
    .await;
}

#[tokio::test]
async fn sealed_kubeconfigs_cannot_be_swapped_between_clusters() {
    each(|db| async move {
        let sealer = Sealer::ephemeral();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        register(&db, &sealer, "bj-2", "uid-2").await.unwrap();
        let sql =
            "UPDATE cluster SET kubeconfig = (SELECT kubeconfig FROM cluster WHERE id = 'bj-2') WHERE id = 'bj-1'";
        let mut tx = db.begin().await.unwrap();
        on_tx!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
        let swapped = kubeconfig(&db, &sealer, &id("bj-1")).await;
        assert!(matches!(swapped, Err(StoreError::Sealed { .. })));
    })
    .await;
}

#[tokio::test]
async fn a_refusal_tells_whether_the_id_or_the_cluster_is_there() {
    each(|db| async move {
        let sealer = Sealer::ephemeral();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        let taken = register(&db, &sealer, "bj-1", "uid-2").await.unwrap_err();
        assert!(matches!(taken, InsertError::IdTaken { id } if id.as_str() == "bj-1"));
        for at in ["bj-1", "bj-9"] {
            let twice = register(&db, &sealer, at, "uid-1").await.unwrap_err();
            assert!(matches!(twice, InsertError::Registered { id } if id.as_str() == "bj-1"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_removed_cluster_keeps_its_id_and_nothing_else() {
    each(|db| async move {
        let sealer = Sealer::ephemeral();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        let bj = id("bj-1");
        assert!(transact!(db, |tx| remove(tx, &bj, NOW).await).unwrap());
        assert!(!transact!(db, |tx| remove(tx, &bj, NOW).await).unwrap());
        assert!(list(&db).await.unwrap().is_empty() && get(&db, &bj).await.unwrap().is_none());
        assert!(kubeconfig(&db, &sealer, &bj).await.unwrap().is_none());

        assert!(matches!(register(&db, &sealer, "bj-1", "uid-2").await, Err(InsertError::IdTaken { .. })));
        register(&db, &sealer, "bj-2", "uid-1").await.unwrap();
        let twice = register(&db, &sealer, "bj-1", "uid-1").await;
        assert!(matches!(twice, Err(InsertError::Registered { id }) if id.as_str() == "bj-2"));
        let other = id("bj-2");
        transact!(db, |tx| remove(tx, &other, NOW).await).unwrap();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        assert_eq!(list(&db).await.unwrap()[0].id, bj);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_register_one_cluster_one_does() {
    each(|db| async move {
        let mut all = tokio::task::JoinSet::new();
        for n in 0..8 {
            let db = db.clone();
            all.spawn(async move { register(&db, &Sealer::ephemeral(), &format!("bj-{n}"), "uid-1").await });
        }
        let done = all.join_all().await;
        assert_eq!(done.iter().filter(|d| d.is_ok()).count(), 1);
        assert!(done.iter().all(|d| matches!(d, Ok(()) | Err(InsertError::Registered { .. }))), "{done:?}");
    })
    .await;
}

#[tokio::test]
async fn probe_name_and_rotation_are_kept() {
    each(|db| async move {
        let sealer = Sealer::ephemeral();
        register(&db, &sealer, "bj-1", "uid-1").await.unwrap();
        let bj = id("bj-1");
        assert_eq!(probe(&db, &bj).await.unwrap(), None);
        let found = Probe {
            at: NOW,
            server_version: Some("v1.8.2".into()),
            kubernetes: None,
            kubevirt: None,
            capabilities: vec![],
        };
        assert!(transact!(db, |tx| save_probe(tx, &bj, &found).await).unwrap());
        assert_eq!(probe(&db, &bj).await.unwrap(), Some(found));

        assert!(transact!(db, |tx| update(tx, &bj, "一区", true).await).unwrap());
        let cluster = get(&db, &bj).await.unwrap().unwrap();
        assert_eq!((cluster.name.as_str(), cluster.is_observe_only), ("一区", true));
        assert!(transact!(db, |tx| set_kubeconfig(tx, &sealer, &bj, "new").await).unwrap());
        assert_eq!(transact!(db, |tx| reseal(tx, &sealer).await).unwrap(), 0);
        assert_eq!(kubeconfig(&db, &sealer, &bj).await.unwrap().unwrap().as_str(), "new");
    })
    .await;
}

#[tokio::test]
async fn a_rotation_seals_again_under_the_new_key() {
    each(|db| async move {
        let (a, b) = ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=");
        let (old, both, new) = (Sealer::from_text(a), Sealer::from_text(&format!("{b},{a}")), Sealer::from_text(b));
        register(&db, &old.unwrap(), "bj-1", "uid-1").await.unwrap();
        let both = both.unwrap();
        assert_eq!(transact!(db, |tx| reseal(tx, &both).await).unwrap(), 1);
        let opened = kubeconfig(&db, &new.unwrap(), &id("bj-1")).await.unwrap().unwrap();
        assert_eq!(opened.as_str(), SECRET);
    })
    .await;
}
