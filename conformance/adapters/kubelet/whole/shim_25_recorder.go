//go:build !ge26

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
)

// recorder tells which container an event is about.
type recorder struct {
	w      *world
	events chan told
}

type told struct{ text, container string }

func newRecorder(w *world, l *life) record.EventRecorder {
	r := recorder{w, make(chan told)}
	go func() {
		for e := range r.events {
			l.goesOn()
			w.recorded(e.text, e.container)
		}
	}()
	return r
}

func (r recorder) Event(o runtime.Object, kind, reason, message string) {
	about, name, container := "Node", "", ""
	switch of := o.(type) {
	case *v1.ObjectReference:
		about, name = of.Kind, of.Name
		if _, rest, ok := strings.Cut(of.FieldPath, "{"); ok {
			container = strings.TrimSuffix(rest, "}")
		} else {
			container = strings.TrimPrefix(of.FieldPath, "implicitly required container ")
		}
	case *v1.Pod:
		about, name = "Pod", of.Name
	}
	r.events <- told{fmt.Sprintf("%s %s %s involvedObject{kind=%s,apiVersion=%s}", kind, reason, message, about,
		typeOf(name).APIVersion), container}
}

func (r recorder) Eventf(o runtime.Object, kind, reason, format string, a ...interface{}) {
	r.Event(o, kind, reason, fmt.Sprintf(format, a...))
}

func (r recorder) AnnotatedEventf(o runtime.Object, _ map[string]string, kind, reason, format string, a ...interface{}) {
	r.Event(o, kind, reason, fmt.Sprintf(format, a...))
}

// silenceKernelLog puts nothing in the place of the kernel's log, which the kubelet has opened to look for processes
// that ran out of memory: a read of it would never be durably blocked, so that the clock stood still.
func silenceKernelLog() {
	links, _ := os.ReadDir("/proc/self/fd")
	for _, link := range links {
		if to, err := os.Readlink("/proc/self/fd/" + link.Name()); err != nil || to != "/dev/kmsg" {
			continue
		}
		number, err := strconv.Atoi(link.Name())
		if err != nil {
			continue
		}
		nothing, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0)
		if err == nil {
			_ = syscall.Dup2(nothing, number)
			_ = syscall.Close(nothing)
		}
	}
}
