package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// How long the certificates hold: a witness lives for hours, and whoever forgets one finds it dead, not wrong.
const validity = 30 * 24 * time.Hour

// A certificate and the key to it.
type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// keys writes into a folder all that the programs show each other:
//
//	ca               signs everything but the next
//	front-ca, front  kube-apiserver as the aggregator, towards virt-api
//	apiserver        kube-apiserver
//	virt-api         virt-api and virt-controller
//	handler-client   what virt-api shows to a virt-handler
//	handler-server   what virt-api expects a virt-handler to show
//	sa               the key pair of service account tokens (sa.key, sa.pub)
//
// The names in handler-client and handler-server are the ones that KubeVirt checks (pkg/util/tls).
func keys(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("usage: kube keys FOLDER")
	}
	folder := arguments[0]
	ca, err := authority(folder, "ca", "witness")
	if err != nil {
		return err
	}
	front, err := authority(folder, "front-ca", "witness-front-proxy")
	if err != nil {
		return err
	}
	for _, wanted := range []struct {
		file, name string
		by         *pair
		hosts      []string
	}{
		{"front", "front-proxy-client", front, nil},
		{"virt-api", "virt-api", ca, []string{"virt-api.harvester-system.svc"}},
		{"handler-client", "kubevirt.io:system:client:virt-handler", ca, nil},
		{"handler-server", "kubevirt.io:system:node:virt-handler", ca, nil},
	} {
		if err := certify(folder, wanted.file, wanted.name, wanted.by, wanted.hosts...); err != nil {
			return err
		}
	}
	if err := certifyServer(folder, ca); err != nil {
		return err
	}
	return serviceAccountKeys(folder)
}

// renew gives kube-apiserver another certificate and key by the authority that a folder of keys has.
func renew(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("usage: kube renew FOLDER")
	}
	folder := arguments[0]
	ca, err := tls.LoadX509KeyPair(filepath.Join(folder, "ca.crt"), filepath.Join(folder, "ca.key"))
	if err != nil {
		return err
	}
	key, isOurs := ca.PrivateKey.(*ecdsa.PrivateKey)
	if !isOurs {
		return errors.New("the authority's key is none of ours")
	}
	certificate, err := x509.ParseCertificate(ca.Certificate[0])
	if err != nil {
		return err
	}
	return certifyServer(folder, &pair{certificate, key})
}

func certifyServer(folder string, ca *pair) error {
	return certify(folder, "apiserver", "kube-apiserver", ca, "kubernetes", "kubernetes.default", "kubernetes.default.svc")
}

// certify writes a certificate for a program on this machine, and the key to it.
func certify(folder, file, name string, by *pair, hosts ...string) error {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    append([]string{"localhost"}, hosts...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	_, err := issue(folder, file, template, by)
	return err
}

func authority(folder, file, name string) (*pair, error) {
	return issue(folder, file, &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
}

// issue completes the template, signs it by an authority (nil: by itself) and writes FILE.crt and FILE.key.
func issue(folder, file string, template *x509.Certificate, by *pair) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	// An hour back: another clock may be a little behind ours.
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(validity)
	if by == nil {
		by = &pair{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	if err := write(folder, file+".crt", "CERTIFICATE", der, 0o644); err != nil {
		return nil, err
	}
	return &pair{certificate, key}, writeKey(folder, file+".key", key)
}

func serviceAccountKeys(folder string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := write(folder, "sa.pub", "PUBLIC KEY", public, 0o644); err != nil {
		return err
	}
	return writeKey(folder, "sa.key", key)
}

func writeKey(folder, file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return write(folder, file, "PRIVATE KEY", der, 0o600)
}

func write(folder, file, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(filepath.Join(folder, file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
