//! Images that disks are made from.

use crate::quantity::Bytes;
use serde::{Deserialize, Serialize};

/// A `VirtualMachineImage` of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageView {
    /// Namespace.
    pub namespace: String,
    /// Object name, for example `image-7hq2d`.
    pub name: String,
    /// What people call it.
    pub display_name: String,
    /// The storage class that makes disks of it.
    pub storage_class: Option<String>,
    /// Download size.
    pub size: Bytes,
    /// Least size of a disk.
    pub virtual_size: Bytes,
    /// Usable now.
    pub is_ready: bool,
    /// Percent, as the cluster measured it.
    pub progress: u32,
    /// Made by CDI rather than by Longhorn's backing images.
    pub is_cdi: bool,
}
