//! What stands around every page: navigation, top bar, palette, tasks, help, states that every page can be in.

super::words! {
    /// What the frame says.
    Frame {
        skip: "跳到正文", "Skip to content";
        navigation: "主导航", "Main navigation";
        overview: "总览", "Overview";
        portal: "自助", "Portal";
        vms: "虚拟机", "VMs";
        addresses: "地址", "Addresses";
        clusters: "集群", "Clusters";
        audit: "审计", "Audit";
        account: "账号", "Account";
        delivery: "交付", "Delivery";
        console: "控制台", "Console";
        register: "登记", "Register";
        new_subnet: "新建子网", "New subnet";
        help: "帮助与快捷键", "Help and shortcuts";
        fold: "收起导航", "Fold the navigation";
        unfold: "展开导航", "Unfold the navigation";
        find: "查找或执行…", "Find or do…";
        find_label: "查找或执行", "Find or do";
        find_hint: "名称、IP、MAC、负责人、子网；console 加名称直接打开控制台", "A name, IP, MAC, owner or subnet; “console” and a name opens its console";
        find_nothing(&str): |text| format!("没有与“{text}”有关的东西"), |text| format!("Nothing has to do with “{text}”");
        find_foot: "IP、MAC、主机名、负责人都行", "IP, MAC, host name, owner: all work";
        find_go: "前往", "Go to";
        find_found: "找到的", "Found";
        find_do: "对它做", "Do with it";
        key_choose: "选择", "choose";
        key_open: "打开", "open";
        key_new_tab: "新标签页", "new tab";
        open_console(&str): |name| format!("打开 {name} 的控制台"), |name| format!("Open the console of {name}");
        kind_vm: "虚拟机", "VM";
        kind_cluster: "集群", "Cluster";
        kind_subnet: "子网", "Subnet";
        kind_address: "地址", "Address";
        kind_delivery: "交付", "Delivery";
        kind_page: "页面", "Page";
        live: "实时", "Live";
        connecting: "连接中", "Connecting";
        cut_off: "断开", "Cut off";
        clusters_fresh(u32, u32): |fresh, all| format!("{fresh}/{all} 集群"), |fresh, all| format!("{fresh}/{all} clusters");
        lost(&str, i64): |as_of, s| format!("连接断开，屏上是 {as_of} 的样子，{s} 秒后重连"), |as_of, s| format!("Connection lost. This is as of {as_of}; trying again in {s} s");
        reconnecting(&str): |as_of| format!("连接断开，屏上是 {as_of} 的样子，正在重连"), |as_of| format!("Connection lost. This is as of {as_of}; reconnecting");
        retry_now: "现在", "Now";
        stale: "服务器已更新，重新加载这一页", "The server has been updated: load this page again";
        tasks: "任务中心", "Tasks";
        tasks_running(u32): |n| format!("{n} 个进行中"), |n| format!("{n} running");
        tasks_none: "没有操作在进行", "Nothing is running";
        tasks_none_more: "开关机、交付等操作会出现在这里，结束后保留一阵。", "Power changes and deliveries appear here and stay for a while after they end.";
        tasks_foot: "只有测得的才有百分比", "Percent only where it is measured";
        steps(u32, u32): |done, all| format!("{done}/{all} 步"), |done, all| format!("step {done}/{all}");
        theme: "主题", "Theme";
        theme_auto: "跟随系统", "As the system";
        theme_light: "浅色", "Light";
        theme_dark: "深色", "Dark";
        sessions: "登录会话", "Sessions";
        sign_out: "退出登录", "Sign out";
        keys_everywhere: "处处可用", "Everywhere";
        keys_palette: "查找或执行", "Find or do";
        keys_help: "这张表", "This table";
        keys_close: "关闭浮层", "Close what floats";
        copy_reference(&str): |reference| format!("编号 {reference}"), |reference| format!("Reference {reference}");
    }
}
