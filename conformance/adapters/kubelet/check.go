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
// and warnings; with an old pod, what it does on update.
func checkPod(req *request) reply {
	body, mediaType := []byte(req.Pod), runtime.ContentTypeJSON
	if req.YAML != nil {
		body, mediaType = []byte(*req.YAML), runtime.ContentTypeYAML
	}
	if len(body) == 0 {
		return refuse("bad-request", "check needs pod or yaml")
	}
	pod, warnings, err := podOf(body, mediaType)
	if err != nil {
		return reply{ok: map[string]any{"undecodable": err.Error()}}
	}
	ctx := context.Background()
	var errs field.ErrorList
	var more []string
	if len(req.Old) > 0 {
		old, _, err := podOf(req.Old, runtime.ContentTypeJSON)
		if err != nil {
			return refuse("bad-request", "check: old: %v", err)
		}
		errs, more = updatePod(ctx, pod, old)
	} else {
		if err := admitPod(ctx, pod, req.Presets); err != nil {
			return refuse("bad-request", "check: %v", err)
		}
		errs, more = createPod(ctx, pod)
	}
	stored, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(v1.SchemeGroupVersion), pod)
	if err != nil {
		return refuse("internal", "encode: %v", err)
	}
	return reply{ok: map[string]any{
		"pod":      json.RawMessage(stored),
		"errors":   errorTexts(errs),
		"warnings": append(append([]string{}, warnings...), more...),
	}}
}

// podOf is the document as the server's own object.
func podOf(body []byte, mediaType string) (*core.Pod, []string, error) {
	obj, warnings, err := decodePod(body, mediaType)
	if err != nil {
		return nil, nil, err
	}
	pod, ok := obj.(*core.Pod)
	if !ok {
		return nil, nil, fmt.Errorf("%T is no pod", obj)
	}
	if pod.Namespace == "" {
		pod.Namespace = "default"
	}
	return pod, warnings, nil
}

func createPod(ctx context.Context, pod *core.Pod) (field.ErrorList, []string) {
	podregistry.Strategy.PrepareForCreate(ctx, pod)
	if errs := podregistry.Strategy.Validate(ctx, pod); len(errs) > 0 {
		return errs, nil
	}
	warnings := strategyWarnings(ctx, pod)
	podregistry.Strategy.Canonicalize(pod)
	return nil, warnings
}

// updatePod replaces a stored pod. What a request leaves out of the metadata is the stored object's
// (rest.BeforeUpdate).
func updatePod(ctx context.Context, pod, old *core.Pod) (field.ErrorList, []string) {
	podregistry.Strategy.PrepareForCreate(ctx, old)
	old.ResourceVersion = "1"
	pod.ResourceVersion, pod.UID, pod.Generation = old.ResourceVersion, old.UID, old.Generation
	pod.CreationTimestamp, pod.DeletionTimestamp = old.CreationTimestamp, old.DeletionTimestamp
	podregistry.Strategy.PrepareForUpdate(ctx, pod, old)
	if errs := podregistry.Strategy.ValidateUpdate(ctx, pod, old); len(errs) > 0 {
		return errs, nil
	}
	warnings := updateWarnings(ctx, pod, old)
	podregistry.Strategy.Canonicalize(pod)
	return nil, warnings
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

func updateWarnings(ctx context.Context, pod, old *core.Pod) []string {
	type warner interface {
		WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string
	}
	if s, ok := any(podregistry.Strategy).(warner); ok {
		return s.WarningsOnUpdate(ctx, pod, old)
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
