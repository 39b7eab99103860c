package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// How often a server is asked.
	pause = 50 * time.Millisecond
	// How long one answer may take: a server that hangs is asked again.
	patience = 5 * time.Second
	// How much of a refusal is shown.
	shown = 500
)

// ready waits until every PATH of the API server, or URL beside it, has answered with 200, in the order given;
// fails with the last answer when that takes longer than SECONDS.
func ready(arguments []string) error {
	if len(arguments) < 3 {
		return errors.New("usage: kube ready SECONDS KUBECONFIG PATH|URL...")
	}
	seconds, err := strconv.Atoi(arguments[0])
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", arguments[1])
	if err != nil {
		return err
	}
	config.Timeout = patience
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	for _, url := range arguments[2:] {
		if strings.HasPrefix(url, "/") {
			url = config.Host + url
		}
		for err = ask(client, url); err != nil; err = ask(client, url) {
			if time.Now().After(deadline) {
				return fmt.Errorf("%s after %d s: %w", url, seconds, err)
			}
			time.Sleep(pause)
		}
	}
	return nil
}

// ask is nil when the answer is 200.
func ask(client *http.Client, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, shown))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, text)
	}
	// What is left must be read, or the connection is not used again.
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
