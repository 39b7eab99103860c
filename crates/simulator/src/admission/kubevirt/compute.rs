//! Processors, memory, firmware and what needs a feature that Harvester leaves off.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go`, `pkg/liveupdate/memory`.

use super::super::cause::Causes;
use crate::behave::object;
use crate::behave::quantity::amount_of;
use serde_json::Value;

/// Machine types that the cluster's configuration allows.
const MACHINES: &[&str] = &["q35", "pc-q35*", "pc", "pc-i440fx*"];
const POLICIES: &[&str] = &["", "force", "require", "optional", "disable", "forbid"];
/// Memory that is plugged in comes in blocks of so many bytes.
const BLOCK: f64 = 2_097_152.0;

/// A quantity of the domain as a number and as it was written.
fn amount<'a>(spec: &'a Value, pointer: &str) -> (f64, &'a Value) {
    let held = object::at(spec, &format!("/domain{pointer}")).unwrap_or(&Value::Null);
    (amount_of(held).unwrap_or(0.0), held)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "0".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn count(spec: &Value, field: &str) -> i64 {
    object::number(spec, &format!("/domain/cpu/{field}")).unwrap_or(0)
}

pub(super) fn memory(spec: &Value, at: &str, causes: &mut Causes) {
    let at_request = format!("{at}.domain.resources.requests.memory");
    let at_limit = format!("{at}.domain.resources.limits.memory");
    let (request, request_text) = amount(spec, "/resources/requests/memory");
    let (limit, limit_text) = amount(spec, "/resources/limits/memory");
    if request < 0.0 {
        let message = format!("{at_request} '{}': must be greater than or equal to 0.", shown(request_text));
        causes.invalid(&at_request, message);
    } else if request > 0.0 && request < 1e6 {
        let message = format!("{at_request} '{}': must be greater than or equal to 1M.", shown(request_text));
        causes.invalid(&at_request, message);
    }
    if limit < 0.0 {
        causes.invalid(&at_limit, format!("{at_limit} '{}': must be greater than or equal to 0.", shown(limit_text)));
    }
    if limit > 0.0 && request > limit {
        let message =
            format!("{at_request} '{}' is greater than {at_limit} '{}'", shown(request_text), shown(limit_text));
        causes.invalid(&at_request, message);
    }
    huge_pages(spec, at, causes);
}

fn huge_pages(spec: &Value, at: &str, causes: &mut Causes) {
    let Some(pages) = object::at(spec, "/domain/memory/hugepages").filter(|pages| pages.is_object()) else { return };
    let (at_size, size_text) = (format!("{at}.domain.hugepages.size"), object::text(pages, "/pageSize"));
    let Some(size) = amount_of(&Value::String(size_text.to_owned())).filter(|size| *size > 0.0) else {
        let message = format!(
            "{at_size} '{size_text}': quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        );
        return causes.invalid(at_size, message);
    };
    let at_request = format!("{at}.domain.resources.requests.memory");
    let (request, request_text) = amount(spec, "/resources/requests/memory");
    let guest = amount(spec, "/memory/guest").0;
    let memory = [request, guest, amount(spec, "/resources/limits/memory").0].into_iter().find(|held| *held != 0.0);
    let memory = memory.unwrap_or(0.0);
    if memory != 0.0 && memory < size {
        let message = format!(
            "{at_request} '{}' must be equal to or larger than page size {at_size} '{size_text}'",
            shown(request_text)
        );
        causes.invalid(at_request, message);
    } else if memory % size != 0.0 {
        let message = format!(
            "{at_request} '{}' is not a multiple of the page size {at_size} '{size_text}'",
            shown(request_text)
        );
        causes.invalid(at_request, message);
    }
}

pub(super) fn machine_type(spec: &Value, at: &str, causes: &mut Causes) {
    let kind = object::text(spec, "/domain/machine/type");
    let fits = |known: &&str| match known.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == *known,
    };
    if !kind.is_empty() && !MACHINES.iter().any(|known| fits(&known)) {
        let field = format!("{at}.domain.machine.type");
        let message = format!("{field} is not supported: {kind} (allowed values: [{}])", MACHINES.join(" "));
        causes.invalid(field, message);
    }
}

/// Tables of a licence that a Secret volume holds.
pub(super) fn acpi_tables(spec: &Value, at: &str, causes: &mut Causes) {
    let Some(tables) = object::at(spec, "/domain/firmware/acpi").filter(|tables| tables.is_object()) else { return };
    let field = format!("{at}.acpi");
    let refs =
        [("slicNameRef", object::text(tables, "/slicNameRef")), ("msdmNameRef", object::text(tables, "/msdmNameRef"))];
    if refs.iter().all(|(_, name)| name.is_empty()) {
        return causes.invalid(field, "ACPI was set but no SLIC nor MSDM volume reference was set");
    }
    for (key, name) in refs.into_iter().filter(|(_, name)| !name.is_empty()) {
        match object::items(spec, "/volumes").iter().find(|volume| volume["name"] == name) {
            Some(volume) if volume.get("secret").is_some() => {}
            Some(_) => {
                causes.invalid(format!("{field}.{key}"), format!("{field} refers to Volume of unsupported type."))
            }
            None => causes.invalid(format!("{field}.{key}"), format!("{field} does not have a matching Volume.")),
        }
    }
}

pub(super) fn cpu(spec: &Value, at: &str, causes: &mut Causes) {
    let at_request = format!("{at}.domain.resources.requests.cpu");
    let at_limit = format!("{at}.domain.resources.limits.cpu");
    let (request, request_text) = amount(spec, "/resources/requests/cpu");
    let (limit, limit_text) = amount(spec, "/resources/limits/cpu");
    for (amount, text, field) in [(request, request_text, &at_request), (limit, limit_text, &at_limit)] {
        if amount < 0.0 {
            causes.invalid(field, format!("{field} '{}': must be greater than or equal to 0.", shown(text)));
        }
    }
    if limit > 0.0 && request > limit {
        let message =
            format!("{at_request} '{}' is greater than {at_limit} '{}'", shown(request_text), shown(limit_text));
        causes.invalid(&at_request, message);
    }
    let is_pinned = object::flag(spec, "/domain/cpu/dedicatedCpuPlacement");
    if is_pinned {
        pinning(spec, at, causes);
    }
    numa(spec, at, is_pinned, causes);
    if object::flag(spec, "/domain/cpu/isolateEmulatorThread") && !is_pinned {
        let message = "IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement";
        causes.invalid(format!("{at}.domain.cpu.isolateEmulatorThread"), message);
    }
    for (index, feature) in object::items(spec, "/domain/cpu/features").iter().enumerate() {
        let policy = object::text(feature, "/policy");
        if !POLICIES.contains(&policy) {
            let name = object::text(feature, "/name");
            let message = format!("CPU feature {name} uses policy {policy} that is not supported.");
            causes.unsupported(format!("{at}.domain.cpu.features[{index}].policy"), message);
        }
    }
    too_many_sockets(spec, at, causes);
}

fn too_many_sockets(spec: &Value, at: &str, causes: &mut Causes) {
    let (sockets, most) = (count(spec, "sockets"), count(spec, "maxSockets"));
    if most != 0 && sockets > most {
        let message = "Number of sockets in CPU topology is greater than the maximum sockets allowed";
        causes.invalid(format!("{at}.domain.cpu.sockets"), message);
    }
}

fn pinning(spec: &Value, at: &str, causes: &mut Causes) {
    let request = amount(spec, "/resources/requests/cpu").0;
    let limit = amount(spec, "/resources/limits/cpu").0;
    let pinned_at = format!("{at}.domain.cpu.dedicatedCpuPlacement");
    let (at_request, at_limit) =
        (format!("{at}.domain.resources.requests.cpu"), format!("{at}.domain.resources.limits.cpu"));
    if request > 0.0 && request.fract() != 0.0 {
        causes.invalid(&at_request, "provided resources CPU requests must be an interger");
    }
    if limit > 0.0 && limit.fract() != 0.0 {
        causes.invalid(&at_limit, "provided resources CPU limits must be an interger");
    }
    let (memory_request, memory_limit) =
        (amount(spec, "/resources/requests/memory").0, amount(spec, "/resources/limits/memory").0);
    if memory_request > 0.0 && memory_limit > 0.0 && memory_request != memory_limit {
        let field = format!("{at}.domain.resources.requests.memory");
        let message = format!("{field} must be equal to {at}.domain.resources.limits.memory");
        causes.invalid(field, message);
    }
    // Fractions count as the next whole processor.
    let (request, limit) = (request.ceil(), limit.ceil());
    if request > 0.0 && limit > 0.0 && request != limit {
        let message = format!("{at_request} or {at_limit} must be equal when DedicatedCPUPlacement is true ");
        causes.invalid(&pinned_at, message);
    }
    let vcpus = (count(spec, "sockets").max(1) * count(spec, "cores").max(1) * count(spec, "threads").max(1)) as f64;
    if (request > 0.0 || limit > 0.0) && request != vcpus && limit != vcpus {
        let message = format!(
            "{at_request} or {at_limit} must not be provided at the same time with {at}.domain.cpu.cores when DedicatedCPUPlacement is true "
        );
        causes.invalid(&pinned_at, message);
    }
    let threads = count(spec, "threads");
    if threads > 2 {
        let message = format!(
            "Not more than two threads must be provided at {at}.domain.cpu.threads (got {threads}) when DedicatedCPUPlacement is true"
        );
        causes.invalid(pinned_at, message);
    }
}

fn numa(spec: &Value, at: &str, is_pinned: bool, causes: &mut Causes) {
    if object::at(spec, "/domain/cpu/numa/guestMappingPassthrough").is_none() {
        return;
    }
    let field = format!("{at}.domain.cpu.numa.guestMappingPassthrough");
    if !is_pinned {
        let message = format!(
            "{at}.domain.cpu.dedicatedCpuPlacement must be set to true when NUMA topology strategy is set in {field}"
        );
        causes.invalid(&field, message);
    }
    if object::at(spec, "/domain/memory/hugepages").is_none() {
        let message =
            format!("{at}.domain.memory.hugepages must be requested when NUMA topology strategy is set in {field}");
        causes.invalid(&field, message);
    }
}

pub(super) fn realtime(spec: &Value, at: &str, causes: &mut Causes) {
    if object::at(spec, "/domain/cpu/realtime").is_none() {
        return;
    }
    let used = format!("{at}.domain.cpu.realtime");
    if !object::flag(spec, "/domain/cpu/dedicatedCpuPlacement") {
        let field = format!("{at}.domain.cpu.dedicatedCpuPlacement");
        let message = format!("{field} must be set to true when {used} is used");
        causes.required(field, message);
    }
    if object::at(spec, "/domain/cpu/numa/guestMappingPassthrough").is_none() {
        let field = format!("{at}.domain.cpu.numa.guestMappingPassthrough");
        let message = format!("{field} must be defined when {used} is used");
        causes.required(field, message);
    }
}

pub(super) fn inputs(spec: &Value, at: &str, causes: &mut Causes) {
    for (index, input) in object::items(spec, "/domain/devices/inputs").iter().enumerate() {
        let field = format!("{at}.domain.devices.inputs[{index}]");
        if !matches!(object::text(input, "/bus"), "" | "virtio" | "usb") {
            causes.invalid(format!("{field}.bus"), "Input device can have only virtio or usb bus.");
        }
        if object::text(input, "/type") != "tablet" {
            causes.invalid(format!("{field}.type"), "Input device can have only tablet type.");
        }
    }
}

pub(super) fn io_threads(spec: &Value, at: &str, causes: &mut Causes) {
    let policy = object::text(spec, "/domain/ioThreadsPolicy");
    if !matches!(policy, "" | "shared" | "auto" | "supplementalPool") {
        causes.invalid(format!("{at}.domain.ioThreadsPolicy"), format!("Invalid IOThreadsPolicy ({policy})"));
    }
    let threads = object::number(spec, "/domain/ioThreads/supplementalPoolThreadCount").unwrap_or(0);
    if policy == "supplementalPool" && threads < 1 {
        let message = "the number of iothreads needs to be set and positive for the dedicated policy";
        causes.invalid(format!("{at}.domain.ioThreads.count"), message);
    }
}

pub(super) fn firmware(spec: &Value, at: &str, causes: &mut Causes) {
    let boot = object::part(spec, "/domain/firmware/bootloader");
    let has = |kind: &str| boot.get(kind).is_some_and(Value::is_object);
    if has("efi") && has("bios") {
        let field = format!("{at}.domain.firmware.bootloader");
        let message = format!("{field} has both EFI and BIOS configured, but they are mutually exclusive.");
        causes.invalid(field, message);
    }
    kernel(spec, &format!("{at}.domain.firmware.kernelBoot"), causes);
    let is_secure = has("efi") && boot.pointer("/efi/secureBoot") != Some(&Value::Bool(false));
    let smm = object::at(spec, "/domain/features/smm");
    let has_smm = smm.is_some_and(|smm| smm.is_object() && smm.get("enabled") != Some(&Value::Bool(false)));
    if is_secure && !has_smm {
        let field = format!("{at}.domain");
        let message =
            format!("{field} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.");
        causes.invalid(field, message);
    }
}

fn kernel(spec: &Value, at: &str, causes: &mut Causes) {
    let Some(boot) = object::at(spec, "/domain/firmware/kernelBoot").filter(|boot| boot.is_object()) else { return };
    let Some(container) = boot.get("container").filter(|container| container.is_object()) else {
        if !object::text(boot, "/kernelArgs").is_empty() {
            let message = "kernel arguments cannot be provided without an external kernel";
            causes.invalid(format!("{at}.kernelArgs"), message);
        }
        return;
    };
    if object::text(container, "/image").is_empty() {
        causes.required(format!("{at}.container.image"), format!("{at}.container must be defined with an image"));
    }
    if object::text(container, "/kernelPath").is_empty() && object::text(container, "/initrdPath").is_empty() {
        let message =
            format!("{at}.container must be defined with at least one of the following: kernelPath, initrdPath");
        causes.required(format!("{at}.container"), message);
    }
}

pub(super) fn sound(spec: &Value, at: &str, causes: &mut Causes) {
    let Some(sound) = object::at(spec, "/domain/devices/sound").filter(|sound| sound.is_object()) else { return };
    if !matches!(object::text(sound, "/model"), "" | "ich9" | "ac97") {
        causes.invalid(format!("{at}.Sound"), "Sound device type is not supported. Options: 'ich9' or 'ac97'");
    }
    if object::text(sound, "/name").is_empty() {
        causes.invalid(format!("{at}.Sound"), "Sound device requires a name field.");
    }
}

/// Features that Harvester does not switch on.
pub(super) fn gated(spec: &Value, at: &str, causes: &mut Causes) {
    let has = |pointer: &str| object::at(spec, pointer).is_some_and(|held| !held.is_null());
    if object::flag(spec, "/domain/devices/autoattachVSOCK") {
        let message = "VSOCK feature gate is not enabled in kubevirt-config";
        causes.invalid(format!("{at}.domain.devices.autoattachVSOCK"), message);
    }
    if has("/domain/devices/downwardMetrics") {
        let message = "downwardMetrics virtio serial is not allowed: DownwardMetrics feature gate is not enabled";
        causes.invalid(format!("{at}.domain.devices.downwardMetrics"), message);
    }
    for filesystem in object::items(spec, "/domain/devices/filesystems") {
        let volume = object::items(spec, "/volumes").iter().find(|volume| volume["name"] == filesystem["name"]);
        let is_disk =
            |volume: &&Value| volume.get("persistentVolumeClaim").is_some() || volume.get("dataVolume").is_some();
        if volume.as_ref().is_some_and(is_disk) {
            let message = "virtiofs is not allowed: virtiofs feature gate is not enabled for PVC";
            causes.invalid(format!("{at}.domain.devices.filesystems"), message);
        }
    }
    if has("/domain/devices/video") {
        let message = "Video configuration is specified but the VideoConfig feature gate is not enabled";
        causes.invalid(format!("{at}.video"), message);
    }
    if !object::items(spec, "/domain/devices/panicDevices").is_empty() {
        let message = "Panic Devices feature gate is not enabled in kubevirt-config";
        causes.invalid(format!("{at}.domain.devices.panicDevices"), message);
    }
}

/// What memory and sockets may grow to. Source: `validateLiveUpdateFeatures`.
pub(super) fn live_update(spec: &Value, causes: &mut Causes) {
    if count(spec, "sockets") != 0 {
        too_many_sockets(spec, "spec.template.spec", causes);
    }
    let (most, most_text) = amount(spec, "/memory/maxGuest");
    if most_text.is_null() {
        return;
    }
    if let Some(message) = growth_fault(spec, most) {
        causes.invalid("spec.template.spec.domain.memory.guest", message);
    }
}

/// Why memory cannot grow up to `most` bytes. Source: K `pkg/liveupdate/memory/memory.go` (`ValidateLiveUpdateMemory`).
pub(crate) fn growth_fault(spec: &Value, most: f64) -> Option<&'static str> {
    let (guest, guest_text) = amount(spec, "/memory/guest");
    let has = |pointer: &str| object::at(spec, pointer).is_some_and(|held| !held.is_null());
    match () {
        () if has("/domain/cpu/realtime") => Some("Memory hotplug is not compatible with realtime VMs"),
        () if has("/domain/cpu/numa/guestMappingPassthrough") => {
            Some("Memory hotplug is not compatible with guest mapping passthrough")
        }
        () if has("/domain/launchSecurity") => Some("Memory hotplug is not compatible with encrypted VMs"),
        () if guest_text.is_null() => Some("Guest memory must be configured when memory hotplug is enabled"),
        () if guest > most => Some("Guest memory is greater than the configured maxGuest memory"),
        () if guest % BLOCK != 0.0 => Some("Guest memory must be 2Mi aligned"),
        () if most % BLOCK != 0.0 => Some("MaxGuest must be 2Mi aligned"),
        () if guest < f64::from(1 << 30) => {
            Some("Memory hotplug is only available for VMs with at least 1Gi of guest memory")
        }
        () => None,
    }
}

/// Source: `ValidateVirtualMachineInstanceMandatoryFields`.
pub(super) fn has_memory(spec: &Value, at: &str, causes: &mut Causes) {
    let has = |pointer: &str| object::at(spec, pointer).is_some_and(|held| !held.is_null());
    if amount(spec, "/resources/requests/memory").0 == 0.0
        && !has("/domain/memory/guest")
        && !has("/domain/memory/hugepages")
    {
        let message = format!(
            "no memory requested, at least one of '{at}.domain.memory.guest', '{at}.domain.memory.hugepages.size' or '{at}.domain.resources.requests.memory' must be set"
        );
        causes.required("", message);
    }
}
