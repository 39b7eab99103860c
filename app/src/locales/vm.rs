//! VMs: the list and the page of one.

use super::count;

super::words! {
    /// What the pages of VMs say.
    Vm {
        title: "虚拟机", "VMs";
        create: "创建", "Create";
        views: "视图", "Views";
        view_all: "全部", "All";
        view_prod: "生产", "Production";
        view_unowned: "无主", "No owner";
        view_unmanaged: "未纳管", "Unmanaged";
        search: "搜索虚拟机", "Search VMs";
        search_fields: "可用的条件", "What can follow";
        search_hint: "owner:E10432　env:prod　cpu>4　10.20.30.", "owner:E10432  env:prod  cpu>4  10.20.30.";
        found(&str, u32): |n, ms| format!("{n} 台 · {ms} ms"), |n, ms| format!("{n} VMs · {ms} ms");
        field(&str): |field| field_zh(field).to_owned(), |field| field_en(field).to_owned();
        yes: "是", "yes";
        no: "否", "no";
        density: "行高", "Row height";
        compact: "紧凑", "Compact";
        comfortable: "宽松", "Comfortable";
        state: "状态", "State";
        name: "名称", "Name";
        cluster: "集群", "Cluster";
        service: "服务", "Service";
        owner: "负责人", "Owner";
        address: "地址", "Address";
        host: "主机", "Host";
        cpu: "CPU", "CPU";
        memory: "内存", "Memory";
        disk: "磁盘", "Disk";
        changed: "变化", "Changed";
        cores(u32): |n| format!("{n} 核"), |n| if n == 1 { "1 core".to_owned() } else { format!("{n} cores") };
        not_running: "未运行", "not running";
        no_owner: "无主", "no owner";
        choose(&str): |name| format!("选择 {name}"), |name| format!("Select {name}");
        choose_all(u32): |n| format!("选择已载入的前 {n} 台"), |n| format!("Select the first {n} loaded");
        choose_none: "取消选择", "Clear the selection";
        total(&str): |n| format!("共 {n} 台"), |n| format!("{n} VMs");
        total_of(&str, &str): |n, all| format!("共 {n} 台，全部 {all} 台"), |n, all| format!("{n} of {all} VMs");
        shown(&str, &str): |first, last| format!("显示 {first}–{last}"), |first, last| format!("{first}–{last} shown");
        displaced(&str): |n| format!("指针在表内时不重排 · {n} 行次序已变"), |n| format!("No reordering under the pointer · {n} rows would move");
        reorder: "应用", "Apply";
        key_reorder: "按新次序排列", "Take the new order";
        as_of(&str, &str): |cluster, at| format!("{cluster}：截至 {at}"), |cluster, at| format!("{cluster}: as of {at}");
        never_seen(&str): |cluster| format!("{cluster}：还没有数据"), |cluster| format!("{cluster}: nothing seen yet");
        asking: "正在搜索…", "Searching…";
        empty: "还没有集群，也就没有虚拟机", "No clusters yet, so no VMs";
        empty_more: "登记一个集群，它的虚拟机几秒后就会出现在这里。", "Register a cluster and its VMs appear here within seconds.";
        no_vms: "集群里还没有虚拟机", "The clusters have no VMs yet";
        no_vms_more: "从自助页交付第一台，或等集群的第一份清单读完。", "Deliver the first from the portal, or wait until the first list has been read.";
        nothing: "没有符合条件的虚拟机", "No VM matches";
        nothing_more(&str): |n| format!("去掉一个条件试试；全部共有 {n} 台。"), |n| format!("Drop a word; there are {n} in all.");
        drop_word(&str): |word| format!("去掉 {word}"), |word| format!("Drop {word}");
        show_all: "看全部", "Show all";
        register: "登记集群", "Register a cluster";
        bulk: "批量操作", "Bulk actions";
        chosen(usize): |n| format!("已选 {n} 台"), |n| format!("{n} selected");
        act_some(&str, usize): |act, n| format!("{act} {n} 台"), |act, n| format!("{act} {n}");
        more_actions: "更多电源操作", "More power actions";
        bulk_title(&str, usize): |act, n| format!("{act} {n} 台虚拟机？"), |act, n| format!("{act}: {}?", count(n as u64, "VM"));
        bulk_one_by_one: "逐台执行，一台失败不影响其它台；每台各有一条审计。", "One after another; one that fails stops nothing. Each leaves an audit line.";
        left_out(usize): |n| format!("{n} 台不参加"), |n| format!("{n} left out");
        acting(usize, usize): |done, all| format!("{done}/{all} 台已下达"), |done, all| format!("{done} of {all} sent");
        bulk_done(&str, usize): |act, n| format!("{act}：{n} 台已下达"), |act, n| format!("{act}: sent to {}", count(n as u64, "VM"));
        bulk_failed(&str, usize): |act, n| format!("{act}：{n} 台没有成功"), |act, n| format!("{act}: {} failed", count(n as u64, "VM"));
        power_sent(&str, &str): |act, name| format!("{act} {name}：已下达"), |act, name| format!("{act} {name}: sent");
        power_title(&str, &str): |act, name| format!("{act} {name}？"), |act, name| format!("{act} {name}?");
        stop_means: "平台请客户机自己关机，等它关完。正在用它的人会断开。", "The guest is asked to shut down and waited for. Whoever uses it is cut off.";
        force_means: "立即切断，不等客户机：没写完的数据会丢。", "Cut off at once, without waiting for the guest: what it has not written is lost.";
        restart_means: "先关机再启动，实例会换一个；正在用它的人会断开。", "Shut down, then started, as a new instance. Whoever uses it is cut off.";
        other_means: "可以随时反过来做。", "It can be reversed at any time.";
        undo_start: "可以再启动", "It can be started again";
        undo_none: "丢失的数据找不回来", "Lost data cannot be brought back";
        audited: "原因会进入审计", "The reason goes into the audit trail";
        preview: "预览", "Preview";
        open_page: "打开页面", "Open the page";
        close_preview: "关闭预览", "Close the preview";
        console: "控制台", "Console";
        serial: "串口控制台", "Serial console";
        key_up_down: "上下一台", "next, previous";
        key_open: "打开", "open";
        key_close: "关闭", "close";
        keys: "虚拟机列表", "VM list";
        keys_page: "这台虚拟机", "This VM";
        key_search: "搜索", "Search";
        key_rows: "下一台、上一台", "Next, previous row";
        key_choose: "选择", "Select";
        key_console: "控制台", "Console";
        truths: "地址：台账、注入、实测", "Address: ledger, injected, observed";
        no_truths: "没有已知的地址", "No address is known";
        ledger: "台账", "Ledger";
        injected: "注入", "Injected";
        observed: "实测", "Observed";
        ownership: "归属", "Ownership";
        environment: "环境", "Environment";
        managed: "由平台管理", "Managed";
        place: "位置", "Place";
        namespace: "命名空间", "Namespace";
        migratable: "可热迁移", "Live migration";
        can: "可以", "possible";
        cannot: "不可以", "not possible";
        moving_to: "迁往", "Moving to";
        size: "规格", "Size";
        size_text(u32, &str, &str): |cpu, mem, disk| format!("{cpu} vCPU · {mem} · {disk}"), |cpu, mem, disk| format!("{cpu} vCPU · {mem} · {disk}");
        created(&str): |at| format!("创建于 {at}"), |at| format!("made {at}");
        running_for(&str): |long| format!("已运行 {long}"), |long| format!("up {long}");
        in_namespace: "命名空间", "namespace";
        copy_name: "复制名称", "Copy the name";
        tabs: "这台虚拟机的各部分", "Parts of this VM";
        tab_overview: "概览", "Overview";
        tab_events: "事件", "Events";
        tab_yaml: "YAML", "YAML";
        restart_required: "有改动等待重启生效", "A change waits for a restart";
        not_migratable: "现在不能热迁移", "It cannot be migrated live";
        problem: "集群报告的问题", "The cluster reports a problem";
        disks: "磁盘", "Disks";
        disks_note(usize, &str): |n, all| format!("{n} 块，{all}"), |n, all| format!("{}, {all}", count(n as u64, "disk"));
        source: "来源", "Source";
        class: "存储类", "Class";
        bus: "总线", "Bus";
        capacity: "容量", "Size";
        replicas: "健康", "Health";
        nics: "网卡", "Interfaces";
        nics_note(usize): |n| format!("{n} 块"), |n| count(n as u64, "interface");
        network: "网络", "Network";
        model: "型号", "Model";
        link: "链路", "Link";
        link_up: "已连接", "up";
        link_down: "断开", "down";
        vlan(u16): |id| format!("VLAN {id}"), |id| format!("VLAN {id}");
        conditions: "条件", "Conditions";
        condition: "条件", "Condition";
        reason: "原因", "Reason";
        since: "自", "Since";
        system: "系统", "System";
        os: "系统", "System";
        kernel: "内核", "Kernel";
        hostname: "主机名", "Host name";
        agent: "来宾代理", "Guest agent";
        agent_on: "在线", "answers";
        agent_off: "没有应答", "does not answer";
        machine: "机型", "Machine";
        topology: "CPU 拓扑", "CPU topology";
        strategy: "运行策略", "Run strategy";
        uid: "UID", "UID";
        recent: "最近操作", "Recent operations";
        recent_none: "平台还没有对它做过什么", "The platform has done nothing to it yet";
        audit: "审计", "Audit";
        no_disks: "没有磁盘", "No disks";
        no_nics: "没有网卡", "No interfaces";
        events: "事件", "Events";
        no_events: "没有事件", "No events";
        no_events_more: "集群通常只保留一小时的事件。", "Clusters usually keep events for an hour.";
        times(u32): |n| format!("{n} 次"), |n| format!("{n} ×");
        yaml_label(&str): |name| format!("{name} 的 YAML"), |name| format!("YAML of {name}");
        yaml_note: "只读；密码、密钥一类的字段已遮去", "Read only; passwords and keys are masked";
        copy_yaml: "复制 YAML", "Copy the YAML";
        gone(&str): |name| format!("{name} 已经不在了"), |name| format!("{name} is gone");
        gone_more: "集群已经删除了它。平台留着它的审计。", "The cluster has deleted it. The platform keeps its audit trail.";
        gone_refusal: "集群已经删除了它", "the cluster has deleted it";
        gone_list: "回到列表", "Back to the list";
        gone_audit: "看它的审计", "Its audit trail";
        read_again: "重新读取", "Read again";
    }
}

fn field_zh(field: &str) -> &'static str {
    match field.trim_end_matches([':', '>']) {
        "cluster" => "集群",
        "ns" => "命名空间",
        "status" => "状态",
        "node" => "主机",
        "owner" => "负责人；留空即无主",
        "service" => "服务",
        "env" => "环境",
        "ip" => "地址的开头",
        "mac" => "MAC",
        "os" => "系统",
        "agent" => "来宾代理",
        "cpu" => "vCPU 数",
        "mem" => "内存，GiB",
        "disk" => "磁盘，GiB",
        _ => "",
    }
}

fn field_en(field: &str) -> &'static str {
    match field.trim_end_matches([':', '>']) {
        "cluster" => "cluster",
        "ns" => "namespace",
        "status" => "state",
        "node" => "host",
        "owner" => "owner; nothing for none",
        "service" => "service",
        "env" => "environment",
        "ip" => "how the address begins",
        "mac" => "MAC",
        "os" => "operating system",
        "agent" => "guest agent",
        "cpu" => "vCPUs",
        "mem" => "memory in GiB",
        "disk" => "disks in GiB",
        _ => "",
    }
}
