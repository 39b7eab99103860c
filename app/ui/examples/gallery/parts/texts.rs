//! Differences and YAML; a form.

use app_ui::*;
use leptos::prelude::*;

use crate::Sample;

const BEFORE: &str = "spec:\n  template:\n    domain:\n      resources:\n        requests: { memory: 48Gi }\n      machine: { type: q35 }\n      cpu:\n        cores: 16";
const AFTER: &str = "spec:\n  template:\n    domain:\n      resources:\n        requests: { memory: 64Gi }\n      machine: { type: q35 }\n      cpu:\n        cores: 16\n        sockets: 2";
const YAML: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: erp-db-prod-07\n  labels:\n    ops.example.com/managed-by: harvester-admin   # 认领后由平台写入\nspec:\n  runStrategy: RerunOnFailure\n  replicas: 3\n  template: { spec: { domain: { cpu: { cores: 16 } } } }";

/// Differences, YAML, a form with sections.
#[component]
pub(crate) fn Texts() -> impl IntoView {
    view! {
        <Sample title="差异与 YAML" note="改之前先看">
            <DiffView label="内存 48 → 64 GiB" lines=diff(BEFORE, AFTER)/>
            <CodeView label="YAML" text=YAML hits=vec![6]/>
        </Sample>
        <Sample title="表单" note="两列，脚下是按钮">
            <form class="form">
                <h2>"登记集群"</h2>
                <Field id="c1" label="名称" hint="同事怎么叫它"><TextInput value=RwSignal::new("北京亦庄一".to_owned())/></Field>
                <Field id="c2" label="地址" error="连不上：证书由未知机构签发"><TextInput value=RwSignal::new("https://10.20.0.10".to_owned()) mono=true/></Field>
                <Field id="c3" label="Kubeconfig" full=true><TextArea value=RwSignal::new(String::new()) rows=4 mono=true placeholder="apiVersion: v1"/></Field>
                <footer><Button word="登记" kind=Kind::Primary size=Size::Form/><Button word="只测连通" size=Size::Form/><small>"密钥加密存放，不再显示"</small></footer>
            </form>
        </Sample>
    }
}
