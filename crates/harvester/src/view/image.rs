//! VirtualMachineImage → [`ImageView`]. Source: `harvester-api.md` §6.1.

use super::clean::{self, MAX_NAME};
use crate::api::harvesterhci::Image;
use crate::api::meta::condition;
use model::image::ImageView;
use model::quantity::Bytes;

/// `None` for the images of Harvester's own upgrades.
pub(crate) fn of(image: &Image<'_>) -> Option<ImageView> {
    let meta = &image.metadata;
    if meta.annotations.as_ref().is_some_and(|a| a.os_upgrade_image.is_some()) {
        return None;
    }
    let (spec, status) = (image.spec.as_ref(), image.status.as_ref());
    let is_cdi = spec.and_then(|s| s.backend.as_deref()) == Some("cdi");
    let class = status.and_then(|s| s.storage_class_name.as_deref()).filter(|c| !c.is_empty());
    let target = status.and_then(|s| s.target_storage_class_name.as_deref());
    let target = target.or_else(|| spec.and_then(|s| s.target_storage_class_name.as_deref())).filter(|c| !c.is_empty());
    let class = if is_cdi { class.or(target) } else { class };
    let imported = condition(status.and_then(|s| s.conditions.as_deref()), "Imported");
    let bytes = |n: Option<i64>| Bytes(n.and_then(|n| u64::try_from(n).ok()).unwrap_or_default());
    let display = spec.and_then(|s| s.display_name.as_deref()).unwrap_or(&meta.name);
    let size = bytes(status.and_then(|s| s.size));
    Some(ImageView {
        namespace: clean::text(meta.namespace(), MAX_NAME),
        name: clean::text(&meta.name, MAX_NAME),
        display_name: clean::text(display, MAX_NAME),
        storage_class: class.map(|c| clean::text(c, MAX_NAME)),
        size,
        // Before 1.4 the cluster does not say; a disk is never smaller than the download.
        virtual_size: bytes(status.and_then(|s| s.virtual_size)).max(size),
        is_ready: imported.is_some_and(|c| c.status.as_deref() == Some("True")),
        progress: status.and_then(|s| s.progress).unwrap_or_default().clamp(0, 100) as u32,
        is_cdi,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_ready_when_it_is_imported() {
        let json = r#"{"metadata":{"name":"image-7hq2d","namespace":"team-a","uid":"u","resourceVersion":"1"},"spec":{"displayName":"debian"},
            "status":{"progress":100,"size":300,"virtualSize":200,"storageClassName":"longhorn-image-7hq2d","conditions":[{"type":"Imported","status":"True"}]}}"#;
        let view = of(&serde_json::from_str(json).unwrap()).unwrap();
        assert!(view.is_ready && !view.is_cdi);
        assert_eq!((view.virtual_size, view.storage_class.as_deref()), (Bytes(300), Some("longhorn-image-7hq2d")));
    }
}
