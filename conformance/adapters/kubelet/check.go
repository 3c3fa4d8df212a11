package main

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
)

// checkPod does with a document what the API server does on create, between the body of the request
// and the storage: decode, default, convert, then the pod strategy's preparation, validation
// and warnings.
func checkPod(req *request) reply {
	body, mediaType := []byte(req.Pod), runtime.ContentTypeJSON
	if req.YAML != nil {
		body, mediaType = []byte(*req.YAML), runtime.ContentTypeYAML
	}
	if len(body) == 0 {
		return refuse("bad-request", "check needs pod or yaml")
	}
	obj, warnings, err := decodePod(body, mediaType)
	if err != nil {
		return reply{ok: map[string]any{"undecodable": err.Error()}}
	}
	pod, ok := obj.(*core.Pod)
	if !ok {
		return reply{ok: map[string]any{"undecodable": fmt.Sprintf("%T is no pod", obj)}}
	}
	if pod.Namespace == "" {
		pod.Namespace = "default"
	}
	ctx := context.Background()
	podregistry.Strategy.PrepareForCreate(ctx, pod)
	errs := podregistry.Strategy.Validate(ctx, pod)
	if len(errs) == 0 {
		warnings = append(warnings, strategyWarnings(ctx, pod)...)
		podregistry.Strategy.Canonicalize(pod)
	}
	stored, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(v1.SchemeGroupVersion), pod)
	if err != nil {
		return refuse("internal", "encode: %v", err)
	}
	if warnings == nil {
		warnings = []string{}
	}
	return reply{ok: map[string]any{
		"pod":      json.RawMessage(stored),
		"errors":   errorTexts(errs),
		"warnings": warnings,
	}}
}

func serializerFor(mediaType string) (runtime.SerializerInfo, error) {
	info, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		return info, fmt.Errorf("no serializer for %s", mediaType)
	}
	return info, nil
}

// strategyWarnings asks the strategy for its warnings, which it has from 1.21 on.
func strategyWarnings(ctx context.Context, pod *core.Pod) []string {
	type warner interface {
		WarningsOnCreate(context.Context, runtime.Object) []string
	}
	if s, ok := any(podregistry.Strategy).(warner); ok {
		return s.WarningsOnCreate(ctx, pod)
	}
	return nil
}

func errorTexts(errs field.ErrorList) []map[string]string {
	list := []map[string]string{}
	for _, e := range errs {
		list = append(list, map[string]string{
			"field":  e.Field,
			"type":   string(e.Type),
			"detail": e.Detail,
			"text":   e.Error(),
		})
	}
	return list
}
