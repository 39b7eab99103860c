"""A session of PyPI's `kubernetes` with a cluster: `session.py KUBECONFIG NAMESPACE`.

The same at the simulator and at upstream's own programs. Each line that it prints holds; the first that does not ends it.
"""
import json
import pathlib
import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

KUBEVIRT = {"group": "kubevirt.io", "version": "v1", "plural": "virtualmachines"}
PATIENCE_S = 90


def held(what, holds=True):
    assert holds, what
    print("  " + what)


def refused(code, reason, call):
    try:
        call()
    except ApiException as error:
        body = json.loads(error.body)
        assert (error.status, body["reason"], body["kind"]) == (code, reason, "Status"), error.body
        return
    raise AssertionError(f"not refused with {code}")


def until(objects, namespace, name, holds, version):
    for event in watch.Watch().stream(
        objects.list_namespaced_custom_object, namespace=namespace, **KUBEVIRT,
        field_selector=f"metadata.name={name}", resource_version=version, timeout_seconds=PATIENCE_S,
    ):
        if holds(event):
            return event
    raise AssertionError(f"not within {PATIENCE_S} s")


def main(kubeconfig, namespace):
    api = config.new_client_from_config(kubeconfig)
    core, objects = client.CoreV1Api(api), client.CustomObjectsApi(api)

    held("nodes are ready", all(
        any(c.type == "Ready" and c.status == "True" for c in node.status.conditions) for node in core.list_node().items))
    held("the version is read", client.VersionApi(api).get_code().major == "1")

    made = core.create_namespaced_config_map(namespace, client.V1ConfigMap(
        metadata=client.V1ObjectMeta(generate_name="client-"), data={"a": "1"}))
    name = made.metadata.name
    patched = core.patch_namespaced_config_map(name, namespace, {"data": {"a": "2", "b": "3"}})
    held("a patch is merged", patched.data == {"a": "2", "b": "3"})
    made.data = {"a": "stale"}
    refused(409, "Conflict", lambda: core.replace_namespaced_config_map(name, namespace, made))
    held("a stale version is refused")
    core.delete_namespaced_config_map(name, namespace)
    refused(404, "NotFound", lambda: core.read_namespaced_config_map(name, namespace))
    held("what was deleted is gone")

    vm = json.loads(pathlib.Path(__file__).with_name("vm.json").read_text())
    vm = objects.create_namespaced_custom_object(namespace=namespace, body=vm, **KUBEVIRT)
    name = vm["metadata"]["name"]
    version = vm["metadata"]["resourceVersion"]
    objects.patch_namespaced_custom_object(
        namespace=namespace, name=name, body={"spec": {"runStrategy": "Always"}}, **KUBEVIRT)
    until(objects, namespace, name, lambda e: e["object"].get("status", {}).get("printableStatus") == "Running", version)
    held("a watch tells of a VM until it runs")
    dyn = dynamic.DynamicClient(api)
    vmis = dyn.resources.get(api_version="kubevirt.io/v1", kind="VirtualMachineInstance")
    vmi = vmis.get(name=name, namespace=namespace)
    held("discovery finds its instance", vmi.status.phase == "Running" and bool(vmi.status.nodeName))
    answer = api.call_api(*api.param_serialize(
        "PUT", f"/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}/stop",
        header_params={"Content-Type": "application/json"}, body={}, auth_settings=["BearerToken"]))
    held("virt-api takes the order to stop it", answer.status == 202)
    version = objects.get_namespaced_custom_object(namespace=namespace, name=name, **KUBEVIRT)["metadata"]["resourceVersion"]
    until(objects, namespace, name, lambda e: e["object"].get("status", {}).get("printableStatus") == "Stopped", version)
    held("it stops")
    objects.delete_namespaced_custom_object(namespace=namespace, name=name, **KUBEVIRT)
    first = objects.list_cluster_custom_object(**KUBEVIRT, limit=1)
    held("lists come in pieces", len(first["items"]) <= 1)


main(*sys.argv[1:3])
