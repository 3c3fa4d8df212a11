package main

import "sync"

// effects collects what the implementation did; its goroutines add, the driver takes.
type effects struct {
	mu   sync.Mutex
	list []map[string]any
	wake chan struct{} // made inside the bubble, so that waiting for it is durable
}

func newEffects() *effects {
	return &effects{list: []map[string]any{}, wake: make(chan struct{}, 1)}
}

func (e *effects) add(kind string, fields map[string]any) {
	fields["e"] = kind
	e.mu.Lock()
	e.list = append(e.list, fields)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *effects) any() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.list) > 0
}

func (e *effects) take() []map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = []map[string]any{}
	return list
}
