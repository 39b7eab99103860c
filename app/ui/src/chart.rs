//! Lines over time: as small as a word, or with axes, a limit, a read-out and a table.

use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    html,
    prelude::*,
};

use crate::plot;

/// The patterns that hatched and dotted fills refer to. Once a page, at the start of the body.
#[component]
pub fn ChartDefs() -> impl IntoView {
    view! {
        <svg width="0" height="0" class="unseen" aria-hidden="true">
            <defs>
                <pattern id="rest" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch-room" width="4" height="4"></rect>
                    <rect class="hatch-line" width="1.5" height="4"></rect>
                </pattern>
                <pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse">
                    <rect class="hatch-room" width="4" height="4"></rect>
                    <circle class="hatch-line" cx="2" cy="2" r="1"></circle>
                </pattern>
            </defs>
        </svg>
    }
}

/// A line as small as a word, from 0 to `max`.
#[component]
pub fn Sparkline(
    /// The samples, the newest last.
    #[prop(into)]
    samples: Signal<Vec<Option<f64>>>,
    /// The top of the scale.
    #[prop(default = 100.0.into(), into)]
    max: Signal<f64>,
    /// What it shows; without it the picture is silent, for beside a number.
    #[prop(optional, into)]
    label: Option<String>,
    /// `warning`, `error` or `mute`.
    #[prop(optional, into)]
    tone: Signal<Option<&'static str>>,
    /// As wide as its place.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    let silent = label.is_none().then_some("true");
    let role = label.is_some().then_some("img");
    view! {
        <svg
            class="spark"
            viewBox="0 0 100 20"
            preserveAspectRatio="none"
            data-tone=tone
            data-wide=wide.then_some("")
            role=role
            aria-label=label
            aria-hidden=silent
        >
            <path class="area" d=move || samples.with(|samples| plot::area(samples, max.get(), 20.0))></path>
            <path d=move || samples.with(|samples| plot::line(samples, max.get(), 20.0))></path>
        </svg>
    }
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it shows.
    pub name: String,
    /// The samples, the newest last; `None` where nothing was measured.
    pub samples: Vec<Option<f64>>,
}

/// How high a chart is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Height {
    /// 5 rem.
    Short,
    /// 7 rem.
    #[default]
    Plain,
    /// 11 rem.
    Tall,
}

