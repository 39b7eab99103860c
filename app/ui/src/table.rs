//! Parts of tables: the scrolling pane, and heads that sort.

use leptos::prelude::*;

use crate::{Glyph, Icon};

/// How a column is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the least.
    Ascending,
    /// From the most.
    Descending,
}

impl Order {
    /// The value of `aria-sort`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }

    /// The other one.
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// A column's head. With `on_sort` it is a button.
#[component]
pub fn HeadCell(
    /// The column's name in the style sheet (`data-col`), which holds its width.
    #[prop(into)]
    col: &'static str,
    /// What stands in the column.
    #[prop(into)]
    word: Signal<String>,
    /// Numbers: to the end.
    #[prop(optional)]
    num: bool,
    /// How the table is sorted by it, if it is.
    #[prop(optional, into)]
    order: Signal<Option<Order>>,
    /// The reader wants it sorted by this column.
    #[prop(optional, into)]
    on_sort: Option<Callback<Order>>,
) -> impl IntoView {
    let press = move |_| {
        let next = order.get().map_or(Order::Ascending, Order::reversed);
        if let Some(on_sort) = on_sort {
            on_sort.run(next);
        }
    };
    let arrow = move || {
        order.get().map(|order| match order {
            Order::Ascending => view! { <Icon glyph=Glyph::Asc/> },
            Order::Descending => view! { <Icon glyph=Glyph::Desc/> },
        })
    };
    let inside = match on_sort {
        Some(_) => view! { <button type="button" on:click=press>{word}{arrow}</button> }.into_any(),
        None => word.into_any(),
    };
    view! {
        <th scope="col" data-col=col data-num=num.then_some("") aria-sort=move || order.get().map(Order::name)>
            {inside}
        </th>
    }
}

/// A short table in a section: as high as its rows, scrolling sideways within itself where it must.
#[component]
pub fn Table(
    /// What is listed.
    #[prop(into)]
    label: Signal<String>,
    /// Its first column stands at the page's edge.
    #[prop(optional)]
    inset: bool,
    /// Rows of two lines.
    #[prop(optional)]
    two: bool,
    /// Has many columns: scrolls sooner.
    #[prop(optional)]
    wide: bool,
    /// Has few columns: fits a phone, never scrolls.
    #[prop(optional)]
    narrow: bool,
    /// The heads.
    head: Children,
    /// The rows.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="scroll" data-flow="">
            <table
                class="table"
                data-fixed=""
                data-inset=inset.then_some("")
                data-two=two.then_some("")
                data-wide=wide.then_some("")
                data-narrow=narrow.then_some("")
                aria-label=label
            >
                <thead>
                    <tr>{head()}</tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_sorted_column_says_how() {
        let head = html(|| view! { <HeadCell col="cpu" word="CPU" num=true order=Order::Descending on_sort=|_| ()/> });
        assert_parts(
            &head,
            &["scope=\"col\"", "data-col=\"cpu\"", "data-num", "aria-sort=\"descending\"", "<button", "CPU", "#desc"],
        );
        assert!(!html(|| view! { <HeadCell col="x" word="X"/> }).contains("button"));
    }
}
