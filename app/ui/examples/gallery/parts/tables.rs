//! Tables, lists, steps, verdicts.

use app_ui::{window::Buffer, *};
use leptos::prelude::*;

use crate::Sample;

/// Tables of all kinds.
#[component]
pub(crate) fn Tables() -> impl IntoView {
    let head = || {
        view! {
            <HeadCell col="state" word="状态"/>
            <HeadCell col="name" word="名称" on_sort=|_| ()/>
            <HeadCell col="cpu" word="CPU" num=true order=Order::Descending on_sort=|_| ()/>
        }
        .into_any()
    };
    let step = |state, word: &str, began: &str, took: &str, detail: Option<&str>| Step {
        state,
        said: String::new(),
        word: word.into(),
        began: began.into(),
        took: took.into(),
        detail: detail.map(Into::into),
    };
    let steps = vec![
        step(StepState::Done, "留下地址", "14:05:11", "0.1 s", None),
        step(
            StepState::Now,
            "系统盘克隆并绑定",
            "14:07:10",
            "1 m 42 s",
            Some("已写 61.2 GiB / 100 GiB，实测 398 MiB/s"),
        ),
        step(
            StepState::Failed,
            "挂载数据盘",
            "14:07:10",
            "30 s",
            Some("存储类 lh-hdd 在此节点不可用；已自动换到 lh-nvme-3r"),
        ),
        step(StepState::Next, "启动", "", "通常 38 s", None),
    ];
    view! {
        <Sample title="表" note="长表、短表、载入中">
            <div class="plates">
                <div class="plate"><header>"长表，12,431 行"</header><div class="gallery-port"><Long/></div></div>
                <div class="plate">
                    <header>"短表"</header>
                    <Table label="短表" narrow=true head={Box::new(head)}>
                        <tr><td><StateMark mark=Mark::Running word="运行"/></td><td><a class="name" data-strong="" href="#">"erp-db-prod-07"</a></td><td data-num="">"64%"</td></tr>
                        <tr data-away=""><td><StateMark mark=Mark::Unknown word="未知"/></td><td><a class="name" href="#">"xa-branch-ad-01"</a></td><td data-num="">"—"</td></tr>
                        <tr><td><StateMark mark=Mark::Moving word="迁移中"/></td><td><a class="name" href="#">"prod-风控规则引擎-实时特征计算-0000000000000001"</a></td><td data-num="" data-changed="">"81%"</td></tr>
                    </Table>
                </div>
                <div class="plate"><header>"载入中，形状不变"</header><SkeletonTable rows=5 columns=4/></div>
            </div>
            <div class="plates"><SkeletonHead/><SkeletonPanel/></div>
        </Sample>
        <Sample title="步骤" note="进度是真的"><StepList steps=steps/></Sample>
        <Sample title="结论与消息" note="各有去处">
            <div class="plates">
                <ul class="verdicts">
                    <Verdict mark=Mark::Ok word="名称、地址、镜像、负责人" finding="9 项通过"/>
                    <Verdict mark=Mark::Warning word="只有 4 台主机够放" finding="N+1 仍满足">"也可放到北京亦庄二，余量更多。"</Verdict>
                    <Verdict mark=Mark::No word="系统盘小于镜像" finding="20 < 40 GiB">"改为 40 GiB 以上。"</Verdict>
                    <Verdict mark=Mark::Wait word="正在向集群预演" finding="0.4 秒"/>
                    <Verdict mark=Mark::Unknown word="交付检查"/>
                </ul>
                <ul class="list">
                    <ListItem glyph=Glyph::Error tone=Tone::Error title="prod-pay-gateway-02 启动失败" more="镜像拉取超时，已重试 3 次 · 周子墨"><Button word="诊断" kind=Kind::Quiet/></ListItem>
                    <ListItem glyph=Glyph::Key tone=Tone::Warning title="上海外高桥的令牌 6 天后到期" more="到期后只读都会失败"><Button word="轮换" kind=Kind::Quiet/></ListItem>
                </ul>
                <EventList events=events()/>
            </div>
            <div class="scroll" data-flow="" tabindex="0" role="region" aria-label="能力"><table class="matrix" aria-label="能力">
                <thead><tr><th scope="col">"集群"</th><th scope="col">"热迁移"</th><th scope="col">"快照"</th><th scope="col">"备份"</th><th scope="col">"串口"</th></tr></thead>
                <tbody>
                    <tr><th scope="row">"北京亦庄一"<small>"1.6.0 · KubeVirt 1.5"</small></th><td><StateMark mark=Mark::Ok word="可用"/></td><td><StateMark mark=Mark::Ok word="可用"/></td><td><StateMark mark=Mark::Warning word="未配目标"/></td><td><StateMark mark=Mark::Ok word="可用"/></td></tr>
                    <tr><th scope="row">"西安高新"<small>"1.3.2 · 失联"</small></th><td><StateMark mark=Mark::Unknown word="未知"/></td><td><StateMark mark=Mark::No word="版本过旧"/></td><td><StateMark mark=Mark::Unknown word="未知"/></td><td><StateMark mark=Mark::Unknown word="未知"/></td></tr>
                </tbody>
            </table></div>
        </Sample>
    }
}

fn events() -> Vec<Event> {
    let event = |time: &str, tone, reason: &str, message: &str, count: Option<&str>| Event {
        time: time.into(),
        tone,
        reason: reason.into(),
        message: message.into(),
        source: "kubelet, bj1-hv-03".into(),
        count: count.map(Into::into),
    };
    vec![
        event("14:08:47", Tone::Moving, "Rebuilding", "卷 erp-db-prod-07-data 副本重建 71%", None),
        event("14:06:02", Tone::Warning, "FailedMount", "volume is busy, will be tried again", Some("12 ×")),
        event("14:05:58", Tone::Plain, "SuccessfulCreate", "Created virtual machine pod", None),
    ]
}

#[component]
fn Long() -> impl IntoView {
    let head =
        || view! { <HeadCell col="state" word="状态"/><HeadCell col="name" word="名称" on_sort=|_| ()/> }.into_any();
    let cells = |row: Row<u32>| {
        let mark = if row.item.is_multiple_of(7) { (Mark::Error, "故障") } else { (Mark::Running, "运行") };
        view! {
            <td data-col="state"><StateMark mark=mark.0 word=mark.1/></td>
            <td data-col="name"><a class="name" data-strong="" href="#">{format!("prod-order-app-{:05}", row.item)}</a></td>
        }
        .into_any()
    };
    view! {
        <VirtualTable
            id="long"
            label="虚拟机"
            total=12_431_u32
            buffer=Buffer::first((0..600).collect())
            key={|row: &u32| *row}
            on_want=|_| ()
            head={Box::new(head)}
            cells=cells
            cursor=RwSignal::new(Some(1))
            is_selected={|row: u32| row == 1 || row == 3}
            is_away={|row: u32| row == 4}
        />
    }
}
