//go:build !k20

package main

import (
	"context"
	"encoding/json"
	"fmt"

	settings "k8s.io/api/settings/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/settings/install"
	"k8s.io/kubernetes/plugin/pkg/admission/podpreset"
)

// admitPod does what the admission plugin PodPreset does before a pod is created.  Its informer is told of the
// presets directly: there is no server to list them from.
func admitPod(ctx context.Context, pod *core.Pod, presets []json.RawMessage) error {
	factory := informers.NewSharedInformerFactory(nil, 0)
	plugin := podpreset.NewPlugin()
	plugin.SetExternalKubeInformerFactory(factory)
	index := factory.Settings().V1alpha1().PodPresets().Informer().GetIndexer()
	for _, raw := range presets {
		preset := &settings.PodPreset{}
		if err := json.Unmarshal(raw, preset); err != nil {
			return fmt.Errorf("presets: %w", err)
		}
		legacyscheme.Scheme.Default(preset) // as it is stored
		if preset.Namespace == "" {
			preset.Namespace = pod.Namespace
		}
		if err := index.Add(preset); err != nil {
			return fmt.Errorf("presets: %w", err)
		}
	}
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	var none runtime.Object
	return admit(ctx, plugin, admission.NewAttributesRecord(pod, none, kind, pod.Namespace, pod.Name, pods, "",
		admission.Create, &metav1.CreateOptions{}, false, nil))
}
