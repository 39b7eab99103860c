//! Words with marks, buttons, fields, choices, search.

use app_ui::*;
use leptos::prelude::*;

use crate::Sample;

/// Marks, badges, people, ages, icons.
#[component]
pub(crate) fn Words() -> impl IntoView {
    let marks = [
        (Mark::Running, "运行"),
        (Mark::Stopped, "停止"),
        (Mark::Moving, "迁移中"),
        (Mark::Paused, "暂停"),
        (Mark::Error, "故障"),
        (Mark::Warning, "注意"),
        (Mark::Unknown, "未知"),
        (Mark::Ok, "通过"),
        (Mark::No, "不通过"),
        (Mark::Wait, "等待"),
    ];
    let row =
        move |tint: bool| marks.map(|(mark, word)| view! { <StateMark mark=mark word=word tint=tint/> }).collect_view();
    let icons =
        Glyph::ALL.map(|glyph| view! { <li><Icon glyph=glyph/><span>{glyph.name()}</span></li> }).collect_view();
    view! {
        <Sample title="图标" note="16 网格，1.5 线"><ul class="icons">{icons}</ul></Sample>
        <Sample title="状态" note="图形、字、颜色三者齐备">
            <div class="row" data-wrap="" data-gap="4">{row(false)}</div>
            <div class="row" data-wrap="" data-gap="4">{row(true)}</div>
            <div class="row" data-wrap="" data-gap="4">
                <Badge word="开发"/>
                <Badge word="生产" tone=Tone::Accent/>
                <Badge word="待重启" tone=Tone::Warning glyph=Glyph::Restart/>
                <Badge word="配额不足" tone=Tone::Error/>
                <Badge word="迁移 62%" tone=Tone::Moving/>
                <Badge word="一级" tone=Tone::Quiet/>
                <Badge word="删除保护" glyph=Glyph::Lock/>
                <Age at_ms=60_000 absolute="14:08:51"/>
                <Age at_ms=0 absolute="14:03:22" old=true/>
                <Person name="林若涵" number="E10877" href="#"/>
                <Person name="何俊熙" number="E11452 已离职" href="#" gone=true/>
                <Face name="陈思远"/>
                <Fresh word="实时" note="50/50 集群 · 0.2 s"/>
                <Fresh word="实时" note="49/50 集群" freshness=Freshness::Partial/>
                <Fresh word="失联" freshness=Freshness::Away/>
            </div>
        </Sample>
    }
}

