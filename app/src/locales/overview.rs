//! The overview.

use super::{count, grouped};

super::words! {
    /// What the overview says.
    Overview {
        title: "总览", "Overview";
        lead(u32, u32): |all, away| if away == 0 { format!("{all} 个集群，都连得上。数字旁的时间是它的年龄，不是页面的。") } else { format!("{all} 个集群，{away} 个失联。数字旁的时间是它的年龄，不是页面的。") },
            |all, away| if away == 0 { format!("{}, all within reach. Times beside numbers are their age, not the page's.", count(all, "cluster")) } else { format!("{}, {away} out of reach. Times beside numbers are their age, not the page's.", count(all, "cluster")) };
        vms: "虚拟机", "VMs";
        vms_unit: "台", "VMs";
        running_stopped(u32, u32): |on, off| format!("运行 {} · 停止 {}", grouped(on), grouped(off)), |on, off| format!("{} running · {} stopped", grouped(on), grouped(off));
        cpu: "CPU 请求", "CPU requested";
        memory: "内存请求", "Memory requested";
        storage: "存储声明", "Storage claimed";
        limits(&str): |text| format!("上限 {text}"), |text| format!("limits {text}");
        limits_of_cores(&str, &str): |limits, all| format!("上限 {limits} · 共 {all} 核"), |limits, all| format!("limits {limits} of {all} cores");
        limits_of(&str, &str): |limits, all| format!("上限 {limits} · 共 {all}"), |limits, all| format!("limits {limits} of {all}");
        of_bytes(&str, &str): |used, all| format!("{used} / {all}"), |used, all| format!("{used} of {all}");
        clusters: "集群", "Clusters";
        reachable: "连得上", "in reach";
        nodes_title: "主机", "Nodes";
        ready: "就绪", "ready";
        by_need: "按需要关注的程度", "by how much they need someone";
        nodes(u32): |n| format!("{n} 主机"), |n| count(n, "node");
        legend_requests: "请求", "Requests";
        legend_limits: "上限", "Limits";
        legend_room: "余量", "Room";
        needs: "需要处理", "Needs someone";
        needs_none: "没有要处理的事", "Nothing needs anyone";
        needs_none_more: "失败、失联、冲突会出现在这里。", "Failures, clusters out of reach and conflicts appear here.";
        look: "查看", "Look";
        running: "正在进行", "Running now";
        running_none: "没有操作在进行", "Nothing is running";
        tasks: "任务中心", "Tasks";
        first_title: "还没有集群", "No clusters yet";
        first_more: "登记第一个集群：贴上它的 kubeconfig，平台只按你给的权限读写。", "Register the first: paste its kubeconfig; the platform reads and writes only what that allows.";
        first_do: "登记集群", "Register a cluster";
        observe: "只观察", "observe only";
    }
}
