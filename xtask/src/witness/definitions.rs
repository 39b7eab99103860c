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
/// Where our own set lies.
const OWN: &str = "end2end/witness/crds";
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

    /// Our own set, whatever else is there.
    pub(super) fn own(workspace: &Workspace) -> Self {
        Self { definitions: Some(workspace.path(OWN)), next: false }
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
        let own = workspace.path(OWN);
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
    use serde_json::Value;
    use std::collections::{BTreeMap, BTreeSet};

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
        let own = Workspace::find().unwrap().path(OWN);
        assert!(definitions(&own, false).unwrap().first.len() > 5);
    }

    /// CRDs by name.
    fn crds(folder: &Path) -> BTreeMap<String, Value> {
        let read = |file: PathBuf| -> Vec<Value> {
            let text = fs::read_to_string(&file).unwrap();
            serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        };
        let all = yaml(folder).unwrap().into_iter().flat_map(read);
        all.filter(|crd| crd["kind"] == "CustomResourceDefinition")
            .map(|crd| (crd["metadata"]["name"].as_str().unwrap().to_owned(), crd))
            .collect()
    }

    /// What is ours must be upstream's: the same scope and versions, and of each field the same type, limits and duties.
    #[test]
    fn our_own_set_says_nothing_but_what_upstream_says() {
        let workspace = Workspace::find().unwrap();
        let upstream = workspace.path(BESIDE);
        if !upstream.is_dir() {
            println!("upstream's CRDs are not here: our own set was held against nothing");
            return;
        }
        let (own, upstream) = (crds(&workspace.path(OWN)), crds(&upstream));
        let (mut faults, mut fields) = (Vec::new(), 0);
        for (name, ours) in &own {
            let Some(theirs) = upstream.get(name) else {
                faults.push(format!("{name} is not upstream's"));
                continue;
            };
            for place in
                ["/spec/group", "/spec/scope", "/spec/names/kind", "/spec/names/plural", "/spec/names/shortNames"]
            {
                same(&format!("{name}{place}"), ours.pointer(place), theirs.pointer(place), &mut faults);
            }
            let versions = |crd: &Value| -> BTreeMap<String, Value> {
                let all = crd["spec"]["versions"].as_array().unwrap().iter();
                all.map(|version| (version["name"].as_str().unwrap().to_owned(), version.clone())).collect()
            };
            let theirs = versions(theirs);
            for (version, ours) in versions(ours) {
                let at = format!("{name} {version}");
                let Some(theirs) = theirs.get(&version) else {
                    faults.push(format!("{at} is not upstream's"));
                    continue;
                };
                for key in ["served", "storage"] {
                    same(&format!("{at} {key}"), ours.get(key), theirs.get(key), &mut faults);
                }
                let status = |version: &Value| version.pointer("/subresources/status").is_some();
                if status(&ours) != status(theirs) {
                    faults.push(format!("{at}: its status is a subresource on one side only"));
                }
                let schema = "/schema/openAPIV3Schema";
                let (ours, theirs) = (ours.pointer(schema).unwrap(), theirs.pointer(schema).unwrap());
                compare(&at, ours, theirs, &mut faults, &mut fields);
            }
        }
        assert!(faults.is_empty(), "{:#?}", faults);
        println!("{} kinds with {fields} fields are as upstream has them", own.len());
        assert!(own.len() > 20 && fields > 1_000, "{} kinds, {fields} fields", own.len());
    }

    fn same(at: &str, ours: Option<&Value>, theirs: Option<&Value>, faults: &mut Vec<String>) {
        if ours != theirs {
            faults.push(format!("{at}: ours {ours:?}, upstream's {theirs:?}"));
        }
    }

    fn compare(at: &str, ours: &Value, theirs: &Value, faults: &mut Vec<String>, fields: &mut u32) {
        *fields += 1;
        let limits = [
            "type",
            "format",
            "enum",
            "default",
            "nullable",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
        ];
        for key in limits.into_iter().chain(["x-kubernetes-int-or-string", "x-kubernetes-list-map-keys"]) {
            same(&format!("{at}: {key}"), ours.get(key), theirs.get(key), faults);
        }
        let duties = |schema: &Value| -> BTreeSet<String> {
            let all = schema["required"].as_array().into_iter().flatten();
            all.filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        if duties(ours) != duties(theirs) {
            faults.push(format!("{at}: required {:?}, upstream's {:?}", duties(ours), duties(theirs)));
        }
        for (name, ours) in ours["properties"].as_object().into_iter().flatten() {
            // What every object has; a schema may leave them out.
            let is_whole = at.split_once(' ').is_none_or(|(_, rest)| !rest.contains('.'));
            if is_whole
                && ["apiVersion", "kind", "metadata"].contains(&name.as_str())
                && theirs["properties"].get(name).is_none()
            {
                continue;
            }
            match theirs["properties"].get(name) {
                Some(theirs) => compare(&format!("{at}.{name}"), ours, theirs, faults, fields),
                None => faults.push(format!("{at}.{name} is not upstream's")),
            }
        }
        for key in ["items", "additionalProperties"] {
            match (ours.get(key), theirs.get(key)) {
                (Some(ours @ Value::Object(_)), Some(theirs @ Value::Object(_))) => {
                    compare(&format!("{at}.{key}"), ours, theirs, faults, fields);
                }
                (ours, theirs) => same(&format!("{at}: {key}"), ours, theirs, faults),
            }
        }
    }
}
