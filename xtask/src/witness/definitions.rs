//! Which CRDs and objects a witness begins with.
//!
//! Upstream's own CRDs are not ours to copy: they are taken from a folder where there is one, and a set of our own with only
//! the kinds and fields that we use stands in where there is none.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::cache;
use crate::workspace::Workspace;

/// Where upstream's CRDs may lie, from the checkout's root.
const BESIDE: &str = "../shared/crds";
/// In a folder of CRDs or of objects: what differs in the next release.
const NEXT: &str = "next";

/// What the user may ask for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Wish {
    /// A folder of CRDs; the one beside the checkout or our own set when not given.
    #[arg(long, value_name = "FOLDER")]
    definitions: Option<PathBuf>,
    /// As the next release of Harvester will be: the folder's `next/` laid over it.
    #[arg(long)]
    next: bool,
}

impl Wish {
    /// The next release, where the folder that would be taken has one; what is asked for by default otherwise.
    pub(super) fn next_where_there_is_one(workspace: &Workspace) -> Self {
        Self { definitions: None, next: workspace.path(BESIDE).join(NEXT).is_dir() }
    }

    /// Whether the next release is wished for.
    pub(super) fn is_next(&self) -> bool {
        self.next
    }

    /// As arguments for another call of ours.
    pub(super) fn arguments(&self) -> Result<Vec<String>> {
        let mut arguments = Vec::new();
        if let Some(folder) = &self.definitions {
            let folder = folder.canonicalize().with_context(|| format!("looking for {}", folder.display()))?;
            arguments.extend(["--definitions".to_owned(), folder.display().to_string()]);
        }
        arguments.extend(self.next.then(|| "--next".to_owned()));
        Ok(arguments)
    }
}

/// What is installed before a witness's first start.
#[derive(Clone, Debug)]
pub(super) struct Definitions {
    /// CRDs, in the order in which they are installed, before those that KubeVirt prints.
    pub(super) first: Vec<PathBuf>,
    /// CRDs that replace some of those.
    pub(super) then: Vec<PathBuf>,
    /// What Harvester and the operator of the product have put there.
    pub(super) objects: Vec<PathBuf>,
    /// Written by its subresource: a created object's status is thrown away.
    pub(super) status: PathBuf,
    /// Where they are from, for people.
    pub(super) name: String,
}

impl Definitions {
    /// Finds them.
    pub(super) fn find(workspace: &Workspace, wish: &Wish) -> Result<Self> {
        let own = workspace.path("end2end/witness/crds");
        let folder = match &wish.definitions {
            Some(folder) if !folder.is_dir() => bail!("there is no folder {}", folder.display()),
            Some(folder) => folder.clone(),
            None => Some(workspace.path(BESIDE)).filter(|folder| folder.is_dir()).unwrap_or_else(|| own.clone()),
        };
        let next = folder.join(NEXT);
        if wish.next && !next.is_dir() {
            bail!("{} has no folder {NEXT}: there is only one release to begin with", folder.display());
        }
        let objects = workspace.path("end2end/witness/objects");
        let mut whole = vec![workspace.path("deploy/clusterrole.yaml")];
        whole.extend(yaml(&objects.join("whole"))?);
        if wish.next {
            whole.extend(yaml(&objects.join(NEXT))?);
        }
        let name =
            if folder == own { "our own set of CRDs".to_owned() } else { format!("the CRDs of {}", folder.display()) };
        Ok(Self {
            first: yaml(&folder)?,
            then: if wish.next { yaml(&next)? } else { Vec::new() },
            objects: whole,
            status: objects.join("status"),
            name: if wish.next { format!("{name}, next release") } else { name },
        })
    }

    /// Changes when anything of it does.
    pub(super) fn checksum(&self) -> Result<String> {
        let status = yaml(&self.status)?;
        let files = self.first.iter().chain(&self.then).chain(&self.objects).chain(&status).cloned();
        let mut parts = Vec::new();
        for file in files {
            let content = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
            parts.push((file.file_name().unwrap_or_default().to_string_lossy().into_owned(), content));
        }
        // Whether a file is among the first or replaces one is not in its name.
        parts.push((self.then.len().to_string(), Vec::new()));
        Ok(cache::checksum(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice()))))
    }
}

/// The YAML files right in a folder, by name.
fn yaml(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = cache::files(folder, |path| path.extension().is_some_and(|ending| ending == "yaml"))?;
    Ok(files.into_iter().filter(|file| file.parent() == Some(folder)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions(folder: &Path, is_next: bool) -> Result<Definitions> {
        let wish = Wish { definitions: Some(folder.to_owned()), next: is_next };
        Definitions::find(&Workspace::find().unwrap(), &wish)
    }

    #[test]
    fn the_next_release_lies_over_this_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.yaml"), "a").unwrap();
        fs::write(folder.path().join("notes.md"), "b").unwrap();
        assert!(definitions(folder.path(), true).unwrap_err().to_string().contains("has no folder next"));
        fs::create_dir(folder.path().join(NEXT)).unwrap();
        fs::write(folder.path().join("next/a.yaml"), "c").unwrap();
        let (this, next) = (definitions(folder.path(), false).unwrap(), definitions(folder.path(), true).unwrap());
        assert_eq!((this.first.len(), this.then.len()), (1, 0));
        assert_eq!((next.first.len(), next.then.len()), (1, 1));
        assert_ne!(this.checksum().unwrap(), next.checksum().unwrap());
    }

    #[test]
    fn a_changed_definition_is_another_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let checksum = |text: &str| {
            fs::write(folder.path().join("a.yaml"), text).unwrap();
            definitions(folder.path(), false).unwrap().checksum().unwrap()
        };
        assert_eq!(checksum("a"), checksum("a"));
        assert_ne!(checksum("a"), checksum("b"));
    }

    #[test]
    fn our_own_set_is_there() {
        let own = Workspace::find().unwrap().path("end2end/witness/crds");
        assert!(definitions(&own, false).unwrap().first.len() > 5);
    }
}
