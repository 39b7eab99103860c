//! Addresses: subnets, the map of one, its form.

super::words! {
    /// What the address pages say.
    Ipam {
        title: "地址", "Addresses";
        lead: "台账里的子网。一个地址只会给一次，这由数据库保证。", "Subnets of the ledger. An address is given once; the database sees to that.";
        new: "新建子网", "New subnet";
        edit: "修改子网", "Edit subnet";
        remove: "移除", "Remove";
        empty: "还没有子网", "No subnets yet";
        empty_more: "子网说明哪个集群的哪个网络用哪段地址；有了它，交付时地址才能自动填好。", "A subnet says which addresses a network of a cluster uses; with it, deliveries get their address by themselves.";
        name: "名称", "Name";
        cidr: "网段", "Network";
        cidr_hint: "例如 10.20.30.0/24 或 2001:db8:20::/64", "For example 10.20.30.0/24 or 2001:db8:20::/64";
        gateway: "网关", "Gateway";
        vlan: "VLAN", "VLAN";
        vlan_hint: "没有就留空", "Empty for none";
        dns: "DNS 服务器", "Name servers";
        search: "搜索域", "Search domains";
        list_hint: "用空格或逗号分开", "Separated by spaces or commas";
        ranges: "范围", "Ranges";
        ranges_hint: "每行一段：static 10.20.30.10-10.20.30.99 备注；类型为 static、reserved、forbidden、dhcp。不写则全部可分配", "One a line: static 10.20.30.10-10.20.30.99 note; kinds are static, reserved, forbidden, dhcp. None: all may be handed out";
        ranges_bad(&str): |line| format!("读不懂“{line}”，写成 static 10.20.30.10-10.20.30.99"), |line| format!("“{line}” cannot be read; write static 10.20.30.10-10.20.30.99");
        serves: "服务的网络", "Serves";
        serves_hint: "哪些集群的哪些虚拟机网络用这段地址", "Which VM networks of which clusters use these addresses";
        serves_none: "没有集群报告虚拟机网络", "No cluster reports a VM network";
        used: "已用", "Used";
        of(&str, &str): |held, room| format!("{held} / {room}"), |held, room| format!("{held} of {room}");
        quarantined: "隔离中", "Quarantined";
        save: "保存", "Save";
        cancel: "取消", "Cancel";
        created: "子网已建好", "The subnet was made";
        saved: "子网已保存", "The subnet was saved";
        removed: "子网已移除", "The subnet was removed";
        remove_title(&str): |name| format!("移除子网 {name}？"), |name| format!("Remove the subnet {name}?");
        remove_more: "只有一个地址都没有分配的子网才能移除。集群里什么都不会变。", "Only a subnet of which no address is held can be removed. Nothing changes in any cluster.";
        map: "地址图", "Address map";
        block(u32, u32): |n, all| format!("第 {n} 块，共 {all} 块"), |n, all| format!("Block {n} of {all}");
        previous: "上一块", "Previous block";
        next: "下一块", "Next block";
        choose: "指向一个方格看它的三方真相", "Point at a square to see its three truths";
        holder: "台账", "Ledger";
        mac: "MAC", "MAC";
        seen: "实测", "Observed";
        nobody: "没有人", "Nobody";
        nowhere: "没有看到", "Not seen";
        until: "到", "Until";
        reserve: "保留…", "Reserve…";
        reserve_title(&str): |address| format!("保留 {address}"), |address| format!("Reserve {address}");
        reserve_more: "保留后不会再自动分配，直到有人释放它。原因就是台账上的名字。", "A reserved address is not handed out until somebody releases it. The reason becomes its name in the ledger.";
        do_reserve: "保留", "Reserve";
        release: "释放…", "Release…";
        release_title(&str): |address| format!("释放 {address}"), |address| format!("Release {address}");
        release_more: "释放后进入 24 小时隔离期，之后才会再分配。", "A released address rests in quarantine for 24 hours before it is handed out again.";
        do_release: "释放", "Release";
        not_free: "只有空闲的地址可以保留", "Only a free address can be reserved";
        not_held: "没有人占用它", "Nobody holds it";
        done_reserved(&str): |address| format!("{address} 已保留"), |address| format!("{address} is reserved");
        done_released(&str): |address| format!("{address} 已释放，进入隔离期"), |address| format!("{address} was released into quarantine");
        facts: "子网", "Subnet";
        none: "没有", "None";
    }
}