/// Lines over time. Pointer and arrow keys read the values; `as_table` shows them all as a table.
#[component]
pub fn LineChart(
    /// What it shows and, in a sentence, what is to be seen.
    #[prop(into)]
    label: Signal<String>,
    /// Up to five lines; the first is filled.
    #[prop(into)]
    series: Signal<Vec<Series>>,
    /// When each sample was taken, written for the reader.
    #[prop(into)]
    times: Signal<Vec<String>>,
    /// The top of the scale.
    #[prop(into)]
    max: Signal<f64>,
    /// A limit, drawn across.
    #[prop(optional, into)]
    limit: Signal<Option<f64>>,
    /// How a value is written: "71.3%".
    #[prop(into)]
    write: Callback<f64, String>,
    /// How high it is.
    #[prop(optional)]
    height: Height,
    /// Shows a table instead.
    #[prop(optional, into)]
    as_table: Signal<bool>,
) -> impl IntoView {
    let (plot, note) = (NodeRef::<html::Div>::new(), NodeRef::<html::P>::new());
    let read = RwSignal::new(None::<usize>);
    let len = Signal::derive(move || times.with(Vec::len));
    let point = move |event: PointerEvent| {
        let Some(plot) = plot.get_untracked() else { return };
        let width = f64::from(plot.client_width()).max(1.0);
        read.set(plot::nearest(f64::from(event.offset_x()) / width, len.get_untracked()));
    };
    let keys = move |event: KeyboardEvent| {
        let last = len.get_untracked().saturating_sub(1);
        let to = match (event.key().as_str(), read.get_untracked()) {
            ("ArrowLeft", at) => at.unwrap_or(last).saturating_sub(1),
            ("ArrowRight", at) => (at.unwrap_or(0) + 1).min(last),
            ("Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        read.set(Some(to));
    };
    // Where the note stands is geometry, so an effect sets it.
    Effect::new(move |_| {
        let (Some(note), Some(at)) = (note.get(), read.get()) else { return };
        let x = plot::x_of(at, len.get());
        let (side, other, share) = if x > 50.0 { ("right", "left", 100.0 - x) } else { ("left", "right", x) };
        let style = web_sys::HtmlElement::style(&note);
        // Refused only for malformed values, and these are not.
        let _ = style.set_property(side, &format!("calc({share}% + 0.5rem)"));
        let _ = style.set_property(other, "auto");
    });
    let said = move || {
        let at = read.get()?;
        let time = times.with(|times| times.get(at).cloned())?;
        let values = series.with(|series| {
            let value = |line: &Series| line.samples.get(at).copied().flatten().map(|value| write.run(value));
            series
                .iter()
                .map(|line| (line.name.clone(), value(line).unwrap_or_else(|| "—".to_owned())))
                .collect::<Vec<_>>()
        });
        Some((time, values))
    };
    let chart = move || {
        view! {
            <figure class="chart" data-short=(height == Height::Short).then_some("") data-tall=(height == Height::Tall).then_some("")>
                <div class="y" aria-hidden="true">
                    {move || [1.0, 0.5, 0.0].map(|share| view! { <span>{write.run(max.get() * share)}</span> }).collect_view()}
                </div>
                <div
                    class="plot"
                    role="img"
                    tabindex="0"
                    aria-label=label
                    node_ref=plot
                    on:pointermove=point
                    on:pointerleave=move |_| read.set(None)
                    on:blur=move |_| read.set(None)
                    on:keydown=keys
                >
                    <Lines series=series max=max limit=limit read=read len=len/>
                    <Show when=move || read.get().is_some()>
                        <p class="plot-note" role="status" node_ref=note>
                            {move || said().map(|(time, values)| view! {
                                {time}
                                {values.into_iter().map(|(name, value)| view! { " " {name} " " <b>{value}</b> }).collect_view()}
                            })}
                        </p>
                    </Show>
                </div>
                <div class="x" aria-hidden="true">{move || ticks(&times.get()).into_iter().map(|time| view! { <span>{time}</span> }).collect_view()}</div>
            </figure>
        }
    };
    view! {
        <Show when=move || as_table.get() fallback=chart>
            <ChartTable label=label series=series times=times write=write/>
        </Show>
    }
}

/// The drawing itself: grid, area, lines, limit, and where the reader reads.
#[component]
fn Lines(
    series: Signal<Vec<Series>>,
    max: Signal<f64>,
    limit: Signal<Option<f64>>,
    read: RwSignal<Option<usize>>,
    len: Signal<usize>,
) -> impl IntoView {
    let across = |class: Option<&'static str>, y: f64| view! { <line class=class x1="0" x2="100" y1=y y2=y></line> };
    let lines = move || {
        let draw = |(at, line): (usize, Series)| {
            let class = ["l-1", "l-2", "l-3", "l-4", "l-5"][at.min(4)];
            view! { <path class=class d=plot::line(&line.samples, max.get(), 100.0)></path> }
        };
        series.get().into_iter().enumerate().map(draw).collect_view()
    };
    let area = move || series.with(|series| series.first().map(|first| plot::area(&first.samples, max.get(), 100.0)));
    view! {
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {across(None, 0.0)}
            {across(None, 50.0)}
            {across(Some("base"), 100.0)}
            <path class="a-1" d=area></path>
            {lines}
            {move || limit.get().map(|limit| across(Some("limit"), plot::y_of(limit, max.get(), 100.0)))}
            {move || read.get().map(|at| {
                let x = plot::x_of(at, len.get());
                view! { <line class="hover" x1=x x2=x y1="0" y2="100"></line> }
            })}
        </svg>
    }
}

/// The same as a table.
#[component]
fn ChartTable(
    label: Signal<String>,
    series: Signal<Vec<Series>>,
    times: Signal<Vec<String>>,
    write: Callback<f64, String>,
) -> impl IntoView {
    let heads = move || {
        series.get().into_iter().map(|line| view! { <th scope="col" data-num="">{line.name}</th> }).collect_view()
    };
    let row = move |(at, time): (usize, String)| {
        let cell = |line: &Series| {
            line.samples.get(at).copied().flatten().map_or_else(|| "—".to_owned(), |value| write.run(value))
        };
        let cells =
            series.with(|series| series.iter().map(|line| view! { <td data-num="">{cell(line)}</td> }).collect_view());
        view! { <tr><td>{time}</td>{cells}</tr> }
    };
    view! {
        <div class="scroll chart-table" tabindex="0" role="region" aria-label=label>
            <table class="table" data-inset="" aria-label=label>
                <thead><tr><th scope="col"></th>{heads}</tr></thead>
                <tbody>{move || times.get().into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// Up to five of the times, first and last among them.
fn ticks(times: &[String]) -> Vec<String> {
    let count = times.len().min(5);
    (0..count).map(|at| times[at * (times.len() - 1) / (count - 1).max(1)].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    fn series() -> Vec<Series> {
        vec![Series { name: "CPU".into(), samples: vec![Some(0.0), Some(71.3)] }]
    }

    #[test]
    fn a_sparkline_beside_its_number_is_silent() {
        let spark = html(|| view! { <Sparkline samples=vec![Some(0.0), Some(100.0)]/> });
        assert_parts(&spark, &["aria-hidden=\"true\"", "M0 20L100 0L100 20L0 20Z", "M0 20L100 0"]);
    }

    #[test]
    fn a_chart_has_a_name_a_scale_and_the_same_values_as_a_table() {
        let times = || vec!["13:09".to_owned(), "14:09".to_owned()];
        let write = |value: f64| format!("{value}%");
        let chart = html(
            move || view! { <LineChart label="CPU 一小时" series=series() times=times() max=100.0 limit=90.0 write=write/> },
        );
        assert_parts(
            &chart,
            &[
                "<span>100%</span>",
                "role=\"img\"",
                "aria-label=\"CPU 一小时\"",
                "class=\"l-1\"",
                "class=\"limit\"",
                "13:09",
                "14:09",
            ],
        );
        let table = html(
            move || view! { <LineChart label="CPU" series=series() times=times() max=100.0 write=write as_table=true/> },
        );
        assert_parts(&table, &["<table", "CPU", "14:09", "71.3%"]);
    }

    #[test]
    fn ticks_begin_and_end_with_the_time_shown() {
        let times: Vec<String> = (0..61).map(|minute| minute.to_string()).collect();
        assert_eq!(ticks(&times), ["0", "15", "30", "45", "60"]);
        assert_eq!(ticks(&times[..1]), ["0"]);
        assert!(ticks(&[]).is_empty());
    }
}
