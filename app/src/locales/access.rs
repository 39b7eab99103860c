//! Signing in and one's own sessions.

super::words! {
    /// What the access pages say.
    Access {
        sign_in: "登录", "Sign in";
        lead: "没有账号，请找平台管理员。", "No account? Ask an administrator of the platform.";
        login: "登录名", "Sign-in name";
        password: "口令", "Password";
        notice: "这里的每次改动与控制台会话都会记录。仅供授权人员使用。", "Every change and console session here is recorded. Authorised use only.";
        wrong: "登录名或口令不对。连错 5 次锁定 15 分钟。", "Wrong name or password. Five wrong ones in a row lock the account for 15 minutes.";
        locked: "错的次数太多，账号已锁定 15 分钟；请找管理员，或稍后再来。", "Too many wrong tries: the account is locked for 15 minutes. Ask an administrator, or come back later.";
        broken: "现在无法登录，平台内部出错。稍后再试。", "Signing in does not work now, something broke inside the platform. Try again later.";
        account: "账号", "Account";
        account_lead(&str): |role| format!("{role}。下面是以你的名义开着的会话。"), |role| format!("{role}. These sessions are open in your name.");
        began: "开始", "Began";
        used: "最近使用", "Last used";
        from: "来自", "From";
        this_one: "本次", "This one";
        acts: "操作", "Actions";
        end: "结束", "End";
        ended_one: "会话已结束", "Session ended";
        no_sessions: "没有会话", "No sessions";
    }
}
