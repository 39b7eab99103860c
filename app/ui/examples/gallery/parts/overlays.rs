//! What stands above the page: dialogs, drawers, toasts.

use app_ui::*;
use leptos::prelude::*;

use crate::Sample;

/// Dialogs, drawers, toasts, keys.
#[component]
pub(crate) fn Overlays() -> impl IntoView {
    let toasts = Toasts::new();
    toasts.push(Toast::done("已重启 erp-db-prod-07").link("#", "看操作").undo(Callback::new(|()| ())));
    toasts.push(Toast::failed("3 台中 1 台没迁成：直通 GPU").link("#", "看原因"));
    let asked = Asked { name: Some("erp-db-prod-07".into()), reason: true };
    let key = |key, group: &str, word: &str| Hotkey { key, group: group.into(), word: word.into(), act: None };
    let keys = vec![
        key("/", "", "查找"),
        key("mod+k", "", "查找或执行"),
        key("j k", "", "上下一行"),
        key("x", "", "选择"),
        key("Escape", "", "关闭"),
    ];
    let drawer_head = || {
        view! {
            <div class="row"><StateMark mark=Mark::Running word="运行" tint=true/><span class="push row" data-gap="1"><ToolButton label="关闭" glyph=Glyph::Close/></span></div>
            <h2 class="cut">"erp-db-prod-07"</h2>
        }
    };
    view! {
        <Sample title="对话框与抽屉" note="焦点还给来处，危险的要写名字">
            <div class="hold gallery-open" data-side="">
                <ConfirmDialog open=RwSignal::new(true) id="del" title="强制关机 erp-db-prod-07？" asked=asked act="强制关机" danger=true foot="不能撤销" on_confirm=|_| ()>
                    <p>"等于拔电源：未落盘的数据会丢，MySQL 重启要回放，约 3 到 8 分钟。"</p>
                </ConfirmDialog>
                <Drawer label="预览" on_close=|()| () head=drawer_head foot=|| "Esc 关闭">
                    <section><Facts><Fact name="主机"><code>"bj1-hv-03"</code></Fact><Fact name="规格">"16 vCPU · 64 GiB"</Fact></Facts></section>
                    <section><h3>"最近一小时"<span>"CPU 64%"</span></h3><Sparkline samples={(0..40).map(|at| Some(f64::from(at % 9))).collect::<Vec<_>>()} max=10.0 wide=true/></section>
                </Drawer>
            </div>
            <div class="keys"><KeyGroup title="到处" keys=keys.clone()/><KeyGroup title="列表" keys=keys/></div>
            <ToastHost toasts=toasts/>
        </Sample>
    }
}
