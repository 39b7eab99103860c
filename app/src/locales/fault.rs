//! What a page says when it has nothing to show: by code, since a sentence that came through a URL is not trusted.

super::words! {
    /// What faults are called.
    FaultWords {
        unauthenticated: "你已退出", "You are signed out";
        unauthenticated_more: "会话结束了。重新登录会回到这一页。", "The session ended. Signing in again leads back to this page.";
        forbidden: "你的角色看不到这里", "Your role does not see this";
        not_found: "没有这个对象", "There is no such thing";
        not_found_more: "它可能已被删除、改名，或你看不到它。", "It may have been deleted or renamed, or you may not see it.";
        no_page: "没有这一页", "There is no such page";
        no_page_more: "地址可能打错了，或者这一页搬走了。", "The address may be mistyped, or the page moved.";
        conflict: "刚被别人改过", "Somebody else changed it just now";
        refused: "现在不行", "Not now";
        invalid: "填写有误", "The input is wrong";
        too_many: "太频繁了", "Too many tries";
        away: "集群连接不上", "The cluster cannot be reached";
        offline: "与服务器断开了", "No connection to the server";
        offline_more: "网络恢复后自动补齐；没有发出的改动没有执行。", "What is missing is filled in when the network is back; what was not sent was not done.";
        internal: "这一页没能取到", "This page could not be fetched";
        internal_more: "平台内部出错。已有操作照常进行。", "Something broke inside the platform. Running operations go on.";
        retry: "重试", "Retry";
        sign_in: "重新登录", "Sign in again";
        home: "回到总览", "To the overview";
        detail: "集群的原话", "The cluster's own words";
    }
}
