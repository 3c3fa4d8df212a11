//go:build !ge19

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	restfake "k8s.io/client-go/rest/fake"
)

// RESTClient is what the reflectors of nodes and services of then list and watch with; the fake clientset has none.
func (c kubeletCore) RESTClient() rest.Interface {
	return &restfake.RESTClient{NegotiatedSerializer: serializer.WithoutConversionCodecFactory{CodecFactory: scheme.Codecs}, GroupVersion: v1.SchemeGroupVersion,
		Client: restfake.CreateHTTPClient(func(r *http.Request) (*http.Response, error) {
			head := http.Header{"Content-Type": {runtime.ContentTypeJSON}}
			if r.URL.Query().Get("watch") != "" {
				return &http.Response{StatusCode: http.StatusOK, Header: head, Body: silence{}}, nil
			}
			var list any = &v1.ServiceList{TypeMeta: metav1.TypeMeta{Kind: "ServiceList", APIVersion: "v1"}}
			if strings.HasSuffix(r.URL.Path, "nodes") {
				list = &v1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, Items: []v1.Node{*bigNode()}}
			}
			body, err := json.Marshal(list)
			return &http.Response{StatusCode: http.StatusOK, Header: head, Body: io.NopCloser(bytes.NewReader(body))}, err
		})}
}

// silence is a watch of which nothing comes.
type silence struct{}

func (silence) Read([]byte) (int, error) { select {} }

func (silence) Close() error { return nil }
