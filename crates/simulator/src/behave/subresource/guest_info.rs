//! What the guest agent tells on demand: system, users, file systems.
//!
//! Source: K `pkg/virt-api/rest/subresource.go`, `staging/src/kubevirt.io/api/core/v1/types.go`; `harvester-api.md` §2.1.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::guest;
use crate::behave::object;
use crate::behave::quantity::bytes_of;
use serde_json::{Value, json};

const COMMANDS: &[&str] = &[
    "guest-ping",
    "guest-get-osinfo",
    "guest-get-users",
    "guest-network-get-interfaces",
    "guest-get-fsinfo",
    "guest-fsfreeze-freeze",
    "guest-fsfreeze-thaw",
    "guest-exec",
];

fn connected<'a>(ask: &Ask<'a>) -> Result<&'a Value, Refusal> {
    let vmi = ask.vmi()?;
    if ask.phase() != "Running" {
        return Err(Refusal::conflict("virtualmachineinstance", ask.name, "VMI is not running"));
    }
    if object::condition(vmi, "AgentConnected").is_some() {
        return Ok(vmi);
    }
    Err(Refusal::conflict("virtualmachineinstance", ask.name, "VMI does not have guest agent connected"))
}

pub(super) fn os(ask: &Ask<'_>) -> Outcome {
    let vmi = connected(ask)?;
    let commands: Vec<Value> = COMMANDS.iter().map(|name| json!({"name": name, "enabled": true})).collect();
    let mut info = json!({
        "guestAgentVersion": "8.2.2",
        "supportedCommands": commands,
        "hostname": guest::hostname(vmi, ask.view),
        "os": vmi["status"]["guestOSInfo"],
        "timezone": "CST, 28800",
        "userList": user_list(vmi, ask),
        "fsInfo": {"disks": disks(vmi)},
    });
    if let Some(state) = vmi.pointer("/status/fsFreezeStatus") {
        info["fsFreezeStatus"] = state.clone();
    }
    Answer::shows(info)
}

pub(super) fn users(ask: &Ask<'_>) -> Outcome {
    let vmi = connected(ask)?;
    Answer::shows(json!({"metadata": {}, "items": user_list(vmi, ask)}))
}

pub(super) fn filesystems(ask: &Ask<'_>) -> Outcome {
    let vmi = connected(ask)?;
    Answer::shows(json!({"metadata": {}, "items": disks(vmi)}))
}

fn user_list(vmi: &Value, ask: &Ask<'_>) -> Vec<Value> {
    let system = guest::System::of(vmi, ask.view);
    let since = ask.now.unix_ms as f64 / 1000.0 - 5400.0;
    let (user, domain) = if system.is_windows { ("Administrator", "WORKGROUP") } else { ("root", "") };
    let mut made = json!({"userName": user, "loginTime": since});
    if !domain.is_empty() {
        made["domain"] = json!(domain);
    }
    vec![made]
}

fn disks(vmi: &Value) -> Vec<Value> {
    let windows = object::text(vmi, "/status/guestOSInfo/id") == "mswindows";
    let volumes = object::items(vmi, "/status/volumeStatus");
    let claims = volumes.iter().filter(|volume| volume.get("persistentVolumeClaimInfo").is_some());
    claims
        .enumerate()
        .map(|(at, volume)| {
            let total = volume.pointer("/persistentVolumeClaimInfo/capacity/storage").and_then(bytes_of).unwrap_or(0);
            let target = object::text(volume, "/target");
            let mount = match (windows, at) {
                (true, _) => format!("{}:\\", char::from(b'C' + u8::try_from(at.min(20)).unwrap_or(0))),
                (false, 0) => "/".to_owned(),
                (false, _) => format!("/data{at}"),
            };
            let seed = object::uid(vmi).bytes().map(u64::from).sum::<u64>() + at as u64;
            json!({
                "diskName": format!("{target}1"), "mountPoint": mount,
                "fileSystemType": if windows { "NTFS" } else { "xfs" },
                "totalBytes": total / 100 * 97, "usedBytes": total / 100 * (12 + seed % 70),
                "disk": [{"busType": "virtio"}],
            })
        })
        .collect()
}
