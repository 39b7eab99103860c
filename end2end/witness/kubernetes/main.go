// Command kube is one program that holds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and
// kubectl, each unchanged from its own module, and three small commands that start a control plane without
// openssl and curl: keys, renew and ready.
//
// One program instead of five, because they share nearly all of their code: it is linked once, lies on the disk
// once, and its pages are in memory once.
//
//	kube etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl [flags of that program]
//	kube keys|renew FOLDER
//	kube ready SECONDS KUBECONFIG PATH|URL...
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("usage: kube etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl|keys|renew|ready ...")
	}
	name := os.Args[1]
	// Each program reads its own flags from where it expects them.
	os.Args = append([]string{name}, os.Args[2:]...)
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		run(controllers.NewControllerManagerCommand())
	case "kube-scheduler":
		run(scheduler.NewSchedulerCommand())
	case "kubectl":
		util.CheckErr(cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()))
	case "keys":
		check(keys(os.Args[1:]))
	case "renew":
		check(renew(os.Args[1:]))
	case "ready":
		check(ready(os.Args[1:]))
	default:
		fail("kube: there is no program " + name + " in it")
	}
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

func check(err error) {
	if err != nil {
		fail("kube: " + err.Error())
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}
