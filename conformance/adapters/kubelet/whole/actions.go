package main

// preparedRuntime is what the runtime holds before the kubelet looks (op actions).
type preparedRuntime struct{}

func (p *parent) actions(r request) []byte {
	return marshalReply(r.ID, nil, unsupported("op %q", r.Op))
}
