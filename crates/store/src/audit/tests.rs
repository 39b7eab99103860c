//! The audit trail on both engines: searched, tampered with, written by many at once.

use super::*;
use crate::Db;
use crate::db::on_tx;
use crate::testing::each;
use crate::transact;
use model::audit::{AuditQuery, ChainReport};

/// An act for tests.
pub(crate) fn line<'a>(object: &'a str, before: Option<&'a str>) -> NewAudit<'a> {
    NewAudit {
        at: UnixMs(1_700_000_000_000),
        actor: "Wang",
        from: "10.1.2.3",
        verb: "vm.power",
        act: "restart",
        object,
        reason: "100% stuck",
        request: "req-1",
        before,
    }
}

fn done() -> Closing<'static> {
    Closing { at: UnixMs(1_700_000_000_500), outcome: Outcome::Done, before: None, after: Some("{}"), detail: None }
}

async fn opened(db: &Db, object: &str) -> Opened {
    transact!(db, |tx| open(tx, &line(object, None)).await).unwrap()
}

async fn closed(db: &Db, seq: i64) -> bool {
    transact!(db, |tx| close(tx, seq, &done()).await).unwrap()
}

async fn tamper(db: &Db, sqls: &[&'static str]) {
    let mut tx = db.begin().await.unwrap();
    for sql in sqls {
        on_tx!(tx, |c| sqlx::query(*sql).execute(c).await.map(drop)).unwrap();
    }
    tx.commit().await.unwrap();
}

async fn report(db: &Db, anchor: Option<&Anchor>) -> ChainReport {
    verify(db, anchor, UnixMs(7), |_| {}).await.unwrap()
}

async fn search_for(db: &Db, query: AuditQuery) -> Vec<String> {
    let page = search(db, &query, 100).await.unwrap();
    page.rows.into_iter().map(|line| line.object).collect()
}

#[tokio::test]
async fn an_act_is_opened_then_closed_once() {
    each(|db| async move {
        let first = opened(&db, "bj-1/a/b").await;
        assert_eq!(first.seq, 1);
        assert!(closed(&db, first.seq).await);
        assert!(!closed(&db, first.seq).await, "closed before");
        assert!(!closed(&db, 2).await, "a closing record is no act");
        assert!(!closed(&db, 99).await, "no such act");
        let second = opened(&db, "bj-1/a/c").await;
        assert_eq!(second.seq, 3);

        let page = search(&db, &AuditQuery::default(), 10).await.unwrap();
        assert_eq!((page.rows.len(), page.next), (2, None));
        let line = &page.rows[1];
        assert_eq!((line.seq, line.closed_seq, line.outcome), (1, Some(2), Outcome::Done));
        assert_eq!((line.after.as_deref(), line.closed), (Some("{}"), Some(UnixMs(1_700_000_000_500))));
        assert!(first.hash.starts_with(&line.hash) && line.hash.len() == 12);
        assert_eq!(page.rows[0].outcome, Outcome::Open);
        let left = unclosed(&db, UnixMs(i64::MAX), 10).await.unwrap();
        assert_eq!((left.len(), left[0].seq), (1, 3));
        let head = head(&db).await.unwrap();
        assert_eq!((report(&db, None).await.records, head.seq, head.hash), (3, 3, second.hash));
    })
    .await;
}

#[tokio::test]
async fn a_search_takes_text_as_it_is_in_any_case() {
    each(|db| async move {
        for object in ["bj-1/erp/App_01", "bj-1/erp/appX01", "订单"] {
            let act = opened(&db, object).await;
            if object == "订单" {
                closed(&db, act.seq).await;
            }
        }
        let text = |text: &str| AuditQuery { text: text.into(), ..AuditQuery::default() };
        assert_eq!(search_for(&db, text("APP_01")).await, ["bj-1/erp/App_01"]);
        assert_eq!(search_for(&db, text("app")).await, ["bj-1/erp/appX01", "bj-1/erp/App_01"]);
        assert_eq!(search_for(&db, text("订单")).await, ["订单"]);
        assert_eq!(search_for(&db, text("100%")).await.len(), 3);
        assert_eq!(search_for(&db, text("10%0")).await.len(), 0);
        assert_eq!(search_for(&db, text("!")).await.len(), 0);
        assert_eq!(search_for(&db, text("  ")).await.len(), 3);
        assert_eq!(search_for(&db, text("WANG")).await.len(), 3);
        let outcome = |outcome| AuditQuery { outcome: Some(outcome), ..AuditQuery::default() };
        assert_eq!(search_for(&db, outcome(Outcome::Done)).await, ["订单"]);
        assert_eq!(search_for(&db, outcome(Outcome::Open)).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn pages_follow_one_another_without_gap() {
    each(|db| async move {
        for n in 0..7 {
            opened(&db, &n.to_string()).await;
        }
        let (mut seen, mut before) = (vec![], None);
        loop {
            let page = search(&db, &AuditQuery { before, ..AuditQuery::default() }, 3).await.unwrap();
            seen.extend(page.rows.into_iter().map(|line| line.object));
            let Some(next) = page.next else { break };
            before = Some(next.parse().unwrap());
        }
        assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"]);
    })
    .await;
}

#[tokio::test]
async fn long_and_hostile_texts_are_cut_and_kept() {
    each(|db| async move {
        let (big, nul) = ("汉".repeat(50_000), "a\0b\r\n\u{202e}");
        let act = NewAudit { reason: &big, before: Some(&big), ..line(nul, None) };
        transact!(db, |tx| open(tx, &act).await).unwrap();
        let line = search(&db, &AuditQuery::default(), 1).await.unwrap().rows.remove(0);
        assert_eq!(line.object, "a\u{fffd}b\r\n\u{202e}");
        assert!(line.reason.len() <= MAX_SENTENCE && line.reason.ends_with("150000 bytes in all]"));
        assert!(line.before.unwrap().len() <= MAX_JSON);
        assert_eq!(report(&db, None).await.broken, None);
    })
    .await;
}

/// Ten records; then as the owner of the database; then `verify` names the first bad one.
#[tokio::test]
async fn tampering_is_named_by_its_first_record() {
    const COPY: &str = "INSERT INTO audit_record SELECT 6, opens, at, actor, from_address, verb, act, object, reason,
                        request, outcome, before_json, after_json, detail, prev, hash FROM audit_record WHERE seq = 5";
    let cases: &[(&str, &[&'static str], Option<i64>)] = &[
        ("nothing", &[], None),
        ("update", &["UPDATE audit_record SET reason = 'fine' WHERE seq = 4"], Some(4)),
        ("update of a null", &["UPDATE audit_record SET detail = '' WHERE seq = 4"], Some(4)),
        ("update of a time", &["UPDATE audit_record SET at = at + 1 WHERE seq = 10"], Some(10)),
        ("update of a hash", &["UPDATE audit_record SET hash = prev WHERE seq = 1"], Some(1)),
        ("delete", &["DELETE FROM audit_record WHERE seq = 5"], Some(5)),
        ("delete of the first", &["DELETE FROM audit_record WHERE seq = 1"], Some(1)),
        (
            "delete and close the gap",
            &["DELETE FROM audit_record WHERE seq = 5", "UPDATE audit_record SET seq = seq - 1 WHERE seq = 6"],
            Some(5),
        ),
        (
            "insert in the middle",
            &[
                "UPDATE audit_record SET seq = seq + 100 WHERE seq > 5",
                "UPDATE audit_record SET seq = seq - 99 WHERE seq > 100",
                COPY,
            ],
            Some(6),
        ),
        ("insert before the first", &["UPDATE audit_record SET seq = 0 WHERE seq = 10"], Some(0)),
        (
            "reorder",
            &[
                "UPDATE audit_record SET seq = -1 WHERE seq = 3",
                "UPDATE audit_record SET seq = 3 WHERE seq = 4",
                "UPDATE audit_record SET seq = 4 WHERE seq = -1",
            ],
            Some(3),
        ),
        ("cut off the tail", &["DELETE FROM audit_record WHERE seq > 7"], Some(8)),
        ("cut off all", &["DELETE FROM audit_record"], Some(1)),
        ("change the head", &["UPDATE audit_head SET hash = '00'"], Some(10)),
        ("append past the head", &["UPDATE audit_head SET seq = 9"], Some(10)),
    ];
    for (name, sqls, broken) in cases {
        each(|db| async move {
            for n in 0..10 {
                opened(&db, &n.to_string()).await;
            }
            tamper(&db, sqls).await;
            let report = report(&db, None).await;
            assert_eq!(report.broken.map(|(seq, _)| seq), *broken, "{name}");
        })
        .await;
    }
}

/// Who can write the database can make a shorter chain that is whole in itself; the anchor kept elsewhere shows it.
#[tokio::test]
async fn a_tail_cut_off_with_its_head_is_found_by_the_anchor() {
    each(|db| async move {
        for n in 0..9 {
            opened(&db, &n.to_string()).await;
        }
        let anchor = head(&db).await.unwrap();
        assert_eq!(report(&db, Some(&anchor)).await.broken, None);
        tamper(
            &db,
            &[
                "DELETE FROM audit_record WHERE seq > 5",
                "UPDATE audit_head SET seq = 5, hash = (SELECT hash FROM audit_record WHERE seq = 5)",
            ],
        )
        .await;
        assert_eq!(report(&db, None).await.broken, None);
        assert_eq!(report(&db, Some(&anchor)).await.broken.unwrap().0, 6);
        for n in 0..9 {
            opened(&db, &format!("forged {n}")).await;
        }
        assert_eq!(report(&db, None).await.broken, None);
        assert_eq!(report(&db, Some(&anchor)).await.broken.unwrap().0, 9);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_who_append_at_once_make_one_whole_chain() {
    each(|db| async move {
        let mut all = tokio::task::JoinSet::new();
        for n in 0..8 {
            let db = db.clone();
            all.spawn(async move {
                for m in 0..25 {
                    let act = opened(&db, &format!("{n}-{m}")).await;
                    assert!(closed(&db, act.seq).await);
                }
            });
        }
        // A verification that runs meanwhile must not cry wolf.
        while !all.is_empty() {
            assert_eq!(report(&db, None).await.broken, None);
            all.join_next().await.unwrap().unwrap();
        }
        let mut progress = vec![];
        let report = verify(&db, None, UnixMs(7), |n| progress.push(n)).await.unwrap();
        assert_eq!((report.records, report.broken, report.at), (400, None, UnixMs(7)));
        assert_eq!((progress.last(), report.head), (Some(&400), head(&db).await.unwrap().hash));
    })
    .await;
}
