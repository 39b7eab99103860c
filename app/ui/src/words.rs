//! The few words that widgets say by themselves, in each language the product speaks.
//!
//! Whatever a page knows, a page says: a widget gets its sentences from its props. What is left (close, undo, "3 s ago")
//! is here, and the compiler sees that no language lacks one.

use leptos::prelude::*;

/// What widgets say by themselves.
#[expect(missing_docs, reason = "each field is named for what it says")]
#[derive(Debug)]
pub struct Words {
    pub close: &'static str,
    pub cancel: &'static str,
    pub undo: &'static str,
    pub remove: &'static str,
    pub more: &'static str,
    pub less: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub loading: &'static str,
    pub notices: &'static str,
    pub path: &'static str,
    pub keys: &'static str,
    pub reason: &'static str,
    pub reason_needed: &'static str,
    pub type_name: fn(&str) -> String,
    pub just_now: &'static str,
    pub seconds_ago: fn(u64) -> String,
    pub minutes_ago: fn(u64) -> String,
    pub hours_ago: fn(u64) -> String,
    pub days_ago: fn(u64) -> String,
    pub as_of: fn(&str) -> String,
    pub table_view: &'static str,
    pub line: &'static str,
    pub added: &'static str,
    pub removed: &'static str,
}

/// Simplified Chinese, the first language.
pub static ZH: Words = Words {
    close: "关闭",
    cancel: "取消",
    undo: "撤销",
    remove: "移除",
    more: "加",
    less: "减",
    copy: "复制",
    copied: "已复制",
    loading: "载入中",
    notices: "通知",
    path: "路径",
    keys: "快捷键",
    reason: "原因",
    reason_needed: "写明原因，它会进入审计",
    type_name: |name| format!("输入 {name} 以确认"),
    just_now: "刚刚",
    seconds_ago: |n| format!("{n} 秒前"),
    minutes_ago: |n| format!("{n} 分钟前"),
    hours_ago: |n| format!("{n} 小时前"),
    days_ago: |n| format!("{n} 天前"),
    as_of: |time| format!("截至 {time}"),
    table_view: "表格视图",
    line: "行",
    added: "增加",
    removed: "删去",
};

/// English.
pub static EN: Words = Words {
    close: "Close",
    cancel: "Cancel",
    undo: "Undo",
    remove: "Remove",
    more: "More",
    less: "Less",
    copy: "Copy",
    copied: "Copied",
    loading: "Loading",
    notices: "Notices",
    path: "Path",
    keys: "Keyboard shortcuts",
    reason: "Reason",
    reason_needed: "Say why; it goes into the audit trail",
    type_name: |name| format!("Type {name} to confirm"),
    just_now: "just now",
    seconds_ago: |n| format!("{n} s ago"),
    minutes_ago: |n| format!("{n} min ago"),
    hours_ago: |n| format!("{n} h ago"),
    days_ago: |n| if n == 1 { "1 day ago".into() } else { format!("{n} days ago") },
    as_of: |time| format!("as of {time}"),
    table_view: "Table view",
    line: "Line",
    added: "added",
    removed: "removed",
};

/// The words of the reader's language; the frame provides `&'static Words` by context, Chinese stands in.
pub fn words() -> &'static Words {
    use_context::<&'static Words>().unwrap_or(&ZH)
}
