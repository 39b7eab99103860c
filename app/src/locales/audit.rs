//! The audit trail.

use super::{count, grouped};

super::words! {
    /// What the audit page says.
    Audit {
        title: "审计", "Audit";
        lead: "先记后做。每条含上一条的指纹，改一个字节，链就断在那里。", "Written before it is done. Each record holds the fingerprint of the one before: change a byte and the chain breaks there.";
        verify: "现在校验", "Verify now";
        verifying: "正在校验", "Verifying";
        chain_whole: "链完整", "Chain intact";
        chain_broken: "链断裂", "Chain broken";
        chain_unknown: "还没有校验", "Not verified yet";
        chain_unknown_more: "校验从第一条算到最后一条", "Verifying recomputes every record from the first";
        records: "记录", "Records";
        records_unit: "条", "records";
        head: "末条指纹", "Head fingerprint";
        verified(&str): |when| format!("{when} 校验，无断点"), |when| format!("verified {when}, no break");
        broken_at(i64, &str): |seq, why| format!("第 {seq} 条：{why}"), |seq, why| format!("record {seq}: {why}");
        search: "查找", "Search";
        search_hint: "谁、动作、对象、原因，例如 lin 或 vm.power", "Who, act, object, reason, for example lin or vm.power";
        outcome: "结果", "Outcome";
        any: "全部", "All";
        chain: "链", "Chain";
        time: "时间", "Time";
        who: "谁", "Who";
        act: "做了什么", "Act";
        object: "对象", "Object";
        before_after: "前与后", "Before and after";
        from: "来自", "From";
        hash: "指纹", "Fingerprint";
        reason: "原因", "Reason";
        no_reason: "没有写", "none given";
        detail: "说明", "Detail";
        verb: "权限", "Permission";
        request: "请求", "Request";
        opened: "开始", "Opened";
        closed: "结束", "Closed";
        none_recorded: "这件事没有前后可比", "There is nothing to compare in this act";
        all_of_it: "它的全部记录", "All records of it";
        more: "更早的", "Older ones";
        end: "到头了", "That is all";
        shown(u32): |n| format!("{} 条", grouped(n)), |n| count(n, "record");
        empty: "没有符合的记录", "No records match";
        empty_more: "去掉条件，或换一个词。", "Drop a condition, or try another word.";
        clear: "全部清除", "Clear all";
        open_line(&str): |object| format!("展开 {object}"), |object| format!("Open {object}");
    }
}
