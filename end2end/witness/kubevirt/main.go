// Command kubevirt-objects prints, as one JSON List, what virt-operator would install in Harvester's namespace, from
// virt-operator's own constructors.
//
//	kubevirt-objects fixed              what names no address: CRDs, RBAC, admission policies. It can be kept.
//	kubevirt-objects callers PORT CA    what calls virt-api: APIServices, webhook configurations. Made at each start.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/rbac"
)

// Where Harvester installs KubeVirt; upstream's default is "kubevirt" (see overlay/util.go).
const namespace = "harvester-system"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kubevirt-objects: "+err.Error())
		os.Exit(2)
	}
}

func run(arguments []string) error {
	var items []runtime.Object
	var err error
	switch {
	case len(arguments) == 1 && arguments[0] == "fixed":
		items, err = fixed()
	case len(arguments) == 3 && arguments[0] == "callers":
		items, err = callers(arguments[1], arguments[2])
	default:
		err = errors.New("usage: kubevirt-objects fixed | callers PORT CA-FILE")
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

func fixed() ([]runtime.Object, error) {
	items := []runtime.Object{}
	for _, make := range []func() (*extensions.CustomResourceDefinition, error){
		components.NewKubeVirtCrd, components.NewVirtualMachineCrd, components.NewVirtualMachineInstanceCrd,
		components.NewVirtualMachineInstanceMigrationCrd, components.NewPresetCrd, components.NewReplicaSetCrd,
		components.NewVirtualMachinePoolCrd, components.NewVirtualMachineSnapshotCrd,
		components.NewVirtualMachineSnapshotContentCrd, components.NewVirtualMachineRestoreCrd,
		components.NewVirtualMachineExportCrd, components.NewVirtualMachineCloneCrd,
		components.NewVirtualMachineInstancetypeCrd, components.NewVirtualMachineClusterInstancetypeCrd,
		components.NewVirtualMachinePreferenceCrd, components.NewVirtualMachineClusterPreferenceCrd,
		components.NewMigrationPolicyCrd,
	} {
		definition, err := make()
		if err != nil {
			return nil, err
		}
		items = append(items, definition)
	}
	for _, objects := range [][]runtime.Object{
		rbac.GetAllCluster(), rbac.GetAllApiServer(namespace), rbac.GetAllController(namespace), rbac.GetAllHandler(namespace),
	} {
		items = append(items, objects...)
	}
	items = append(items, components.NewKubeVirtPriorityClassCR())
	account := "system:serviceaccount:" + namespace + ":" + components.HandlerServiceAccountName
	policy, binding := components.NewHandlerV1ValidatingAdmissionPolicy(account), components.NewHandlerV1ValidatingAdmissionPolicyBinding()
	// Upstream's constructors leave the group out; virt-operator's client does not need it.
	policy.APIVersion = admission.SchemeGroupVersion.String()
	binding.APIVersion = admission.SchemeGroupVersion.String()
	return append(items, policy, binding), nil
}

func callers(portText, authorityFile string) ([]runtime.Object, error) {
	number, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(authorityFile)
	if err != nil {
		return nil, err
	}
	port := int32(number)
	items := []runtime.Object{
		// The aggregator finds virt-api by this service: an endpoint slice may not name a loopback address.
		&core.Service{
			TypeMeta:   meta.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: meta.ObjectMeta{Name: components.VirtApiServiceName, Namespace: namespace},
			Spec: core.ServiceSpec{
				Type: core.ServiceTypeExternalName, ExternalName: "localhost", Ports: []core.ServicePort{{Port: port}},
			},
		},
		// By this virt-api knows a virt-handler, and virt-handler's stand-in knows virt-api.
		&core.ConfigMap{
			TypeMeta:   meta.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: meta.ObjectMeta{Name: components.KubeVirtCASecretName, Namespace: namespace},
			Data:       map[string]string{components.CABundleKey: string(authority)},
		},
	}
	here := func(config *admission.WebhookClientConfig) {
		url := fmt.Sprintf("https://127.0.0.1:%d%s", port, *config.Service.Path)
		*config = admission.WebhookClientConfig{URL: &url, CABundle: authority}
	}
	validating := components.NewVirtAPIValidatingWebhookConfiguration(namespace)
	for i := range validating.Webhooks {
		here(&validating.Webhooks[i].ClientConfig)
	}
	mutating := components.NewVirtAPIMutatingWebhookConfiguration(namespace)
	for i := range mutating.Webhooks {
		here(&mutating.Webhooks[i].ClientConfig)
	}
	items = append(items, validating, mutating)
	// Last: whoever sees an API of virt-api's may count on its webhooks.
	for _, service := range components.NewVirtAPIAPIServices(namespace) {
		service.Spec.Service.Port, service.Spec.CABundle = &port, authority
		items = append(items, service)
	}
	return items, nil
}
