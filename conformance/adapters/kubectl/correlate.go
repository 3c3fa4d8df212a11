package main

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/tools/record"
)

// clock stands still between two events; the correlator takes it for the world's.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time                  { return c.now }
func (c *clock) Since(t time.Time) time.Duration { return c.now.Sub(t) }

// instant is when something of a case happens.
func instant(ms int64) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

func podName(e *event) string {
	if e.Pod == "" {
		return "p"
	}
	return e.Pod
}

// made is an event as the kubelet's recorder makes it.
func made(e *event, number int) *v1.Event {
	path := ""
	if e.Container != "" {
		path = "spec.containers{" + e.Container + "}"
	}
	at := metav1.NewTime(instant(e.At))
	return &v1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s.%x", podName(e), at.UnixNano()+int64(number)), Namespace: "ns"},
		InvolvedObject: v1.ObjectReference{Kind: "Pod", Namespace: "ns", Name: podName(e), UID: types.UID("uid-" + podName(e)),
			APIVersion: "v1", FieldPath: path},
		Type: e.Type, Reason: e.Reason, Message: e.Message, Source: v1.EventSource{Component: "kubelet", Host: "node"},
		FirstTimestamp: at, LastTimestamp: at, Count: 1,
	}
}

// correlate is the recorder and the API server behind it: what has a patch is patched, what has none, or cannot be found, is created.
func correlate(recorded []event) (any, error) {
	c := &clock{now: epoch}
	correlator := newCorrelator(c)
	stored := []*v1.Event{}
	kept := []event{}
	for i := range recorded {
		c.now = instant(recorded[i].At)
		result, err := correlator.EventCorrelate(made(&recorded[i], i))
		if err != nil {
			return nil, err
		}
		if result.Skip {
			continue
		}
		at := find(stored, result)
		if at < 0 {
			stored = append(stored, nil)
			kept = append(kept, event{Pod: recorded[i].Pod, Container: recorded[i].Container})
			at = len(stored) - 1
			stored[at] = result.Event
		} else if stored[at], err = patched(stored[at], result.Patch); err != nil {
			return nil, err
		}
		correlator.UpdateState(stored[at])
		kept[at].take(stored[at])
	}
	return map[string]any{"events": kept}, nil
}

// find is the object that a result is about, where the API server has it.
func find(stored []*v1.Event, result *record.EventCorrelateResult) int {
	if result.Event.Count <= 1 {
		return -1
	}
	for i, object := range stored {
		if object.Name == result.Event.Name {
			return i
		}
	}
	return -1
}

func patched(object *v1.Event, patch []byte) (*v1.Event, error) {
	before, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, v1.Event{})
	if err != nil {
		return nil, err
	}
	next := &v1.Event{}
	return next, json.Unmarshal(after, next)
}

func (kept *event) take(object *v1.Event) {
	kept.Type, kept.Reason, kept.Message, kept.Count = object.Type, object.Reason, object.Message, object.Count
	kept.First = object.FirstTimestamp.Sub(epoch).Milliseconds()
	kept.Last = object.LastTimestamp.Sub(epoch).Milliseconds()
}
