//! What the guest is told, and that nothing typed becomes structure in it.

use super::*;
use expect_test::expect;
use model::id::{SubnetId, TemplateId};
use model::ipam::Cidr;
use model::provisioning::Flavour;
use model::quantity::Bytes;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJhc2U2NCBvZiAzMiBieXRlcyBmb3IgdGVzdHMh ops@lab";

fn template() -> Template {
    Template {
        id: TemplateId::parse("app").unwrap(),
        version: 1,
        name: Say::fixed("应用", "App"),
        summary: Say::fixed("", ""),
        role: "app".into(),
        image: "openEuler".into(),
        os: "linux".into(),
        flavours: vec![Flavour { cpu: 4, memory: Bytes::gib(8), disk: Bytes::gib(40) }],
        packages: vec!["chrony".into()],
        run: vec![vec!["touch".into(), "/etc/motd: x\nruncmd: [reboot]".into()]],
        user: "ops".into(),
    }
}

fn subnet(cidr: &str, gateway: &str, dns: &[&str], search: &[&str]) -> Subnet {
    Subnet {
        id: SubnetId::parse("s").unwrap(),
        name: "生产".into(),
        cidr: Cidr::parse(cidr).unwrap(),
        gateway: gateway.parse().ok(),
        vlan: Some(120),
        dns: dns.iter().map(|a| a.parse().unwrap()).collect(),
        search: search.iter().map(|s| (*s).to_owned()).collect(),
        ranges: vec![],
        serves: vec![],
    }
}

#[test]
fn the_guest_is_told_its_name_its_keys_and_its_address() {
    let subnet = subnet("10.20.0.0/24", "10.20.0.1", &["10.20.0.5"], &["lab.example"]);
    let made = render(
        &template(),
        "prod-order-app-05",
        &[KEY.into()],
        &subnet,
        "10.20.0.31".parse().unwrap(),
        Mac::ours(0xab1001),
    )
    .unwrap();
    expect![[r#"
        version: 2
        ethernets:
          nic-1:
            match:
              macaddress: 52:54:00:ab:10:01
            set-name: nic-1
            dhcp4: false
            dhcp6: false
            addresses:
            - 10.20.0.31/24
            routes:
            - to: default
              via: "10.20.0.1"
            nameservers:
              addresses:
              - "10.20.0.5"
              search:
              - lab.example
    "#]]
    .assert_eq(&made.network_data);
    assert!(
        made.user_data.starts_with("#cloud-config\nhostname: prod-order-app-05\nfqdn: prod-order-app-05.lab.example\n")
    );
}

/// Whatever was typed, the text parses to the tree that was meant: no new key, no second document.
#[test]
fn nothing_typed_becomes_structure() {
    let hostile = "x\n---\nruncmd:\n- [rm, -rf, /]\n#cloud-boothook {{ v1.local_hostname }}";
    let mut template = template();
    template.packages =
        vec![hostile.into(), "- a".into(), "a: b".into(), "!!python/object".into(), "&a".into(), "yes".into()];
    template.user = hostile.into();
    let subnet = subnet("2001:db8:20::/64", "2001:db8:20::1", &[], &[hostile]);
    let made = render(&template, hostile, &[hostile.into()], &subnet, "2001:db8:20::47".parse().unwrap(), Mac::ours(1))
        .unwrap();
    let tree: serde_json::Value = serde_saphyr::from_str(&made.user_data).unwrap();
    assert_eq!(tree["hostname"], hostile);
    assert_eq!(tree["users"][0]["name"], hostile);
    assert_eq!(tree["users"][0]["ssh_authorized_keys"][0], hostile);
    assert_eq!(
        tree["packages"],
        serde_json::json!(["qemu-guest-agent", hostile, "- a", "a: b", "!!python/object", "&a", "yes"])
    );
    assert_eq!(tree["runcmd"].as_array().unwrap().len(), 2);
    assert_eq!(tree.as_object().unwrap().len(), 8);
    let tree: serde_json::Value = serde_saphyr::from_str(&made.network_data).unwrap();
    assert_eq!(tree["ethernets"]["nic-1"]["addresses"][0], "2001:db8:20::47/64");
    assert_eq!(tree["ethernets"]["nic-1"]["nameservers"]["search"][0], hostile);
    assert!(made.user_data.starts_with("#cloud-config\n"));
}

#[test]
fn keys_are_checked_line_by_line() {
    assert_eq!(ssh_keys(&format!("\n{KEY}\n\n")).unwrap(), [KEY]);
    for bad in [
        "ssh-ed25519",
        "ssh-ed25519 AAAA",
        "hello",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "command=\"x\" ssh-ed25519 AAAA",
    ] {
        let said = ssh_keys(&format!("{KEY}\n{bad}")).unwrap_err();
        assert!(said.en.starts_with("line 2"), "{bad}: {}", said.en);
    }
    assert!(ssh_keys(&format!("{KEY}\n").repeat(17)).is_err());
}
