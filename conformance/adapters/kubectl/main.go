// Command kubectl is the probetest adapter around what users see of a release: client-go's event
// correlator, and what kubectl prints of pods, probes and events.
//
// It speaks the adapter protocol (conformance/protocol.md) on stdio, layers events and kubectl.  All
// that is judged is upstream's own code, called through its exported API; what stands here brings
// requests and replies into its words.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"probetest.local/release"
)

const lineBytesMax = 1 << 20

// epoch is time 0 of a case.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

type request struct {
	ID       json.RawMessage `json:"id"`
	Op       string          `json:"op"`
	Protocol int             `json:"protocol"`
	K8s      string          `json:"k8s"`
	Recorded []event         `json:"recorded"`
	Pod      json.RawMessage `json:"pod"`
	Now      int64           `json:"now"`
	Events   []event         `json:"events"`
}

// event is one that a kubelet records (At) and one that the API server has (Count, First, Last).
type event struct {
	At        int64  `json:"-"`
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container"`
	Type      string `json:"type"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	Count     int32  `json:"count"`
	First     int64  `json:"first"`
	Last      int64  `json:"last"`
}

func (e *event) UnmarshalJSON(text []byte) error {
	type plain event
	recorded := struct {
		*plain
		At int64 `json:"at"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(text, &recorded); err != nil {
		return err
	}
	e.At = recorded.At
	return nil
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 64<<10), lineBytesMax)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var req request
		reply := map[string]any{}
		if err := json.Unmarshal(in.Bytes(), &req); err != nil {
			reply["error"] = refusal("bad-request", err)
		} else if ok, err := answer(&req); err != nil {
			reply["error"] = refusal("unsupported", err)
		} else {
			reply["ok"] = ok
		}
		reply["id"] = req.ID
		if err := out.Encode(reply); err != nil {
			os.Exit(1)
		}
	}
}

func refusal(code string, err error) map[string]string {
	return map[string]string{"code": code, "message": err.Error()}
}

func answer(req *request) (any, error) {
	switch req.Op {
	case "hello":
		return hello(req)
	case "events":
		return correlate(req.Recorded)
	case "kubectl":
		return print(req)
	}
	return nil, fmt.Errorf("op %q", req.Op)
}

func hello(req *request) (any, error) {
	if req.Protocol != 1 {
		return nil, fmt.Errorf("protocol %d; this adapter speaks 1", req.Protocol)
	}
	if req.K8s != "" && req.K8s != release.Minor() {
		return nil, fmt.Errorf("Kubernetes %s: this binary is %s", req.K8s, release.Version())
	}
	return map[string]any{
		"protocol": 1, "name": "kubectl", "version": release.Version(), "language": "go",
		"url": "https://github.com/kubernetes/kubernetes", "k8s": []string{release.Minor()},
		"layers": []string{"events", "kubectl"}, "features": []string{"sidecars"}, "observes": []string{}, "clock": "virtual",
	}, nil
}
