//! The console of a VM.

super::words! {
    /// What the console says.
    Console {
        title(&str): |name| format!("{name} 的控制台"), |name| format!("Console of {name}");
        screen(&str): |name| format!("{name} 的屏幕"), |name| format!("Screen of {name}");
        screen_help: "按键都送给客户机；Ctrl+Alt+Enter 回到工具栏", "Keys go to the guest; Ctrl+Alt+Enter returns to the toolbar";
        terminal(&str): |name| format!("{name} 的串口"), |name| format!("Serial line of {name}");
        bar: "控制台工具栏", "Console toolbar";
        opening: "正在取通行证", "Getting a ticket";
        connecting: "正在连接", "Connecting";
        connected: "已连接", "Connected";
        lost: "连接断开", "Connection lost";
        ended: "会话已结束", "The session has ended";
        held: "屏幕有人在用", "The screen is in use";
        held_by(&str): |name| format!("{name} 正在用这块屏幕"), |name| format!("{name} is at this screen");
        held_more: "一块屏幕同时只给一个人。接管后对方会断开，并看到是谁接管的。", "A screen shows to one person at a time. Taking it over cuts them off and tells them by whom.";
        take_over: "接管", "Take over";
        taken_over(&str): |name| format!("{name} 打开了这块屏幕"), |name| format!("{name} opened this screen");
        waiting(i64): |s| format!("{s} 秒后重连"), |s| format!("trying again in {s} s");
        network: "网络断了，或服务器重启了", "The network was cut or the server restarted";
        unreadable: "屏幕送来的数据看不懂，会话已停", "What the screen sent cannot be read; the session was stopped";
        try_now: "现在重连", "Reconnect now";
        open_again: "重新打开", "Open again";
        disconnect: "断开", "Disconnect";
        back: "回到虚拟机", "Back to the VM";
        keys: "组合键", "Key combinations";
        paste: "粘贴为键入", "Paste as typing";
        fit: "适合窗口", "Fit the window";
        full_screen: "全屏", "Full screen";
        view_only: "只看", "View only";
        screenshot: "截图", "Screenshot";
        to_serial: "换到串口", "To the serial line";
        to_screen: "换到屏幕", "To the screen";
        pin: "固定工具栏", "Pin the toolbar";
        paste_text: "要键入的内容", "What to type";
        paste_speed: "按美式键盘键入，每秒 40 键", "Typed as on a US keyboard, 40 keys a second";
        paste_cannot(usize): |n| format!("有 {n} 个字不能键入："), |n| if n == 1 { "1 character cannot be typed: ".to_owned() } else { format!("{n} characters cannot be typed: ") };
        paste_instead: "可跳过它们，或改用串口控制台。", "Skip them, or use the serial console.";
        paste_act: "键入", "Type";
        paste_skip: "跳过它们并键入", "Skip them and type";
        paste_takes(&str): |long| format!("约 {long}"), |long| format!("about {long}");
        reason_title(&str): |name| format!("打开生产环境的 {name}"), |name| format!("Open {name}, which is production");
        reason_more: "生产环境的控制台会记入审计：谁、何时、为什么。", "Consoles of production leave an audit line: who, when, why.";
        reason_hint: "例如：变更单 CHG-20940，改回网关", "For example: change CHG-20940, restore the gateway";
        open: "打开控制台", "Open the console";
    }
}
