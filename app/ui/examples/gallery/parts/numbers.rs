//! Numbers: figures, facts, bars, rings, charts, the address map.

use app_ui::*;
use leptos::prelude::*;

use crate::Sample;

fn wave(len: usize, base: f64, size: f64) -> Vec<Option<f64>> {
    (0..len).map(|at| Some(base + size * ((at as f64) * 0.31).sin() + size * 0.4 * ((at as f64) * 1.7).cos())).collect()
}

/// Everything that is measured.
#[component]
pub(crate) fn Numbers() -> impl IntoView {
    let parts = vec![
        Part { fill: "c-1", share: 40.0 },
        Part { fill: "c-2", share: 18.0 },
        Part { fill: "c-3", share: 14.0 },
        Part { fill: "c-4", share: 10.0 },
        Part { fill: "c-5", share: 7.0 },
        Part { fill: "c-6", share: 11.0 },
    ];
    let states = vec![
        Part { fill: "s-running", share: 80.0 },
        Part { fill: "s-stopped", share: 15.0 },
        Part { fill: "s-error", share: 5.0 },
    ];
    let series = || {
        let mut gap = wave(61, 40.0, 20.0);
        gap[30..36].fill(None);
        vec![
            Series { name: "实际".into(), samples: wave(61, 50.0, 20.0) },
            Series { name: "请求".into(), samples: gap },
        ]
    };
    let times = || (0..61).map(|minute| format!("13:{:02}", minute % 60)).collect::<Vec<_>>();
    let write = |value: f64| format!("{value:.0}%");
    view! {
        <Sample title="值" note="名与值，一眼先读的数">
            <div class="plates">
                <Facts><Fact name="负责人"><Person name="陈思远" number="E10432" href="#"/></Fact><Fact name="主机"><code>"bj1-hv-03"</code></Fact><Fact name="规格">"16 vCPU · 64 GiB · 2 TiB"</Fact></Facts>
                <Facts across=true><Fact name="版本">"1.6.0"</Fact><Fact name="节点">"10"</Fact><Fact name="虚拟机">"2,640"</Fact></Facts>
                <div class="pair"><Figure name="交付 p95" value="6:12" unit="/ 15 分"/><Figure name="内存" value="71" unit="%" note="43 天到 85%" tone=Tone::Warning/></div>
            </div>
        </Sample>
        <Sample title="图" note="六色可分，另有线型与标签">
            <div class="plates">
                <div class="plate"><header>"线，限线"</header><div class="pad"><LineChart label="CPU" series=series() times=times() max=100.0 limit=90.0 write=write height=Height::Short/></div></div>
                <div class="plate"><header>"堆叠，环，量条"</header><div class="pad">
                    <StackedBar parts=parts label="ERP 40"/>
                    <StackedBar parts=states label="80 运行"/>
                    <div class="row" data-gap="4">
                        <Ring used=71.0 label="71%"/>
                        <Ring used=62.0 label="62%" small=true moving=true/>
                        <div class="grow col">
                            <Meter used=46.0 asked=69.0 label="46%"/>
                            <Meter used=84.0 label="84%"/>
                            <Meter used=96.0 label="96%"/>
                            <Meter used=62.0 mark=85.0 label="62%"/>
                            <Meter used=62.0 tone=Tone::Moving thin=true label="62%"/>
                        </div>
                    </div>
                    <Sparkline samples=wave(40, 10.0, 4.0) max=20.0 wide=true/>
                    <Sparkline samples=wave(24, 10.0, 4.0) max=20.0 tone="warning"/>
                </div></div>
                <div class="plate"><header>"表格视图"</header><div class="pad"><LineChart label="CPU" series=series() times=times() max=100.0 write=write as_table=true/></div></div>
            </div>
        </Sample>
        <Sample title="地址" note="填充与记号">
            <AddressGrid label="10.20.30.0/24" squares=squares() current=RwSignal::new(Some(112)) range=RwSignal::new(Some((168, 175)))/>
        </Sample>
    }
}

fn squares() -> Vec<Square> {
    let state = |at: usize| match at {
        1 => ("gateway", Some('G')),
        0..10 => ("forbidden", None),
        44..46 => ("quarantine", None),
        58 | 90 | 112 => ("drift", Some('≠')),
        77 => ("stray", Some('?')),
        141 => ("conflict", Some('!')),
        10..120 => ("used", None),
        120..130 => ("off", None),
        176..200 => ("reserved", None),
        200..214 => ("dhcp-used", None),
        214..240 => ("dhcp", None),
        _ => ("free", None),
    };
    let square = |at| {
        let (state, mark) = state(at);
        Square { state, mark, label: format!("10.20.30.{at}，{state}") }
    };
    (0..256).map(square).collect()
}
