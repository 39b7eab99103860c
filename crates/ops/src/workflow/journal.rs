//! A workflow's whole brain, pure: what to do next, from the plan and the journal alone, so that a restarted server goes on
//! exactly where the old one stopped.

/// What the journal says of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry<S> {
    /// It was begun; it may have half happened.
    Began(S),
    /// It is done.
    Done(S),
    /// It was not needed.
    Skipped(S),
    /// It failed for good.
    Failed(S),
    /// It was taken back.
    Undone(S),
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next<S> {
    /// Do this step (again, if it was begun before a crash: steps are idempotent).
    Do(S),
    /// Take this step back.
    Undo(S),
    /// All steps are done.
    Succeeded,
    /// A step failed, and all that had begun is taken back.
    RolledBack,
}

/// The decision.
pub fn next<S: Copy + PartialEq>(plan: &[S], journal: &[Entry<S>]) -> Next<S> {
    let has = |entry| journal.contains(&entry);
    if journal.iter().any(|entry| matches!(entry, Entry::Failed(_))) {
        // A step that began may have half happened, so the failed one is taken back too.
        let left =
            plan.iter().rev().find(|&&s| has(Entry::Began(s)) && !has(Entry::Undone(s)) && !has(Entry::Skipped(s)));
        return left.map_or(Next::RolledBack, |&step| Next::Undo(step));
    }
    let todo = plan.iter().find(|&&step| !has(Entry::Done(step)) && !has(Entry::Skipped(step)));
    todo.map_or(Next::Succeeded, |&step| Next::Do(step))
}

#[cfg(test)]
mod tests {
    use super::Entry::{Began, Done, Failed, Skipped, Undone};
    use super::*;

    const PLAN: [char; 3] = ['a', 'b', 'c'];

    #[test]
    fn decisions_follow_from_the_journal_alone() {
        let cases: [(&[Entry<char>], Next<char>); 9] = [
            (&[], Next::Do('a')),
            (&[Began('a')], Next::Do('a')),
            (&[Began('a'), Done('a')], Next::Do('b')),
            (&[Began('a'), Done('a'), Skipped('b')], Next::Do('c')),
            (&[Began('a'), Done('a'), Began('b'), Failed('b')], Next::Undo('b')),
            (&[Began('a'), Done('a'), Began('b'), Failed('b'), Undone('b')], Next::Undo('a')),
            (&[Began('a'), Failed('a'), Undone('a')], Next::RolledBack),
            (&[Failed('a')], Next::RolledBack),
            (&[Done('a'), Done('b'), Done('c')], Next::Succeeded),
        ];
        for (journal, decision) in cases {
            assert_eq!(next(&PLAN, journal), decision, "{journal:?}");
        }
    }

    #[test]
    fn a_failure_at_any_step_takes_back_all_that_began_newest_first() {
        for failing in 0..PLAN.len() {
            let mut journal = vec![];
            let mut undone = vec![];
            loop {
                match next(&PLAN, &journal) {
                    Next::Do(step) => {
                        journal.push(Began(step));
                        journal.push(if step == PLAN[failing] { Failed(step) } else { Done(step) });
                    }
                    Next::Undo(step) => {
                        undone.push(step);
                        journal.push(Undone(step));
                    }
                    Next::RolledBack => break,
                    Next::Succeeded => panic!("a failed workflow succeeded"),
                }
            }
            let mut expected = PLAN[..=failing].to_vec();
            expected.reverse();
            assert_eq!(undone, expected);
        }
    }
}
