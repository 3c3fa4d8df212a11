//go:build !k25

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
)

// decodePod decodes as the create handler does without field validation, the server's default
// up to 1.24.
func decodePod(body []byte, mediaType string) (runtime.Object, []string, error) {
	info, err := serializerFor(mediaType)
	if err != nil {
		return nil, nil, err
	}
	kind := v1.SchemeGroupVersion.WithKind("Pod")
	decoder := legacyscheme.Codecs.DecoderToVersion(info.Serializer, core.SchemeGroupVersion)
	obj, _, err := decoder.Decode(body, &kind, &core.Pod{})
	return obj, nil, err
}
