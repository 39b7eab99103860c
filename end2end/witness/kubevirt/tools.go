//go:build tools

// The upstream programs that are built as they are: go build kubevirt.io/kubevirt/cmd/virt-api and so on.
package main

import (
	_ "kubevirt.io/kubevirt/cmd/virt-api"
	_ "kubevirt.io/kubevirt/cmd/virt-controller"
	_ "kubevirt.io/kubevirt/cmd/virtctl"
)
