//! What stands in a page's place, and sentences above it.

use app_ui::*;
use leptos::prelude::*;

use crate::Sample;

/// Empty, not found, failed, offline, forbidden, gone; notes.
#[component]
pub(crate) fn Blanks() -> impl IntoView {
    view! {
        <Sample title="异常" note="每页都有这六态">
            <div class="plates">
                <div class="plate"><header>"空"</header><EmptyState glyph=Glyph::Vm title="还没有虚拟机" meaning="从模板取一台，约 8 分钟可用；或认领集群里已有的 218 台。"><Button word="要一台" kind=Kind::Primary/><Button word="去认领"/></EmptyState></div>
                <div class="plate"><header>"查无"</header><Blank glyph=Glyph::Search title="没有符合条件的虚拟机" meaning="去掉 status:paused 会有 38 台；去掉 env:prod 有 2 台。"><Button word="去掉 status:paused"/><Button word="全部清除" kind=Kind::Quiet/></Blank></div>
                <div class="plate"><header>"出错"</header><Blank glyph=Glyph::Error tone=Tone::Error title="这一页没能取到" meaning="数据库在 3 秒内没有应答。集群不受影响，正在进行的操作会继续。" reference="编号 7F3A0418 · 14:09:02"><Button word="重试" glyph=Glyph::Refresh/><Button word="复制编号" kind=Kind::Quiet/></Blank></div>
                <div class="plate"><header>"离线"</header><Blank glyph=Glyph::Offline tone=Tone::Warning title="与服务器断开了" meaning="屏上是 14:08:51 的内容。恢复后自动续上，没有丢失的改动在重发。" reference="第 3 次重连，8 秒后"><Button word="现在重连"/></Blank></div>
                <div class="plate"><header>"不许"</header><Blank glyph=Glyph::Lock title="你的角色看不到密钥" meaning="需要「主机操作者」。可向平台管理员申请，通常 2 小时内答复。"><Button word="申请角色"/></Blank></div>
                <div class="plate"><header>"不在了"</header><Gone page=false title="erp-db-prod-02 已不在" meaning="11 月 30 日由陈思远删除。备份保留到 2027-02-28。"><Button word="恢复"/><Button word="看它的历史" kind=Kind::Quiet/></Gone></div>
            </div>
            <div class="hold"><ReconnectBar shown=true text="连接断开，屏上是 14:08:51 的内容，4 秒后重连" retry="现在重连" on_retry=|()| ()/></div>
        </Sample>
        <Sample title="说话" note="句子，不是代码">
            <Note tone=Tone::Warning glyph=Glyph::Edit title="编辑期间，周子墨 E11206 在 14:07 把内存改成了 64 GiB" more="你填的都还在。先看差异，再决定覆盖或放弃。"><Button word="看差异"/></Note>
            <Note tone=Tone::Error glyph=Glyph::Error title="没能迁移：bj2-hv-04 的 CPU 型号不兼容" more="缺 avx512_vnni。选同型号主机，或把机型改为通用。编号 4C1D00E2"><Button word="选别的主机"/></Note>
            <Note tone=Tone::Moving glyph=Glyph::Moving title="另有 2 个操作排在前面，约 40 秒后开始"/>
            <Note title="此集群只观察，平台不会写它。"/>
        </Sample>
    }
}
