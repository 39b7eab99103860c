// Package util stands in for kubevirt.io/client-go/util while virt-api and virt-controller are built.
//
// Upstream's reads its namespace from a file that every pod has, and without one says "kubevirt". Here is no pod, and
// Harvester installs KubeVirt elsewhere; where the KubeVirt object, its accounts and its certificates are follows from it.
package util

import "os"

// ServiceAccountNamespaceFile is the file that pods have; others look for it by this name.
const ServiceAccountNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// GetNamespace is where KubeVirt is installed.
func GetNamespace() (string, error) {
	if name := os.Getenv("POD_NAMESPACE"); name != "" {
		return name, nil
	}
	return "harvester-system", nil
}
