//! The geometry of charts: pure, in percent of the plot, written as SVG attributes.

/// A line through samples, `x` over the whole width, `y` from `max` at the top to 0 at `height`; a missing sample is a
/// gap, never a zero.
pub(crate) fn line(samples: &[Option<f64>], max: f64, height: f64) -> String {
    let mut path = String::new();
    let mut pen_down = false;
    for (at, sample) in samples.iter().enumerate() {
        let Some(value) = sample else {
            pen_down = false;
            continue;
        };
        let (x, y) = (x_of(at, samples.len()), y_of(*value, max, height));
        path.push_str(&format!("{}{} {}", if pen_down { 'L' } else { 'M' }, tidy(x), tidy(y)));
        pen_down = true;
    }
    path
}

/// The area under [`line()`], gap by gap.
pub(crate) fn area(samples: &[Option<f64>], max: f64, height: f64) -> String {
    let mut path = String::new();
    let mut from = None;
    for (at, sample) in samples.iter().chain([&None]).enumerate() {
        match (sample, from) {
            (Some(_), None) => from = Some(at),
            (None, Some(start)) => {
                let last = x_of(at - 1, samples.len());
                let points =
                    (start..at).filter_map(|at| Some((x_of(at, samples.len()), y_of(samples[at]?, max, height))));
                let top: Vec<String> = points.map(|(x, y)| format!("{} {}", tidy(x), tidy(y))).collect();
                let first = x_of(start, samples.len());
                path.push_str(&format!("M{}L{} {height}L{} {height}Z", top.join("L"), tidy(last), tidy(first)));
                from = None;
            }
            _ => {}
        }
    }
    path
}

/// Where a sample stands, in percent.
pub(crate) fn x_of(at: usize, len: usize) -> f64 {
    if len < 2 { 0.0 } else { at as f64 * 100.0 / (len - 1) as f64 }
}

/// The sample nearest to a place given as a share of the width, 0 to 1.
pub(crate) fn nearest(share: f64, len: usize) -> Option<usize> {
    let last = len.checked_sub(1)?;
    Some(((share.clamp(0.0, 1.0) * last as f64).round() as usize).min(last))
}

/// How far from the top a value stands.
pub(crate) fn y_of(value: f64, max: f64, height: f64) -> f64 {
    if max > 0.0 && value.is_finite() { height - value.clamp(0.0, max) / max * height } else { height }
}

fn tidy(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fills_the_width_and_a_gap_is_a_gap() {
        assert_eq!(line(&[Some(0.0), Some(50.0), Some(100.0)], 100.0, 100.0), "M0 100L50 50L100 0");
        assert_eq!(line(&[Some(0.0), None, Some(100.0)], 100.0, 100.0), "M0 100M100 0");
        assert_eq!(line(&[], 100.0, 100.0), "");
    }

    #[test]
    fn an_area_stands_on_the_ground() {
        assert_eq!(area(&[Some(0.0), Some(100.0)], 100.0, 20.0), "M0 20L100 0L100 20L0 20Z");
        assert_eq!(area(&[None, Some(10.0), None], 10.0, 20.0), "M50 0L50 20L50 20Z");
    }

    #[test]
    fn a_chart_without_a_scale_is_flat() {
        assert_eq!(line(&[Some(3.0), Some(f64::NAN)], 0.0, 100.0), "M0 100L100 100");
    }

    #[test]
    fn the_pointer_reads_the_nearest_sample() {
        assert_eq!(nearest(0.49, 3), Some(1));
        assert_eq!(nearest(1.7, 3), Some(2));
        assert_eq!(nearest(0.5, 0), None);
    }
}
