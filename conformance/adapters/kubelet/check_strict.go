//go:build k25

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
)

// decodePod decodes as the create handler does with fieldValidation=Warn, the server's default
// since 1.25: what only the strict decoder minds becomes a warning.
func decodePod(body []byte, mediaType string) (runtime.Object, []string, error) {
	info, err := serializerFor(mediaType)
	if err != nil {
		return nil, nil, err
	}
	kind := v1.SchemeGroupVersion.WithKind("Pod")
	decoder := legacyscheme.Codecs.DecoderToVersion(info.StrictSerializer, core.SchemeGroupVersion)
	obj, _, err := decoder.Decode(body, &kind, &core.Pod{})
	if err == nil {
		return obj, nil, nil
	}
	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok || obj == nil {
		return nil, nil, err
	}
	var warnings []string
	for _, e := range strict.Errors() {
		warnings = append(warnings, e.Error())
	}
	return obj, warnings, nil
}
