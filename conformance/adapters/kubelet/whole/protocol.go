package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// request is one line from the runner; the fields of all ops this adapter knows.
type request struct {
	ID json.RawMessage `json:"id"`
	Op string          `json:"op"`

	// hello
	Protocol int             `json:"protocol"`
	K8s      string          `json:"k8s"`
	Gates    map[string]bool `json:"gates"`
	Seed     int64           `json:"seed"`

	// open
	Layer         string          `json:"layer"`
	Pod           *v1.Pod         `json:"pod"`
	Pods          []*v1.Pod       `json:"pods"`
	Uptime        int64           `json:"uptime"`
	Wall          int64           `json:"wall"`
	Jitter        json.RawMessage `json:"jitter"`
	RequeueJitter float64         `json:"requeueJitter"`
	SyncFrequency *int64          `json:"syncFrequency"`

	// advance
	To     *int64  `json:"to"`
	Events []event `json:"events"`

	// port
	Port  intstr.IntOrString `json:"port"`
	Ports []v1.ContainerPort `json:"ports"`
	Hook  bool               `json:"hook"`

	// actions
	Runtime *preparedRuntime             `json:"runtime"`
	Results map[string]map[string]string `json:"results"`
}

// event is one thing the runner says about the world (protocol, section 2).
type event struct {
	E         string `json:"e"`
	N         int64  `json:"n"`
	Result    string `json:"result"`
	Output    string `json:"output"`
	Code      int32  `json:"code"`
	Container string `json:"container"`
	CID       string `json:"cid"`
	Restarts  int32  `json:"restarts"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	Do        string `json:"do"`
	Attempt   uint32 `json:"attempt"`
	Error     string `json:"error"`
	Grace     int64  `json:"grace"`
	Down      int64  `json:"down"`

	Pod    json.RawMessage `json:"pod"` // of an update the object, else the name of the pod it is about
	Jitter json.RawMessage `json:"jitter"`
}

// about is the name of the pod that an event is about: "" where a case has one pod.
func (e event) about() string {
	var name string
	_ = json.Unmarshal(e.Pod, &name)
	return name
}

// effect is one thing the kubelet did (protocol, section 3).
type effect map[string]any

// problem is an error reply.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func unsupported(format string, args ...any) *problem {
	return &problem{"unsupported", fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *problem {
	return &problem{"bad-request", fmt.Sprintf(format, args...)}
}

func internal(format string, args ...any) *problem {
	return &problem{"internal", fmt.Sprintf(format, args...)}
}

// reply is one line to the runner: exactly one of OK and Error is set.
type reply struct {
	ID    json.RawMessage `json:"id"`
	OK    any             `json:"ok,omitempty"`
	Error *problem        `json:"error,omitempty"`
}

// stop says where an advance ended.
type stop struct {
	At      int64    `json:"at"`
	Effects []effect `json:"effects"`
}

func marshalReply(id json.RawMessage, ok any, p *problem) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if p != nil {
		ok = nil // also where there is half an answer
	}
	line, err := json.Marshal(reply{id, ok, p})
	if err != nil {
		line, _ = json.Marshal(reply{id, nil, internal("reply: %v", err)})
	}
	return append(line, '\n')
}

// strictUnmarshal is Unmarshal that knows no unknown fields.
func strictUnmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
