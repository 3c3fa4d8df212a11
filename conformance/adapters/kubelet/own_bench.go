//go:build own

package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/probe"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
)

// What a probe costs (make bench K8S=1.36): `kubelet-handlers bench http|tcp|grpc PORT COUNT` fires that many at 127.0.0.1, 64 at
// once, and prints the microseconds of a core that each took, and how many failed.  As in the kubelet one http prober serves all.

func bench(args []string) {
	if len(args) != 3 {
		fmt.Fprintln(stderr, "usage: kubelet-handlers bench http|tcp|grpc PORT COUNT")
		os.Exit(2)
	}
	port, err := strconv.Atoi(args[1])
	count, err2 := strconv.Atoi(args[2])
	if err != nil || err2 != nil || count < 1 {
		fmt.Fprintln(stderr, "kubelet-handlers: bench: PORT and COUNT must be numbers")
		os.Exit(2)
	}
	shared := httpprobe.New(false)
	newHTTPProber = func() httpprobe.Prober { return shared }
	made := &attempt{probe: benched(args[0], port), container: v1.Container{Name: "app"}, podIP: "127.0.0.1",
		timeout: 5 * time.Second, req: &request{}}
	fireMany(made, count/10+1)
	before := coreTime()
	failed := fireMany(made, count)
	fmt.Printf("%.1f %d\n", float64(coreTime()-before)/1e3/float64(count), failed)
}

func benched(kind string, port int) *v1.Probe {
	p := &v1.Probe{}
	switch kind {
	case "http":
		p.HTTPGet = &v1.HTTPGetAction{Path: "/", Port: intstr.FromInt(port), Scheme: "HTTP"}
	case "tcp":
		p.TCPSocket = &v1.TCPSocketAction{Port: intstr.FromInt(port)}
	default:
		callGRPC(p, port)
	}
	return p
}

func fireMany(s *attempt, count int) int {
	var group sync.WaitGroup
	var lock sync.Mutex
	failed := 0
	work := make(chan bool)
	for i := 0; i < 64; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for range work {
				if got := s.make(); got.result != probe.Success {
					lock.Lock()
					failed++
					lock.Unlock()
				}
			}
		}()
	}
	for i := 0; i < count; i++ {
		work <- true
	}
	close(work)
	group.Wait()
	return failed
}

func coreTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