/// Buttons, fields, choices, search.
#[component]
pub(crate) fn Controls() -> impl IntoView {
    let text = |value: &str| RwSignal::new(value.to_owned());
    let menu = vec![
        MenuItem::new("关机", Callback::new(|()| ())).glyph(Glyph::Power).note("先请客户机"),
        MenuItem::new("强制关机", Callback::new(|()| ())).glyph(Glyph::Stop),
        MenuItem::new("启动", Callback::new(|()| ())).glyph(Glyph::Play).refused(Some("已在运行".into())),
        MenuItem::new("删除…", Callback::new(|()| ())).glyph(Glyph::Trash).dangerous(),
    ];
    let hours = vec![Segment::new(1, "1 小时"), Segment::new(6, "6 小时"), Segment::new(24, "1 天")];
    let rows = vec![Segment::drawn(32, "紧凑", Glyph::Rows), Segment::drawn(40, "宽松", Glyph::RowsWide)];
    let tabs = vec![
        Tab::new("/a", "概览"),
        Tab::new("/b", "磁盘").count(3),
        Tab::new("/c", "网络").count(2),
        Tab::new("/d", "审计"),
    ];
    let choices = vec![Choice::new("a", "4C16G · 200 GiB"), Choice::new("b", "8C32G").refused("配额不足")];
    view! {
        <Sample title="按钮" note="不可用时说出原因">
            <div class="row" data-wrap="" data-gap="4">
                <Button word="创建" glyph=Glyph::Plus kind=Kind::Primary/>
                <Button word="重启" glyph=Glyph::Restart/>
                <Button word="导出" glyph=Glyph::Download kind=Kind::Quiet/>
                <Button word="删除" glyph=Glyph::Trash kind=Kind::Danger/>
                <Button word="批准删除" kind=Kind::DangerSolid/>
                <Button word="正在保存" busy=true/>
                <Button word="控制台" glyph=Glyph::Console kind=Kind::Primary key="c"/>
                <span class="buttons"><Button word="重启" glyph=Glyph::Restart/><Menu label="更多电源操作" glyph=Glyph::Down items=Vec::new()/></span>
                <Menu label="更多" items=Vec::new()/>
                <ToolButton label="关闭" glyph=Glyph::Close/>
                <CopyButton text="x" label="复制名称"/>
                <Button word="按下" pressed=true/>
                <LinkButton word="看操作" href="#" glyph=Glyph::External/>
            </div>
            <div class="row" data-wrap="" data-gap="4">
                <Button word="大" kind=Kind::Primary size=Size::Form/>
                <Button word="大" size=Size::Form/>
                <Button word="拇指" kind=Kind::Primary size=Size::Touch/>
                <Button word="拇指" size=Size::Touch/>
                <Button word="启动" glyph=Glyph::Play refusal="只有停止的虚拟机可以启动"/>
                <Button word="迁移" glyph=Glyph::Move kind=Kind::Primary refusal="直通了 GPU，不能热迁移"/>
            </div>
        </Sample>
        <Sample title="字段" note="错在哪格，话在哪格">
            <div class="plates">
                <Field id="f1" label="服务" hint="决定负责人、配额与命名"><TextInput value=text("订单服务")/></Field>
                <Field id="f2" label="地址" error="已归 prod-pay-gateway-05。可用 .131"><TextInput value=text("10.20.33.105") mono=true/></Field>
                <Field id="f3" label="系统盘" hint="镜像虚拟大小 40 GiB，会不够" hint_tone=Tone::Warning><TextInput value=text("20") unit="GiB"/></Field>
                <Field id="f4" label="名称" hint="可用，全部集群中唯一" hint_tone=Tone::Ok><TextInput value=text("prod-order-app-05")/></Field>
                <Field id="f5" label="命名空间" aside=|| "由模板锁定"><TextInput value=text("erp-prod") readonly=true/></Field>
                <Field id="f6" label="规格"><Select value=text("a") choices=choices/></Field>
                <Field id="f7" label="数量"><Stepper value=RwSignal::new(3) min=1 max=50/></Field>
                <Field id="f8" label="工号"><TextInput value=text("") glyph=Glyph::User placeholder="E10432" size=Size::Touch/></Field>
                <Field id="f9" label="原因"><TextArea value=text("双十二扩容，预计 QPS 到 2.1 万") rows=2/></Field>
            </div>
            <div class="row" data-wrap="" data-gap="4">
                <Checkbox checked=true on_toggle=|_| () word="冻结文件系统" note="来宾代理在线"/>
                <Checkbox checked=false on_toggle=|_| () word="未选"/>
                <Checkbox checked=false mixed=true on_toggle=|_| () word="部分"/>
                <Checkbox checked=false on_toggle=|_| () word="不可选" refusal="来宾代理不在线"/>
                <Switch on=true on_toggle=|_| () word="删除保护"/>
                <Switch on=false on_toggle=|_| () word="录像"/>
                <Segments label="时间" segments=hours value=1 on_pick=|_| ()/>
                <Segments label="行高" segments=rows value=40 on_pick=|_| ()/>
            </div>
            <Tabs label="标签" tabs=tabs current="/a"><TabAction word="另存为视图" glyph=Glyph::Plus on_press=|()| ()/></Tabs>
        </Sample>
        <Sample title="查找" note="字段、否定、裸词、错词">
            <Search/>
            <div class="hold" data-side="">
                <Menu label="电源" word="电源" glyph=Glyph::Power items=menu open=RwSignal::new(true)/>
            </div>
        </Sample>
    }
}

#[component]
fn Search() -> impl IntoView {
    let token = |field: &str, value: &str| Token { field: field.into(), value: value.into(), not: false, wrong: None };
    let tokens = vec![
        token("owner:", "E10432"),
        Token { not: true, ..token("status:", "stopped") },
        token("", "10.20.30."),
        Token { wrong: Some("没有字段 cpuu，是不是 cpu？".into()), ..token("cpuu>", "4") },
    ];
    let found = Some("38 台 · 3 ms".to_owned());
    let text = RwSignal::new("en".to_owned());
    view! { <SearchBox id="q" label="查找虚拟机" tokens=tokens text=text found=found on_enter=|_| () on_remove=|_| ()/> }
}
