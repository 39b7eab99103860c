//! Steps with times: what was done, what is being done, what comes. Progress is true or it is not shown.

use leptos::prelude::*;

use crate::{Glyph, Icon};

/// Where a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepState {
    /// Done.
    Done,
    /// Being done.
    Now,
    /// Failed; the next lines say what comes of it.
    Failed,
    /// Not begun.
    Next,
}

impl StepState {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Now => "now",
            Self::Failed => "failed",
            Self::Next => "next",
        }
    }

    fn glyph(self) -> Glyph {
        match self {
            Self::Done => Glyph::Ok,
            Self::Now => Glyph::Moving,
            Self::Failed => Glyph::Error,
            Self::Next => Glyph::Unknown,
        }
    }
}

/// One step, as it is written for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where it is.
    pub state: StepState,
    /// The state in the reader's language, for screen readers.
    pub said: String,
    /// What it does.
    pub word: String,
    /// When it began; empty when it has not.
    pub began: String,
    /// How long it took, or usually takes.
    pub took: String,
    /// What is measured, what is waited for, what went wrong.
    pub detail: Option<String>,
}

/// The steps of one operation, in order.
#[component]
pub fn StepList(
    /// All of them, those to come too.
    #[prop(into)]
    steps: Signal<Vec<Step>>,
) -> impl IntoView {
    let item = |(_, step): (usize, Step)| {
        view! {
            <li data-state=step.state.name() aria-current={(step.state == StepState::Now).then_some("step")}>
                <Icon glyph=step.state.glyph()/>
                <b>{step.word}<span class="unseen">{step.said}</span></b>
                <time>{step.began}</time>
                <time>{step.took}</time>
                {step.detail.map(|detail| view! { <p>{detail}</p> })}
            </li>
        }
    };
    let numbered = move || steps.get().into_iter().enumerate().collect::<Vec<_>>();
    view! { <ol class="steps"><For each=numbered key=|step| step.clone() children=item/></ol> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn the_step_under_way_is_said_and_shown() {
        let step = |state, word: &str| Step {
            state,
            said: "进行中".into(),
            word: word.into(),
            began: "14:07:10".into(),
            took: "1 m 42 s".into(),
            detail: Some("已写 61.2 GiB / 100 GiB".into()),
        };
        let steps = html(
            move || view! { <StepList steps=vec![step(StepState::Done, "留下地址"), step(StepState::Now, "系统盘克隆")]/> },
        );
        assert_parts(
            &steps,
            &[
                "data-state=\"done\"",
                "#ok",
                "data-state=\"now\"",
                "aria-current=\"step\"",
                "#moving",
                "系统盘克隆",
                "进行中",
                "14:07:10",
                "61.2 GiB",
            ],
        );
    }
}
