//go:build !ge21

package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clienttesting "k8s.io/client-go/testing"
)

// patchAsAServer applies status patches as the API server does: fakes of then decode the result into the object that is
// there, so that what a patch takes away stays.
func (c *cluster) patchAsAServer() {
	c.client.PrependReactor("patch", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		asked := a.(clienttesting.PatchAction)
		pod, err := patched(c.client.Tracker(), asked)
		if err != nil {
			return true, nil, err
		}
		return true, pod, c.client.Tracker().Update(asked.GetResource(), pod, asked.GetNamespace())
	})
}

func patched(t clienttesting.ObjectTracker, asked clienttesting.PatchAction) (*v1.Pod, error) {
	old, err := t.Get(asked.GetResource(), asked.GetNamespace(), asked.GetName())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	if text, err = strategicpatch.StrategicMergePatch(text, asked.GetPatch(), &v1.Pod{}); err != nil {
		return nil, err
	}
	pod := &v1.Pod{}
	return pod, json.Unmarshal(text, pod)
}
